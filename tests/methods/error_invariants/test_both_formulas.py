"""The outcomes of the method's table with and without flow, in C and in Boogie, through the options of the command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import butfor
from tests.small import written


def in_both(texts: list[str]) -> list[str]:
    """The statements as both languages write them."""
    return [text.replace(":=", "=").removeprefix("int ") for text in texts]


def told(folder: Path, body: str, **knobs: Any) -> list[str]:
    """The statements of the story; a frame is marked, and so is the outcome of a condition."""
    if body.startswith("procedure"):
        program = folder / "prog.bpl"
        program.write_text(body)
    else:
        program = written(folder, body)
    found = butfor.explain(program, methods=["error-invariants"], **knobs).methods["error-invariants"]
    assert found["flow_sensitive"] is not knobs.get("flow_insensitive", False)
    rows = [e for e in found["abstract_trace"] if e["kind"] == "statement"]
    return [f"{'frame of ' if e['frame'] else ''}{e['text'].rstrip(';')}" for e in rows]


POINTER = """
int main(int argc, char **argv) {
    int x = 5, y = 6;
    int *p = &y;
    if (atoi(argv[1]) > 3)
        p = &x;
    *p = 0;
    assert(x != 0);
    return 0;
}
"""
ELEMENT = """
int main(int argc, char **argv) {
    int t[3] = {5, 5, 5}, k = 1;
    if (atoi(argv[1]) > 3)
        k = 2;
    t[k] = 0;
    assert(t[2] != 0);
    return 0;
}
"""


@pytest.mark.parametrize(("body", "moves", "writes"), [(POINTER, "p = &x", "*p = 0"), (ELEMENT, "k = 2", "t[k] = 0")])
def test_an_address_is_part_of_the_story(tmp_path: Path, body: str, moves: str, writes: str) -> None:
    with_flow = told(tmp_path, body, args=["7"])
    assert {moves, writes, "atoi(argv[1]) > 3"} <= set(with_flow)
    plain = told(tmp_path, body, args=["7"], flow_insensitive=True)
    assert plain == [moves, writes]


SQUARES = {
    "boogie": "procedure main(n: int) { var s, t: int; s := 0; t := n * n; assert s != 0 || t == 7; }\n",
    "c": """
int main(int argc, char **argv) {
    int n = atoi(argv[1]), s, t;
    s = 0;
    t = n * n;
    assert(s != 0 || t == 7);
    return 0;
}
""",
}


@pytest.mark.parametrize("language", SQUARES)
@pytest.mark.parametrize("plain", [False, True])
def test_what_is_assigned_before_it_is_read_is_not_pinned(tmp_path: Path, language: str, plain: bool) -> None:
    knobs = {"args": ["3"]} if language == "c" else {}
    found = told(tmp_path, SQUARES[language], inputs="pinned", flow_insensitive=plain, **knobs)
    assert {text.replace(":=", "=") for text in found} >= {"s = 0", "t = n * n"}


REACHED = {
    "boogie": "procedure main() { var x: int; x := 1; if (x < 10) { assert false; } }\n",
    "c": "\nint main(void) {\n    int x = 1;\n    if (x < 10)\n        assert(0);\n    return 0;\n}\n",
}


@pytest.mark.parametrize("language", REACHED)
def test_a_failure_without_a_condition_is_explained_by_why_it_is_reached(tmp_path: Path, language: str) -> None:
    assert told(tmp_path, REACHED[language], flow_insensitive=True) == []
    found = in_both(told(tmp_path, REACHED[language]))
    assert found == ["x = 1", "x < 10"]


EITHER_ARM = {
    "boogie": """procedure main(n: int) requires n {sign} 42; {{
  var x, y: int;
  x := 0;
  y := n - 42;
  if (y < 0) {{ y := 0; }}
  assert x != 0;
}}
""",
    "c": """
int main(int argc, char **argv) {{
    int n = atoi(argv[1]), x = 0, y = n - 42;
    if (y < 0)
        y = 0;
    assert(x != 0);
    return 0;
}}
""",
}


@pytest.mark.parametrize("language", EITHER_ARM)
@pytest.mark.parametrize(("sign", "value"), [("<", "3"), (">=", "77")])
@pytest.mark.parametrize("plain", [False, True])
def test_a_condition_that_does_not_matter_is_left_out(
    tmp_path: Path, language: str, sign: str, value: str, plain: bool
) -> None:
    knobs = {"args": [value]} if language == "c" else {}
    found = told(tmp_path, EITHER_ARM[language].format(sign=sign), flow_insensitive=plain, **knobs)
    assert in_both(found) == ["x = 0"]


LOCK = {
    "boogie": """procedure main() {
  var lock, z, x, y: int;
  x := 0; y := -1;
  lock := 1;
  z := 0;
  if (y != 0) { z := y; }
  if (x != 0) { lock := 0; } else { if (z > 0) { lock := 0; } }
  assert lock == 0;
}
""",
    "c": """
int main(void) {
    int lock = 1, z = 0, x = 0, y = -1;
    if (y != 0)
        z = y;
    if (x != 0)
        lock = 0;
    else if (z > 0)
        lock = 0;
    assert(lock == 0);
    return 0;
}
""",
}


@pytest.mark.parametrize("language", LOCK)
def test_that_no_arm_was_taken_is_told_only_with_flow(tmp_path: Path, language: str) -> None:
    plain = in_both(told(tmp_path, LOCK[language], flow_insensitive=True))
    assert plain == ["lock = 1"]
    found = in_both(told(tmp_path, LOCK[language]))
    assert {"lock = 1", "z = y", "frame of x != 0", "frame of z > 0"} <= set(found)
    assert "z = 0" not in found


@pytest.mark.parametrize("language", LOCK)
def test_the_recursive_engine_agrees_on_the_statements_without_frames(tmp_path: Path, language: str) -> None:
    found = told(tmp_path, LOCK[language], method_options={"error-invariants": {"engine": "recursive"}})
    assert in_both(found) == ["lock = 1"]
