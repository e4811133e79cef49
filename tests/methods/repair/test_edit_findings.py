"""What edits say about the statements they change."""

from __future__ import annotations

from dataclasses import replace

from butfor.explanation import Evidence
from butfor.methods.repair.edit_findings import edit_strength, repair_findings
from butfor.methods.repair.repair_model import Proposal, Repair
from butfor.methods.repair.trial_runs import Tally
from butfor.source.edits import Edit
from butfor.trace.view.source_places import Place


def place(line: int) -> Place:
    """A statement."""
    return Place("p.c", line, 1, "f", f"x = {line};", "expression", "p.c")


def proposal(line: int, weight: float = 12.0, *, skips: bool = False) -> Proposal:
    """An edit of the statement on a line."""
    return Proposal(
        (Edit("p.c", 10 * line, 10 * line + 1, b"y"),),
        f"`y` in line {line}",
        weight,
        place(line),
        "variable",
        skips=skips,
    )


def repair(line: int, weight: float = 12.0, *, skips: bool = False, differs: int = 0, similar: int = 0) -> Repair:
    """An edit with which the only failing run does not fail."""
    return Repair(proposal(line, weight, skips=skips), Tally(fixed=1, differs=differs, similar=similar), 1, 0)


def test_one_finding_for_each_statement_with_its_best_edit() -> None:
    found = repair_findings([repair(3, 8.0), repair(3, 20.0), repair(5, 12.0)], gives_output=False)
    assert [f.place.line for f in found] == [3, 5]
    assert found[0].score > found[1].score
    assert all(f.evidence is Evidence.REPLAYED for f in found)
    assert found[0].reason == "with `y` in line 3, the run would not have failed"


def test_what_changes_other_inputs_or_leaves_something_out_says_less() -> None:
    plain = edit_strength(repair(3, differs=0, similar=10))
    assert edit_strength(repair(3, differs=10, similar=10)) < edit_strength(repair(3)) < plain
    assert edit_strength(repair(3, skips=True, similar=10)) < plain


def test_where_many_edits_help_one_of_them_says_little() -> None:
    (alone,) = repair_findings([repair(3)], gives_output=False)
    crowd = repair_findings([repair(line) for line in range(1, 20)], gives_output=False)
    assert len(crowd) == 19
    assert all(f.score < alone.score for f in crowd)


def test_tests_decide() -> None:
    def judged(fixed: int, kept: int) -> float:
        return edit_strength(Repair(proposal(3), Tally(fixed=fixed, kept=kept), 3, 10))

    assert judged(3, 10) > judged(3, 9) > judged(2, 9) > judged(2, 1)


def test_what_is_put_between_two_statements_names_both() -> None:
    between = replace(proposal(3), near=(place(4), place(3), place(4)))
    (found,) = repair_findings([Repair(between, Tally(fixed=1), 1, 0)], gives_output=True)
    assert [(a.line, a.why) for a in found.also] == [(4, "an edit that helps stands beside this too: x = 4;")]


def test_an_edit_that_gives_the_expected_output_is_told_so() -> None:
    alone = Repair(proposal(3), Tally(fixed=1), 1, 0)
    (fails,) = repair_findings([alone], gives_output=False)
    (writes,) = repair_findings([alone], gives_output=True)
    assert "the run would not have failed" in fails.reason
    assert "the output would have been right" in writes.reason
