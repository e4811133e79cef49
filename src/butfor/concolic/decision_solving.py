"""Solving for an input that gives a decision another outcome: guesses first, then a solver."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from butfor.concolic.path_condition import PathCondition
from butfor.concolic.search_inputs import ProgramInput, input_from_model
from butfor.logic.evaluate import Evaluator
from butfor.logic.solvers import Limit, Solver, SolverResult, Verdict
from butfor.logic.solvers.solver import Problem
from butfor.logic.terms import Term, conjunction, postorder

_NO_NAMES: frozenset[str] = frozenset()
_MAX_GUESSING_WORK = 4000  # terms evaluated; a solver is faster from there on
_MAX_GUESSED_VARIABLES = 4  # with more, changing one is rarely enough
_WORK_PER_NEEDED_TERM = 4  # an estimate
_READABLE = b"a0A1 \n-+.,z9Z" + bytes(range(33, 127))
_BYTES_IN_ORDER = tuple(dict.fromkeys((*_READABLE, *range(256))))


@dataclass(frozen=True, slots=True)
class SolvedInput:
    """The input, if one was found."""

    found: ProgramInput | None
    is_final: bool = False  # there is certainly none
    is_bounded: bool = False  # there may be one beyond the bounds of the search


class VariableNames:
    """The names of the variables in terms, with a memo for shared subterms."""

    def __init__(self) -> None:
        self._known: dict[Term, frozenset[str]] = {}
        self._done: set[Term] = set()

    def of(self, term: Term) -> frozenset[str]:
        """The names of the variables in a term."""
        for t in postorder((term,), self._done):
            if t.op == "var":
                self._known[t] = frozenset((str(t.data),))
            else:
                parts = {self._known[a] for a in t.args} - {_NO_NAMES}
                self._known[t] = next(iter(parts)) if len(parts) == 1 else _NO_NAMES.union(*parts)
        return self._known[term]


def solve(
    path: PathCondition, given: ProgramInput, before: int, goal: Term, solver: Solver, limit: Limit
) -> SolvedInput:
    """An input for which the first `before` decisions go as in the run and then the goal holds.

    Decisions that share no variable with the goal are left out.
    """
    names = VariableNames()
    for with_pinned in (True, False):
        needed = _related(path, before, goal, names, with_pinned)
        wanted = _NO_NAMES.union(*(names.of(t) for t in (*needed, goal)))
        bounds = [t for name, t in path.bounds.items() if name in wanted]
        guessed = guess(goal, (*bounds, *needed), path.values)
        if guessed is not None:
            return SolvedInput(input_from_model(given, guessed, path.fields))
        result: SolverResult[None] = solver.check(Problem((), conjunction((*bounds, *needed, goal))), limit)
        if result.verdict is Verdict.SAT:
            model = {name: value for name, value in result.model.items() if path.values.get(name) != value}
            return SolvedInput(input_from_model(given, model, path.fields))
        if result.verdict is Verdict.UNKNOWN:
            return SolvedInput(None)
        if not any(d.is_pinned for d in path.decisions[:before]):
            break
    return SolvedInput(None, is_final=True, is_bounded=bool(bounds))


def _related(path: PathCondition, before: int, goal: Term, names: VariableNames, with_pinned: bool) -> Sequence[Term]:
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


def guess(goal: Term, needed: Sequence[Term], values: Mapping[str, int]) -> dict[str, int] | None:
    """A change of one variable for which the goal and all of `needed` hold; None when guessing finds none."""
    terms = list(postorder((goal,)))
    variables = [t for t in terms if t.op == "var"]
    if not 0 < len(variables) <= _MAX_GUESSED_VARIABLES:
        return None
    constants = {int(t.data or 0) for t in terms if t.op == "const"}
    work = 0
    for v in variables:
        name = str(v.data)
        for value in _values_to_try(v, values[name], constants):
            work += len(terms)
            if work > _MAX_GUESSING_WORK:
                return None
            holds = Evaluator({**values, name: value})
            if holds(goal):
                work += _WORK_PER_NEEDED_TERM * len(needed)
                if all(holds(t) for t in needed):
                    return {name: value}
    return None


def _values_to_try(v: Term, now: int, constants: set[int]) -> Iterator[int]:
    """Values for a variable: for a byte readable ones first, for a number those nearest to zero."""
    if v.width <= 8:
        yield from (x for x in _BYTES_IN_ORDER if x < 1 << v.width and x != now)
        return
    mask = (1 << v.width) - 1
    near = {(c + d) & mask for c in (*constants, now, 0) for d in (-1, 0, 1)} | {
        1 << 31,
        (1 << 31) - 1,
        mask >> 1,
        (mask >> 1) + 1,
        mask,
    }
    near.discard(now)
    yield from sorted(near, key=lambda x: (_magnitude(x, v.width), x))


def _magnitude(x: int, width: int) -> int:
    return min(x, (1 << width) - x)
