"""From a decision that should go another way to an input that makes it so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from butfor.concolic.guessed_solutions import guess
from butfor.concolic.path_condition import PathCondition
from butfor.concolic.search_inputs import Input, changed
from butfor.logic.selector_problem import Problem
from butfor.logic.solvers import Limit, Solver, SolverResult, Verdict
from butfor.logic.terms import Term, conjunction, postorder

_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Answer:
    """The input, if one was found; `is_final` when there is certainly none. `is_bounded` when only bounds of the search forbid it."""

    found: Input | None
    is_final: bool = False
    is_bounded: bool = False


class Names:
    """The variables of terms, remembered."""

    def __init__(self) -> None:
        self._known: dict[Term, frozenset[str]] = {}
        self._done: set[Term] = set()

    def of(self, term: Term) -> frozenset[str]:
        """Names of the variables in a term."""
        for t in postorder((term,), self._done):
            if t.op == "var":
                self._known[t] = frozenset((str(t.data),))
            else:
                parts = {self._known[a] for a in t.args} - {_NONE}
                self._known[t] = next(iter(parts)) if len(parts) == 1 else _NONE.union(*parts)
        return self._known[term]


def solve(
    path: PathCondition, given: Input, before: int, goal: Term, names: Names, solver: Solver, limit: Limit
) -> Answer:
    """An input for which the first `before` decisions go as in the run and then the goal holds. Decisions about other variables are left out."""
    for with_pinned in (True, False):
        needed = _related(path, before, goal, names, with_pinned)
        wanted = _NONE.union(*(names.of(t) for t in (*needed, goal)))
        bounds = [t for name, t in path.bounds.items() if name in wanted]
        guessed = guess(goal, (*bounds, *needed), path.values)
        if guessed is not None:
            return Answer(changed(given, guessed, path.fields))
        result: SolverResult[None] = solver.check(Problem((), conjunction((*bounds, *needed, goal))), limit)
        if result.verdict is Verdict.SAT:
            model = {name: value for name, value in result.model.items() if path.values.get(name) != value}
            return Answer(changed(given, model, path.fields))
        if result.verdict is Verdict.UNKNOWN:
            return Answer(None)
        if not any(d.is_pinned for d in path.decisions[:before]):
            break
    return Answer(None, is_final=True, is_bounded=bool(bounds))


def _related(path: PathCondition, before: int, goal: Term, names: Names, with_pinned: bool) -> Sequence[Term]:
    """The decisions that share variables with the goal, directly or through others."""
    left = [(d.held, names.of(d.held)) for d in path.decisions[:before] if with_pinned or not d.is_pinned]
    wanted = set(names.of(goal))
    chosen: list[Term] = []
    while True:
        rest = []
        for held, used in left:
            if used & wanted:
                chosen.append(held)
                wanted |= used
            else:
                rest.append((held, used))
        if len(rest) == len(left):
            return chosen
        left = rest
