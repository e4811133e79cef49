"""`butfor find` and `butfor explain` on Boogie programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import butfor
from tests.cli.helpers import run
from tests.test_json_contract import SCHEMA

EXAMPLES = Path(__file__).parent.parent / "path" / "examples"
SAFE = "procedure main(n: int) { var i: int; i := 0; while (i < n) { i := i + 1; } assert i >= 0; }"


def written(tmp_path: Path, text: str | bytes) -> str:
    """The file with this program."""
    file = tmp_path / "prog.bpl"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(file)


def as_json(*words: str) -> dict[str, Any]:
    """The report of a command."""
    result = run(*words, "--format", "json")
    assert result.exit_code == 0, result.stderr
    data: dict[str, Any] = json.loads(result.stdout)
    schema = {**SCHEMA, "properties": {**SCHEMA["properties"], "methods": {"type": "object"}}}
    jsonschema.validate(data, schema)
    return data


@pytest.mark.parametrize("command", ["find", "explain"])
def test_a_failure_is_found_and_explained(command: str) -> None:
    data = as_json(command, str(EXAMPLES / "s1_locking.bpl"))
    assert data["status"] == "explained"
    failure = data["failure"]
    assert (failure["kind"], failure["line"], failure["column"], failure["function"]) == ("assertion", 19, 3, "main")
    assert failure["message"] == "assertion failed: locked == 0"
    assert data["ranking"][0]["line"] == 7
    path = data["methods"]["path"]
    assert [(step["kind"], step["line"]) for step in path[1:4]] == [("assign", 6), ("assign", 7), ("branch", 8)]
    assert path[0]["values"] == {"in0": "0", "in1": "-1"}
    assert (path[-1]["kind"], path[-1]["values"]) == ("check", {"locked": "1"})
    assert {"slice", "cascade", "path"} <= data["methods"].keys()
    assert [f["line"] for f in data["failures"]] == [19]


def test_all_failures_are_listed(tmp_path: Path) -> None:
    data = as_json(
        "find",
        written(tmp_path, "procedure main(x: int) {\nif (x > 0) {\nassert x != 3; }\nassert x != -1;\nassert x > 0; }"),
    )
    assert sorted(f["line"] for f in data["failures"]) == [3, 4, 5]
    assert data["failure"]["line"] == data["failures"][0]["line"]


def test_no_failure_says_how_far_it_looked(tmp_path: Path) -> None:
    file = written(tmp_path, SAFE)
    data = as_json("find", file, "--bound", "3")
    assert (data["status"], data["failure"], data["search"]["bound"], data["search"]["complete"]) == (
        "no-failure",
        None,
        3,
        False,
    )
    text = run("find", file, "--bound", "3").stdout
    assert text.startswith("no failure: every check holds in executions with at most 3 rounds of each loop")
    straight = written(tmp_path, "procedure main(x: int) { assert x * x >= 0; }")
    assert run("find", straight).stdout.startswith("no failure: every check holds in all executions\n")


def test_the_text_shows_failure_values_and_causes() -> None:
    text = run("find", str(EXAMPLES / "s1_abs.bpl")).stdout
    assert "s1_abs.bpl:9:3: assertion failed: out >= 0" in text
    assert "= in is -1" in text
    assert "out := in;" in text
    assert "sign == -1 was true with sign = -1; otherwise another value could have been assigned" in text


@pytest.mark.parametrize(
    ("source", "words", "code", "message"),
    [
        ("procedure main() {\n x := 1; }", (), 2, "prog.bpl:2:2: there is no variable x"),
        ("procedure main() { assert true }", (), 2, "prog.bpl:1:32: syntax error at '}'"),
        (b"\xff\xfe\x00", (), 2, "prog.bpl:1:1: syntax error"),
        (
            "procedure main() {\n assume (forall i: int :: i > 0); }",
            (),
            3,
            "prog.bpl:2:9: a quantifier (forall) is not supported",
        ),
        ("procedure p() { } procedure q() { }", (), 2, "--entry NAME"),
        ("procedure main() { }", ("--method", "butfor"), 2, "the method 'butfor' needs a recorded run"),
        ("procedure main() { }", ("--bound", "0"), 2, "bound must be at least 1"),
        ("", (), 2, "no procedure has a body"),
    ],
)
def test_errors_and_exit_codes(
    tmp_path: Path, source: str | bytes, words: tuple[str, ...], code: int, message: str
) -> None:
    result = run("find", written(tmp_path, source), *words)
    assert result.exit_code == code
    assert message in result.stderr
    assert result.stdout == ""


def test_the_entry_can_be_chosen(tmp_path: Path) -> None:
    file = written(tmp_path, "procedure p(x: int) { assert x > 0; }\nprocedure q() { }")
    assert as_json("find", file, "--entry", "q")["status"] == "no-failure"
    assert as_json("find", file, "--entry", "p")["status"] == "explained"


def test_arguments_are_refused(tmp_path: Path) -> None:
    result = run("explain", written(tmp_path, SAFE), "--", "1")
    assert (result.exit_code, "searched, not run" in result.stderr) == (2, True)


def test_from_python(tmp_path: Path) -> None:
    answer = butfor.explain(EXAMPLES / "s2_twice.bpl")
    assert answer.failure is not None
    assert [(row.line, str(row.evidence)) for row in answer.ranking] == [(6, "replayed")]


def test_a_loop_that_is_too_long_is_named(tmp_path: Path) -> None:
    file = written(
        tmp_path, "procedure main() { var i: int; i := 0;\nwhile (i < 100000) { i := i + 1; }\nassert false; }"
    )
    data = as_json("find", file)
    assert (data["status"], data["search"]["complete"]) == ("no-failure", False)
    assert "line 2" in data["search"]["verdict"]
    assert data["notes"][0].startswith("line 2: ")
    short = written(
        tmp_path, "procedure main() { var i: int; i := 0;\nwhile (i < 1100) { i := i + 1; }\nassert false; }"
    )
    assert as_json("find", short)["status"] == "no-failure"
    assert as_json("find", short, "--bound", "1200", "--method", "slice")["status"] == "explained"
