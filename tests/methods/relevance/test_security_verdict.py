"""Failures that inputs control, or do not: the verdicts, and that the values in them do what is said of them."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import butfor
from tests.commands import butfor_command
from tests.corpus import Program, read
from tests.families import some_of

FOLDER = Path(__file__).parent / "security"
PROGRAMS = sorted(FOLDER.glob("*.c"))


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own to be in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def prepared(path: Path, folder: Path) -> tuple[Program, dict[str, Any]]:
    """The program, with its files in the folder, and how it is run."""
    p = read(path)
    shutil.copy(path, folder / path.name)
    for line in p.head.get("file", []):
        name, _, text = line.partition(" ")
        (folder / name).write_text(json.loads(text))
    o = p.options
    knobs = {"args": list(o.args), "stdin": o.stdin, "env": dict(o.env), "nondet": o.nondet, "step_limit": o.step_limit}
    return p, knobs


def told(path: Path, folder: Path, **more: Any) -> dict[str, Any]:
    """What is said about the program's failure."""
    _, knobs = prepared(path, folder)
    found = butfor.explain(path.name, **knobs, **more)
    assert found.failure is not None
    security: dict[str, Any] = found.to_dict()["methods"]["relevance"]["security"]
    return security


def changed(knobs: dict[str, Any], row: dict[str, Any], text: str, folder: Path) -> dict[str, Any]:
    """How the program is run with another text in an input."""
    start, end = row["start"], row["end"]

    def cut(old: str) -> str:
        return old[:start] + text + old[end:]

    new = dict(knobs)
    match row["source"]:
        case "argv":
            args = [*knobs["args"], ""] if int(row["name"]) > len(knobs["args"]) else list(knobs["args"])
            args[int(row["name"]) - 1] = cut(args[int(row["name"]) - 1])
            new["args"] = args
        case "argc":
            new["args"] = [*knobs["args"][: int(text)], *["1"] * (int(text) - len(knobs["args"]))]
        case "stdin":
            new["stdin"] = cut(knobs["stdin"].decode()).encode()
        case "env":
            new["env"] = {row["name"]: text}
        case "nondet":
            values = list(knobs["nondet"])
            values[start] = int(text)
            new["nondet"] = tuple(values)
        case "file":
            file = folder / row["name"]
            file.write_text(cut(file.read_text()))
    return new


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_the_verdict_and_its_values(path: Path, there: Path) -> None:
    p, knobs = prepared(path, there)
    wanted = (p.one("security") or "").split()
    security = told(path, there, methods=["relevance"])
    assert security["verdict"] == wanted[0], security
    if wanted[0] != "input-controlled":
        assert not security["inputs"]
        return
    first = security["inputs"][0]
    assert first["source"] == wanted[1]
    if len(wanted) > 2:
        assert any(
            str(row["start"] if row["source"] == "nondet" else row["name"]) == wanted[2] for row in security["inputs"]
        ), security
    for row in security["inputs"]:
        prepared(path, there)
        avoided = butfor.explain(path.name, **changed(knobs, row, row["passes"], there), methods=["slice"])
        assert avoided.failure is None or avoided.failure.kind == "exit-status", row
    prepared(path, there)
    assert butfor.explain(path.name, **knobs, methods=["slice"]).failure is not None


@pytest.mark.parametrize(
    "name",
    some_of(
        ("argv_number", "stdin_sum", "environment", "nondet_magic", "no_input"),
        lambda _, name: name in ("argv_number", "no_input"),
        str,
    ),
)
def test_the_default_output_says_it_in_one_line(name: str, there: Path) -> None:
    p, _ = prepared(FOLDER / f"{name}.c", there)
    nondet = p.one("nondet")
    words = [
        "explain",
        f"{name}.c",
        *(f"--env={k}={v}" for k, v in p.options.env),
        *(["--nondet", nondet.replace(" ", ",")] if nondet else []),
        *("--format", "text", "-o", "answer.json"),
    ]
    (there / "in").write_bytes(p.options.stdin if isinstance(p.options.stdin, bytes) else b"")
    done = butfor_command([*words, "--stdin", "in", "--", *p.options.args], there)
    flat = re.sub(r"\s+", " ", done.stdout)
    security = json.loads((there / "answer.json").read_text())["methods"]["relevance"]["security"]
    assert security["verdict"] == (p.one("security") or "").split()[0]
    if security["inputs"]:
        row = security["inputs"][0]
        assert f"`{row['fails']}` fails, `{row['passes']}` does not; both were run" in flat
    else:
        assert "no input controls the failure" in flat


@pytest.mark.parametrize("body", ["getchar();", "if (argc > 7) return 2;", 'scanf("%d", &x);', 'getenv("HOME");'])
def test_that_no_input_matters_is_not_proved_where_some_could(body: str, there: Path) -> None:
    (there / "p.c").write_text(
        "#include <assert.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
        f"int main(int argc, char **argv) {{ int x = 0; {body} assert(x != 0); return 0; }}\n"
    )
    found = butfor.explain("p.c", methods=["security"]).methods["relevance"]["security"]
    assert found["evidence"] != "proved"


def test_that_no_input_matters_is_proved_for_nondeterministic_values(there: Path) -> None:
    (there / "p.c").write_text(
        "#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\n"
        "int main(void) { int x = __VERIFIER_nondet_int(); int y = 7 + x * 0; assert(y != 7); return 0; }\n"
    )
    found = butfor.explain("p.c", methods=["security"]).methods["relevance"]["security"]
    assert (found["verdict"], found["evidence"]) == ("not-input-controlled", "proved")


NONDET = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n"


@pytest.mark.parametrize("methods", [["security"], ["relevance"]])
def test_an_input_does_not_control_what_a_later_one_can_still_avoid(methods: list[str], there: Path) -> None:
    (there / "p.c").write_text(
        NONDET + "int main(void) {\n int u = __VERIFIER_nondet_int();\n int a = __VERIFIER_nondet_int();\n"
        " if (u > 5 && (a ^ 77) != 12345678)\n  reach_error();\n return 0;\n}\n"
    )
    found = butfor.explain("p.c", nondet=[6, 0], methods=methods).methods["relevance"]["security"]
    assert (found["verdict"], found["evidence"]) == ("input-controlled", "replayed")
    assert [(row["start"], row["fails"], row["passes"]) for row in found["inputs"]] == [(1, "0", "12345603")]


def test_an_input_controls_the_failure_if_no_later_one_can_avoid_it(there: Path) -> None:
    (there / "p.c").write_text(
        NONDET + "int main(void) {\n int u = __VERIFIER_nondet_int();\n int a = __VERIFIER_nondet_int() & 3;\n"
        " if (u > 5 && a != 7)\n  reach_error();\n return 0;\n}\n"
    )
    found = butfor.explain("p.c", nondet=[6, 0], methods=["security"]).methods["relevance"]["security"]
    assert (found["verdict"], found["evidence"]) == ("input-controlled", "replayed")
    assert [(row["start"], row["fails"], row["passes"]) for row in found["inputs"]] == [(0, "6", "5")]


def test_an_input_before_more_than_are_tried_is_not_said_to_be_the_last(there: Path) -> None:
    (there / "p.c").write_text(
        NONDET + "int main(void) {\n for (int i = 0; i < 15; i++)\n  __VERIFIER_nondet_int();\n"
        " int u = __VERIFIER_nondet_int(), s = __VERIFIER_nondet_int();\n"
        " if (u > 5 && (s ^ 77) != 12345678)\n  reach_error();\n return 0;\n}\n"
    )
    found = butfor.explain("p.c", nondet=[0] * 15 + [6], methods=["security"]).methods["relevance"]["security"]
    assert not (found["evidence"] == "replayed" and found["inputs"][0]["start"] < 16)  # 12345603 after it avoids it


LATER: dict[str, tuple[str, dict[str, Any]]] = {
    "a nondeterministic value after standard input": (
        'int x = 0, y; scanf("%d", &x); y = __VERIFIER_nondet_int(); if (y == 7) return 0; assert(x != 4);',
        {"stdin": "4\n", "nondet": (3,)},
    ),
    "standard input after a nondeterministic value": (
        'int y = __VERIFIER_nondet_int(), x = 0; scanf("%d", &x); if (x == 7) return 0; assert(y != 4);',
        {"stdin": "3\n", "nondet": (4,)},
    ),
    "more numbers after the last one": (
        'int n = 0, x; while (scanf("%d", &x) == 1) n += x; assert(n != 4);',
        {"stdin": "4\n"},
    ),
    "the second number of one call, which is not there": (
        'int a = 0, b = 0; scanf("%d %d", &a, &b); assert(a + b != 4);',
        {"stdin": "4\n"},
    ),
    "bytes after the last ones": (
        "char b[4]; read(0, b, 4); if (getchar() == 'z') return 0; assert(b[0] != 'a');",
        {"stdin": "abcd"},
    ),
}


@pytest.mark.parametrize("name", LATER)
def test_an_input_controls_nothing_for_sure_where_anything_can_come_in_later(name: str, there: Path) -> None:
    body, given = LATER[name]
    (there / "prog.c").write_text(f"""
#include <assert.h>
#include <stdio.h>
#include <unistd.h>
int __VERIFIER_nondet_int(void);
int main(void) {{
    {body}
    return 0;
}}
""")
    found = butfor.explain("prog.c", methods=["security"], **given).methods["relevance"]["security"]
    assert (found["verdict"], found["evidence"]) == ("input-controlled", "tried")


def test_the_last_number_of_standard_input_controls_the_failure_if_its_end_is_not_seen(there: Path) -> None:
    (there / "prog.c").write_text("""
#include <assert.h>
#include <stdio.h>
int main(void) {
    int a = 0, b = 0;
    scanf("%d %d", &a, &b);
    assert(a + b != 4);
    return 0;
}
""")
    found = butfor.explain("prog.c", methods=["security"], stdin="1 3\n").methods["relevance"]["security"]
    assert (found["evidence"], found["inputs"][0]["start"]) == ("replayed", 2)
