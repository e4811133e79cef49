"""Claims about Boogie programs are run: leaving the path is no way out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import butfor
from butfor.frontends.boogie.boogie_frontend import BoogieProgram
from butfor.frontends.boogie.explore_paths import explore
from butfor.path.changed_runs import PathEdit, RunVerdict
from butfor.path.path_model import Kind
from tests.frontends.boogie.helpers import unit_of

BOTH_ARMS = "havoc x; y := 5; if (x > 10) { y := 7; } else { y := 7; } assert y != 7;"
ONE_ARM = "havoc x; y := 5; if (x > 10) { y := 7; } else { y := 8; } assert y != 7;"
CALL = """procedure add(a: int) returns (r: int) { r := a + 1; }
procedure main() { var i, x: int; i := 0; while (i < 3) { call x := add(i); i := i + 1; } assert x != 3; }
"""


def ranked(folder: Path, body: str, method: str) -> dict[str, Any]:
    """The statements of the ranking with their evidence."""
    path = folder / "p.bpl"
    path.write_text(f"procedure main() {{ var x, y: int; {body} }}")
    return {row.text: row.evidence for row in butfor.explain(path, methods=[method]).ranking}


@pytest.mark.parametrize("method", ["relevance", "diagnoses"])
def test_a_guard_whose_other_arm_fails_too_is_no_way_out(method: str, tmp_path: Path) -> None:
    assert ranked(tmp_path, BOTH_ARMS, method) == {"y := 7;": "replayed"}
    assert ranked(tmp_path, ONE_ARM, method).get("x > 10" if method == "diagnoses" else "havoc x;") == "replayed"


def test_the_value_of_a_statement_in_a_loop_and_of_a_call_is_changed_where_it_is_given() -> None:
    unit = unit_of(CALL)
    flow = unit.entry("main")
    (found,) = explore(unit, flow, 4, 10.0).failures
    path = found.path
    program = BoogieProgram(unit, flow, 4)
    calls = [k for k, i in enumerate(path.instances) if i.place.text.startswith("call") and i.kind is Kind.ASSIGN]
    bound, given = calls[-2:]
    guards = [k for k, i in enumerate(path.instances) if i.kind is Kind.BRANCH]
    edits = [
        [PathEdit(bound, path.instances[bound].writes[0][0].name, 7)],
        [PathEdit(given, path.instances[given].writes[0][0].name, 7)],
        [PathEdit(calls[1], path.instances[calls[1]].writes[0][0].name, 7)],
        [PathEdit.other_arm(guards[-2])],
        [PathEdit(bound, path.instances[bound].writes[0][0].name, 2)],
    ]
    avoided, failed = RunVerdict.AVOIDED, RunVerdict.FAILED
    assert program.verdicts(path, edits) == [avoided, avoided, failed, avoided, failed]
