"""The JSON report against the published format."""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from typing import Any

import jsonschema
import pytest

from butfor.explanation import Explanation, RunInfo, Status
from butfor.report.json_report import render
from tests.report.sample import explanation, failure, row


def obj(required: dict[str, Any]) -> dict[str, Any]:
    """The schema of an object with these keys and any others."""
    return {"type": "object", "required": list(required), "properties": required}


TEXT, COUNT, NUMBER = {"type": "string"}, {"type": "integer", "minimum": 0}, {"type": "number"}
FAILURE = obj(
    {
        "kind": {"enum": ["assertion", "signal", "memory", "division", "exit-status", "output", "no-end", "reach-error"]},
        "file": TEXT,
        "line": COUNT,
        "column": COUNT,
        "function": TEXT,
        "message": TEXT,
    }
)
ROW = obj(
    {
        "rank": COUNT,
        "file": TEXT,
        "line": COUNT,
        "column": COUNT,
        "function": TEXT,
        "text": TEXT,
        "role": TEXT,
        "score": NUMBER,
        "evidence": {"enum": ["proved", "replayed", "heuristic"]},
        "reasons": {"type": "array", "items": obj({"method": TEXT, "text": TEXT})},
        "also": {"type": "array", "items": obj({"file": TEXT, "line": COUNT, "why": TEXT})},
    }
)
RUN = obj({"args": {"type": "array", "items": TEXT}, "instructions": COUNT, "steps": COUNT, "record_seconds": NUMBER, "analyse_seconds": NUMBER})
SCHEMA = obj(
    {
        "schema_version": {"const": 1},
        "status": {"enum": ["explained", "no-failure", "partial", "unsupported"]},
        "run": RUN,
        "failure": {"anyOf": [FAILURE, {"type": "null"}]},
        "ranking": {"type": "array", "items": ROW},
        "methods": {"type": "object"},
        "notes": {"type": "array", "items": TEXT},
    }
)


def loaded(value: Explanation) -> Any:
    """The report as a strict reader sees it."""

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is not JSON")

    text = render(value).encode("utf-8").decode("utf-8")  # a lone surrogate would fail here
    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize("value", [explanation(), Explanation(status=Status.NO_FAILURE), explanation(status=Status.PARTIAL, ranking=())])
def test_report_has_the_published_form(value: Explanation) -> None:
    jsonschema.validate(loaded(value), SCHEMA)


def test_schema_of_this_test_refuses_a_wrong_report() -> None:
    wrong = loaded(explanation())
    wrong["ranking"][0]["evidence"] = "guessed"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, SCHEMA)


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
