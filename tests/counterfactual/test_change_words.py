"""Changes that nobody could have meant are not spoken of; they still count as evidence."""

from __future__ import annotations

from pathlib import Path

from butfor.counterfactual.change_candidates import ChangeCandidates
from butfor.counterfactual.change_rules import Op
from butfor.counterfactual.change_words import ChangeWords
from butfor.counterfactual.rerun import start_experiment
from butfor.counterfactual.variables_in_scope import VariablesInScope
from tests.small import case_of, recorded

PROGRAM = """
struct event { int when; char kind; };
static int half(int value, int least) {
    int other = least + 1;
    return value > other ? half(value / 2, least) : value;
}
int main(void) {
    struct event e = {0, '+'};
    int now = 7, steps = 0;
    e.when = now;
    steps++;
    if (e.kind == '-')
        steps = 2;
    assert(half(now + e.when, 3) + steps == 0);
    return 0;
}
"""


def _spoken(folder: Path) -> list[str]:
    """The clauses of the changes that may be told."""
    case = case_of(recorded(folder, PROGRAM))
    words = ChangeWords(case.places)
    with start_experiment(case.recording, case.point, None, checked=False) as (build, running):
        seen = running.observe().observations
    candidates = ChangeCandidates(VariablesInScope(case.recording.program), seen)
    every = [c for site in build.sites for c in candidates.at(site)]
    assert {Op.NEGATE, Op.COMPOUND, Op.LOCAL, Op.PLUS_LOCAL} <= {c.rule.op for c in every}
    return [words.clause(c) for c in every if words.is_sensible(c)]


def test_what_is_told_could_have_been_meant(tmp_path: Path) -> None:
    told = _spoken(tmp_path)
    assert told
    absurd = (
        "`steps++` been negated",
        "`steps++` been `",
        "changed by `*=`",
        "changed by `-=`",
        "`e.kind` been negated",
        "from `return ",
        "to `return ",
    )
    assert not [clause for clause in told if any(part in clause for part in absurd)]
    assert any("been 1 more" in clause for clause in told)
