"""The JSON of real explanations has the keys and types that the design promises."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from butfor.report.json_report import render as render_json
from butfor.report.text import render as render_text
from tests.small import explained, source

SCHEMA = json.loads((Path(__file__).parents[1] / "docs" / "report.schema.json").read_text("utf-8"))

LONG = "\n".join(f" x{n} = x{n - 1} + LAST;" for n in range(1, 15))
PROGRAMS: dict[str, tuple[str, dict[str, Any]]] = {
    "assertion": (
        "int main(int argc, char **argv) {\n int x = argc * 2;\n assert(x == 5);\n return 0; }\n",
        {"args": ["a", "ü", "\udcff"]},
    ),
    "signal": ("int main(int argc, char **argv) {\n int *p = argc > 5 ? &argc : 0;\n return *p; }\n", {}),
    "memory": (
        "int main(void) {\n char *p = malloc(3);\n p[3] = 1;\n p[4] = 1;\n free(p);\n return 0; }\n",
        {"check": True},
    ),
    "division": ("int main(int argc, char **argv) {\n return 1 / (argc - 1); }\n", {}),
    "exit-status": ("int main(int argc, char **argv) {\n return argc; }\n", {}),
    "output": ('int main(void) {\n puts("\\xff\\x01");\n return 0; }\n', {"expect_stdout": b"\xfe\n"}),
    "no-end": ("int main(void) {\n volatile int n = 1;\n while (n) ;\n return 0; }\n", {"step_limit": 2000}),
    "reach-error": ("extern void reach_error(void);\nint main(void) {\n reach_error();\n return 0; }\n", {}),
    "none": ("int main(void) {\n return 0; }\n", {"check": True}),
    "long": (
        "#define LAST (1)\nint main(int argc, char **argv) {\n int x0 = argc"
        + "".join(f", x{n}" for n in range(1, 15))
        + f";\n{LONG}\n assert(x14 == 3);\n return 0; }}\n",
        {},
    ),
}


@pytest.fixture(scope="module", params=PROGRAMS)
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, Any], str]:
    """The name of a program, its report as JSON, and as text."""
    body, knobs = PROGRAMS[request.param]
    answer = explained(tmp_path_factory.mktemp("json"), body, **knobs)
    text = render_json(answer)
    assert json.loads(text) == answer.to_dict()
    return request.param, json.loads(text), render_text(answer)


def test_keys_and_types(report: tuple[str, dict[str, Any], str]) -> None:
    name, data, _ = report
    jsonschema.validate(data, SCHEMA)
    if name in ("none", "long"):
        assert data["status"] == ("no-failure" if name == "none" else "explained")
    else:
        assert (data["status"], data["failure"]["kind"]) == ("explained", name)


def test_ranks_count_from_one_best_first(report: tuple[str, dict[str, Any], str]) -> None:
    rows = report[1]["ranking"]
    assert [row["rank"] for row in rows] == list(range(1, len(rows) + 1))
    for evidence in ("proved", "replayed", "heuristic"):
        scores = [row["score"] for row in rows if row["evidence"] == evidence]
        assert scores == sorted(scores, reverse=True)


def test_one_row_per_statement(report: tuple[str, dict[str, Any], str]) -> None:
    places = [(row["file"], row["line"], row["column"], row["text"]) for row in report[1]["ranking"]]
    assert len(places) == len(set(places))


def test_at_most_seven_rows_in_text(report: tuple[str, dict[str, Any], str]) -> None:
    name, data, text = report
    shown = re.findall(r"^ ?(\d+)  \S*prog\.c:\d+", text, re.M)
    assert shown == [str(n) for n in range(1, min(7, len(data["ranking"])) + 1)]
    rest = len(data["ranking"]) - 7
    assert (f"{rest} more statements; --verbose shows them" in text) == (rest > 1)
    if name == "long":
        assert rest > 1


def test_rows_are_in_the_sources(report: tuple[str, dict[str, Any], str]) -> None:
    name, data, _ = report
    lines = source(PROGRAMS[name][0]).text.splitlines()
    for row in data["ranking"]:
        assert lines[row["line"] - 1][row["column"] - 1 :].startswith(row["text"].splitlines()[0])


def test_macros_are_named(tmp_path: Path) -> None:
    body, knobs = PROGRAMS["long"]
    answer = explained(tmp_path, body, **knobs)
    also = {(a.line, a.why) for row in answer.ranking for a in row.also}
    assert {line for line, _ in also} == {source(body).line_of("#define LAST")}
