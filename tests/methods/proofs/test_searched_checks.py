"""The method `proofs` on Boogie programs, and what repairs make of its facts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import butfor
from tests.commands import butfor_command

SCHEMA = Path(__file__).parents[3] / "docs" / "report.schema.json"
SUM = """procedure main(n: int) requires n == 4; {
  var i: int;
  i := 0;
  while (i <= n) {
    assert 0 <= i && i < 4;
    i := i + 1;
  }
}
"""


def written(folder: Path) -> Path:
    path = folder / "sum.bpl"
    path.write_text(SUM)
    return path


def test_checks_projections_and_trusted_statements_are_in_the_report(tmp_path: Path) -> None:
    answer = butfor.explain(written(tmp_path), methods=["proofs"])
    found = answer.methods["proofs"]
    assert [(row["text"], row["verdict"]) for row in found["checks"]] == [("0 <= i", "proved"), ("i < 4", "open")]
    assert found["counts"] == {"proved": 1, "unreachable": 0, "open": 1}
    assert (3, 0, None) in [(row["line"], row["low"], row["high"]) for row in found["projections"]]
    assert [row["line"] for row in found["trusted"]] == [3]
    report = json.loads(json.dumps(answer.to_dict()))
    jsonschema.validate(report, json.loads(SCHEMA.read_text("utf-8")))


def test_the_text_shows_them_when_all_is_asked_for(tmp_path: Path) -> None:
    program = str(written(tmp_path))
    done = butfor_command(["explain", program, "--method", "proofs", "--verbose"], tmp_path)
    assert "line 3: i := 0;  at least 0" in done.stdout
    assert "statements that the proofs depend on:\n  line 3: i := 0;" in done.stdout
    done = butfor_command(["explain", program, "--method", "proofs"], tmp_path)
    assert "depend on" not in done.stdout
    assert "1 of 2 hold in every execution" in done.stdout


def changed(folder: Path, **options: Any) -> set[str]:
    answer = butfor.explain(written(folder), methods=["repair"], method_options={"repair": options})
    return {s["text"] for one in answer.methods["repair"]["solutions"] for s in one["statements"]}


@pytest.mark.parametrize("library", [True, False])
def test_what_a_proof_needs_is_not_changed(tmp_path: Path, library: bool) -> None:
    assert "i := 0;" not in changed(tmp_path, library=library)
    free = changed(tmp_path, library=library, mined_facts=False, trusted_statements=False)
    assert "i := 0;" in free
    assert "i <= n" in free & changed(tmp_path, library=library)
