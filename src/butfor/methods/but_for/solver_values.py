"""Values that the solver proposes: what a statement would have had to assign for the failing path not to fail. Runs of the program decide."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from butfor.logic.fold import Folding
from butfor.logic.solvers import Limit, Verdict, default_stack
from butfor.logic.sorts import default_value
from butfor.logic.terms import FALSE, Term, constant, negate, variables
from butfor.path.execute.single_change_rerun import OutOfTime, Rerun
from butfor.path.execute.statement_changes import plain_changes
from butfor.path.execute.symbolic_execution import OPEN
from butfor.path.path_model import Kind, Path
from butfor.trace.view.c_values import signed
from butfor.trace.view.source_places import Place

_EACH = 0.3  # seconds for one question
_MOST = 40  # statements that are asked about, those nearest to the failure first
_WIDEST = 64


def solved_values(path: Path, is_over: Callable[[], bool]) -> Iterator[tuple[Place, int]]:
    """Statements that assign an integer, each with a value for its last assignment with which the path meets its check, or is left."""
    rerun = Rerun(path)
    changes = sorted(plain_changes(path).values(), key=lambda c: -max(c.on, default=-1))
    for change in changes[:_MOST]:
        last = max(change.on, default=-1)
        if is_over():
            return
        if last < 0 or path.instances[last].kind is not Kind.ASSIGN:
            continue
        widths = [cell.sort for cell, _ in path.instances[last].writes]
        if len(widths) != 1 or not 0 < widths[0] <= _WIDEST:
            continue
        try:
            needed = [_closed(n.condition) for n in rerun.needed(change, is_over)]
        except OutOfTime:
            return
        value = _value(needed, widths[0], is_over)
        if value is not None:
            yield change.place, value


def _closed(condition: Term) -> Term:
    """The condition with zeros for what nothing determines: a guess, as the value that follows from it is."""
    opened = {
        str(v.data): constant(default_value(v.width), v.width)
        for v in variables((condition,))
        if str(v.data).startswith(OPEN)
    }
    return Folding(opened)(condition) if opened else condition


def _value(needed: Sequence[Term], bits: int, is_over: Callable[[], bool]) -> int | None:
    """A value that violates what the failure needs: the last of it, which is the check itself, or any."""
    for wanted in (needed[-1:], *([condition] for condition in needed[:-1][:3])):
        goals = [negate(c) for c in wanted if c is not FALSE]
        chosen = [v for v in variables(goals) if v.width == bits]
        if not chosen:
            continue
        result = default_stack().check([tuple(goals)], Limit.after(_EACH, is_over), chosen)
        if result.verdict is Verdict.SAT:
            found = result.model.get(str(chosen[-1].data))
            return None if found is None else signed(int(found), bits)
    return None
