"""Values with which the failing path would not fail, proposed by a solver; runs decide about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from butfor.logic.simplify import ALGEBRA
from butfor.logic.solvers import Limit, Verdict, default_stack
from butfor.logic.sorts import default_value
from butfor.logic.substitute import Substitution
from butfor.logic.terms import FALSE, Term, constant, negate, variables
from butfor.path.execute.single_change_rerun import OutOfTime, SingleChangeRerun
from butfor.path.execute.statement_changes import plain_changes
from butfor.path.execute.value_domains import OPEN
from butfor.path.path_model import Kind, Path
from butfor.trace.semantics.integers import signed
from butfor.trace.view.source_places import Place

SECONDS_PER_QUERY = 0.3  # a proposal is worth no more: the program decides
MAX_STATEMENTS = 40  # that are asked about, those nearest to the failure first
MAX_BITS = 64  # of an integer that a rule of a changed run can set
MAX_BRANCH_CONDITIONS = 3  # besides the check, that are tried to be violated


def solved_values(path: Path, is_over: Callable[[], bool]) -> Iterator[tuple[Place, int]]:
    """Statements with an integer for their last assignment with which the path meets its check or is left."""
    rerun = SingleChangeRerun(path)
    changes = sorted(plain_changes(path).values(), key=lambda c: -max(c.on, default=-1))
    for change in changes[:MAX_STATEMENTS]:
        last = max(change.on, default=-1)
        if is_over():
            return
        if last < 0 or path.instances[last].kind is not Kind.ASSIGN:
            continue
        widths = [cell.sort for cell, _ in path.instances[last].writes]
        if len(widths) != 1 or not 0 < widths[0] <= MAX_BITS:
            continue
        try:
            needed = [_with_zeros(n.condition) for n in rerun.needed(change, is_over)]
        except OutOfTime:
            return
        value = _value(needed, widths[0], is_over)
        if value is not None:
            yield change.place, value


def _with_zeros(condition: Term) -> Term:
    """The condition with zeros for values that nothing determines: a guess, like the value that follows from it."""
    opened = {
        str(v.data): constant(default_value(v.width), v.width)
        for v in variables((condition,))
        if str(v.data).startswith(OPEN)
    }
    return Substitution(opened, ALGEBRA)(condition) if opened else condition


def _value(needed: Sequence[Term], bits: int, is_over: Callable[[], bool]) -> int | None:
    """A value that violates a condition of the failure: the last one, which is the check itself, or another one."""
    for wanted in (needed[-1:], *([condition] for condition in needed[:-1][:MAX_BRANCH_CONDITIONS])):
        goals = [negate(c) for c in wanted if c is not FALSE]
        chosen = [v for v in variables(goals) if v.width == bits]
        if not chosen:
            continue
        result = default_stack().check([tuple(goals)], Limit.after(SECONDS_PER_QUERY, is_over), chosen)
        if result.verdict is Verdict.SAT:
            found = result.model.get(str(chosen[-1].data))
            return None if found is None else signed(int(found), bits)
    return None
