"""Violation witnesses: both formats, values at calls and after them, and witnesses that are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

import butfor
from butfor.errors import UsageError
from butfor.explanation import FailureKind, Status
from butfor.witness.read_witness import read_witness
from butfor.witness.witness_model import equalities

PROGRAM = """extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  int sum = 0;
  for (int i = 0; i < 3; i++) {
    unsigned char y;
    y = __VERIFIER_nondet_uchar();
    sum += y;
  }
  if (x == -4 && sum == 60)
    reach_error();
  return 0;
}
"""


def point(kind: str, line: int, constraint: str = "") -> str:
    """A segment of a YAML witness."""
    value = f'\n        constraint: {{value: "{constraint}", format: c_expression}}' if constraint else ""
    return f"""
  - segment:
    - waypoint:
        type: {kind}
        action: follow
        location: {{file_name: p.c, line: {line}, column: 3, function: main}}{value}"""


def yaml_witness(folder: Path, points: list[str]) -> Path:
    """A YAML witness."""
    path = folder / "w.yml"
    path.write_text(
        '- entry_type: violation_sequence\n  metadata: {format_version: "2.0"}\n  content:' + "".join(points) + "\n"
    )
    return path


def graphml_witness(folder: Path, edges: list[dict[str, str]]) -> Path:
    """A GraphML witness: a chain of edges with these data."""
    nodes = [
        '<node id="N0"><data key="entry">true</data></node>',
        *(f'<node id="N{k}"/>' for k in range(1, len(edges))),
    ]
    nodes.append(f'<node id="N{len(edges)}"><data key="violation">true</data></node>')
    contents = ["".join(f"<data key={key!r}>{value}</data>" for key, value in data.items()) for data in edges]
    rows = [f'<edge source="N{k}" target="N{k + 1}">{content}</edge>' for k, content in enumerate(contents)]
    keys = '<key id="assumption" attr.name="assumption" for="edge" attr.type="string"/>'
    kind = '<data key="witness-type">violation_witness</data>'
    graph = f'<graph edgedefault="directed">{kind}{"".join(nodes + rows)}</graph>'
    path = folder / "w.graphml"
    path.write_text(
        f'<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">{keys}{graph}</graphml>'
    )
    return path


def program(folder: Path) -> Path:
    """The program in a file."""
    path = folder / "p.c"
    path.write_text(PROGRAM)
    return path


def test_yaml(tmp_path: Path) -> None:
    points = [
        point("assumption", 6, "x == (-4)"),
        *(point("function_return", 9, f"\\\\result == {n}U") for n in (10, 20, 30)),
        point("target", 13),
    ]
    answer = butfor.explain(program(tmp_path), witness=yaml_witness(tmp_path, points), methods=["slice"])
    assert answer.failure is not None
    assert answer.failure.kind is FailureKind.REACH_ERROR
    assert answer.extra["witness"]["values"] == [-4, 10, 20, 30]
    assert answer.extra["witness"]["fails"]


def test_graphml(tmp_path: Path) -> None:
    result = {"assumption.resultfunction": "__VERIFIER_nondet_uchar", "assumption.scope": "main"}
    edges = [
        {"startline": "5", "assumption": "x == (-4);"},
        {"startline": "6", "assumption": "sum == 0;"},
        *({"startline": "9", "assumption": f"\\result == {n};", **result} for n in (30, 20, 10)),
        {"startline": "13"},
    ]
    answer = butfor.explain(program(tmp_path), witness=graphml_witness(tmp_path, edges), methods=["slice"])
    assert answer.failure is not None
    assert answer.extra["witness"]["values"] == [-4, 30, 20, 10]
    assert answer.extra["witness"]["target"] == answer.failure.line


@pytest.mark.parametrize("make", [yaml_witness, graphml_witness])
def test_a_witness_that_does_not_fail_is_said_to_be_so(tmp_path: Path, make: object) -> None:
    if make is yaml_witness:
        path = yaml_witness(tmp_path, [point("assumption", 6, "x == 4"), point("target", 13)])
    else:
        path = graphml_witness(tmp_path, [{"startline": "5", "assumption": "x == 4;"}, {"startline": "13"}])
    answer = butfor.explain(program(tmp_path), witness=path)
    assert answer.status is Status.NO_FAILURE
    assert any("not confirmed" in note for note in answer.notes)
    assert answer.extra["witness"]["values"] == [4]
    assert not answer.extra["witness"]["fails"]


def test_the_search_starts_from_a_witness(tmp_path: Path) -> None:
    from butfor.find import FindOptions, find
    from butfor.options import make_options

    path = yaml_witness(tmp_path, [point("assumption", 6, "x == -4"), point("target", 13)])
    answer = find(make_options(program(tmp_path), witness=path, methods=["slice"]), FindOptions(failures=1))
    assert answer.failure is not None
    assert any("not confirmed" in note for note in answer.notes)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- entry_type: invariant_set\n  content: []\n", "no violation witness"),
        ("- entry_type: violation_sequence\n  content: 7\n", "content"),
        ("- entry_type: violation_sequence\n  content: [{segment: [7]}]\n", "waypoint"),
        ("a: [unclosed", "neither YAML nor GraphML"),
        ("<graphml><graph/></graphml>", "entry"),
        ("<graphml><graph", "not valid XML"),
        ("<!DOCTYPE x><graphml/>", "document type"),
        ("", "no violation witness"),
    ],
)
def test_bad_witnesses_are_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "w"
    path.write_text(text)
    with pytest.raises(UsageError) as error:
        read_witness(path)
    assert said in error.value.message


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("x == 5", (("x", 5),)),
        ("(x == (5))", (("x", 5),)),
        ("x == -2147483648 && y == 0x1F", (("x", -2147483648), ("y", 31))),
        ("x == (unsigned char)200U;", (("x", 200),)),
        ("7UL == z", (("z", 7),)),
        ("c == 'a' && d == '\\n' && e == '\\0'", (("c", 97), ("d", 10), ("e", 0))),
        ("\\result == 010", (("\\result", 8),)),
        ("x > 5", ()),
        ("x == y", ()),
        ("1", ()),
    ],
)
def test_constraints(text: str, values: tuple[tuple[str, int], ...]) -> None:
    assert equalities(text)[0] == values
