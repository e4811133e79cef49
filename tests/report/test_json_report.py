"""The JSON report against the published format."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath
from typing import Any

import jsonschema
import pytest

from butfor.counterfactual.user_changes import ChangedRun
from butfor.explanation import Explanation, RunInfo, Status
from butfor.report.changed_run_text import render_json
from butfor.report.json_report import render
from tests.report.sample import explanation, failure, row

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "report.schema.json").read_text("utf-8"))


def loaded(value: Explanation) -> Any:
    """The report as a strict reader sees it."""

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is not JSON")

    text = render(value).encode("utf-8").decode("utf-8")  # a lone surrogate would fail here
    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize(
    "value", [explanation(), Explanation(status=Status.NO_FAILURE), explanation(status=Status.PARTIAL, ranking=())]
)
def test_report_has_the_published_form(value: Explanation) -> None:
    jsonschema.validate(loaded(value), SCHEMA)


def test_schema_of_this_test_refuses_a_wrong_report() -> None:
    wrong = loaded(explanation())
    wrong["ranking"][0]["evidence"] = "guessed"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, SCHEMA)


def test_the_published_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_values() -> None:
    report = loaded(explanation())
    assert report["failure"]["kind"] == "assertion"
    assert [(r["rank"], r["line"], r["evidence"]) for r in report["ranking"]] == [(1, 7, "heuristic"), (2, 6, "proved")]
    assert report["ranking"][1]["also"] == [{"file": "prog.c", "line": 2, "why": "the macro LIMIT"}]
    assert "sources" not in report


def test_bytes_surrogates_paths_and_infinities_are_written_as_text() -> None:
    run = RunInfo(args=("caf\udce9",), extra={"stdout": b"\xff\x00ok", "log": PurePosixPath("a/b")})
    report = loaded(explanation(run=run, methods={"x": {"limit": float("inf"), "set": {"b", "a"}}}))
    assert report["run"]["args"] == ["caf\\xe9"]
    assert report["run"]["stdout"] == "\\xff\x00ok"
    assert report["run"]["log"] == "a/b"
    assert report["methods"]["x"] == {"limit": "inf", "set": ["a", "b"]}


def test_extra_keys_may_not_hide_fixed_ones() -> None:
    with pytest.raises(ValueError, match="score"):
        render(explanation(ranking=(row(1, extra={"score": 2}),)))


def test_a_value_that_has_no_json_form_is_refused() -> None:
    with pytest.raises(TypeError, match="object"):
        render(explanation(failure=failure(details={"what": object()})))


def test_the_json_of_a_changed_run_escapes_what_a_terminal_would_obey() -> None:
    run = ChangedRun((), True, "it \u009b31m", 1, "exit", 0, None, "", "\u202eout".encode(), b"", True)
    text = render_json(run)
    assert json.loads(text)["why"] == "it \u009b31m"
    assert all(c.isprintable() or c == "\n" for c in text)
