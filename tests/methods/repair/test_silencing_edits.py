"""Edits that only silence a failed check come last among repairs, and say so."""

from __future__ import annotations

from pathlib import Path

import pytest

from butfor import api
from butfor.methods.repair import slip_library
from butfor.methods.repair.propose_edits import Proposer
from butfor.methods.repair.silencing_edits import failed_statement
from butfor.options import make_options
from tests.path.made import failing_case
from tests.small import written

SQUARE = """
int main(void) {
    int x = 7;
    if (x > 3) {
        x = x * x;
    }
    if (x < 0)
        return 1;
    x = x + 1;
    assert(x == 49);
    puts("done");
    return 0;
}
"""


def silencing(folder: Path, body: str) -> dict[tuple[str, str], bool]:
    """The edits of all statements of a program, and whether each silences the check."""
    case = failing_case(make_options(written(folder, body)))
    assert case is not None
    proposer = Proposer(case.places, slip_library.builtin_library())
    failed = failed_statement(case, proposer)
    assert failed is not None
    places = dict.fromkeys(i.place for i in case.path.instances if case.may_be_changed(i.place))
    proposals = [p for place in places for p in proposer.proposals_for(place, 0)]
    return {(p.family, p.why): failed.is_silenced_by(p) for p in proposals}


def test_moving_the_check_silences_it(tmp_path: Path) -> None:
    found = silencing(tmp_path, SQUARE)
    assert found["move", "`assert(x == 49);` before `x = x + 1;`"]
    assert not found["move", "`x = x + 1;` before `if (x < 0) return 1;`"]
    assert not found["insert-jump", "`return 0;` after `x = x * x;`"]  # only in an arm
    assert {kind for (kind, _), is_silent in found.items() if is_silent} == {"move"}


def test_no_jump_is_offered_that_would_leave_code_which_never_runs(tmp_path: Path) -> None:
    found = silencing(tmp_path, SQUARE)
    jumps = {words for kind, words in found if kind == "insert-jump"}
    assert jumps == {f"`return {value};` after `x = x * x;`" for value in (0, 1)}


def test_a_jump_may_end_a_case_or_an_arm(tmp_path: Path) -> None:
    body = """
int main(void) {
    int kind = 1, x = 0;
    for (int i = 0; i < 2; i++) {
        switch (kind) {
        case 1:
            x = 7;
        case 2:
            x = x * 2;
        }
    }
    assert(x == 7);
    return 0;
}
"""
    jumps = {words for kind, words in silencing(tmp_path, body) if kind == "insert-jump"}
    assert "`break;` after `x = 7;`" in jumps
    assert "`break;` before `x = x * 2;`" not in jumps


def test_repairs_that_silence_the_check_come_last(tmp_path: Path) -> None:
    found = api.repair(make_options(written(tmp_path, SQUARE))).to_dict()["methods"]["repair"]["repairs"]
    flags = [r["silences"] for r in found]
    assert found
    assert flags == sorted(flags)
    assert not flags[0]
    assert all(("only silences the check" in r["label"]) == r["silences"] for r in found)


@pytest.mark.slow
def test_where_nothing_else_helps_they_are_offered_and_say_so(tmp_path: Path) -> None:
    body = """
int main(void) {
    puts("start");
    assert(sizeof(int) == 3);
    return 0;
}
"""
    found = api.repair(make_options(written(tmp_path, body))).to_dict()["methods"]["repair"]["repairs"]
    assert all(r["silences"] for r in found)
