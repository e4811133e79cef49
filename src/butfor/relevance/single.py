"""Whether a change of one statement alone can avoid the failure of a path: values by guess, then by the solver."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping, Sequence

from butfor.encode.fold import Folding
from butfor.encode.sorts import INT, REAL, Value, default_value, is_map
from butfor.encode.terms import FALSE, Evaluator, Term, constant, disjunction, negate, postorder, variables
from butfor.relevance.alone import OPEN, Needed, Rerun
from butfor.relevance.possible import Change
from butfor.solve import Limit, Verdict, default_stack

_MOST_WORK = 3000  # terms that are computed in guesses at one condition
_MOST_VARIABLES = 4  # of a condition, the latest, that are guessed at
_MOST_CONSTANTS = 12


class Avoiding(enum.Enum):
    """Whether a change can avoid a failure. POSSIBLE: it depends on what the path does not tell."""

    PROVED = "proved"
    POSSIBLE = "possible"
    NO = "no"
    UNKNOWN = "unknown"

    @property
    def can(self) -> bool:
        """Whether it can, as far as is known."""
        return self in (Avoiding.PROVED, Avoiding.POSSIBLE)


def avoiding(rerun: Rerun, change: Change, limit: Limit) -> Avoiding:
    """Whether the change can avoid the failure."""
    pending: list[Needed] = []
    possible = False
    for needed in rerun.needed(change):
        found = _guess(needed)
        if found is FALSE:
            return Avoiding.PROVED
        possible = possible or found is not None
        pending.append(needed)
    if not pending:
        return Avoiding.NO
    closed = [n.condition for n in pending if not n.is_open]
    verdict, values = _ask(closed, limit) if closed else (Verdict.UNSAT, {})
    if verdict is Verdict.SAT:
        return Avoiding.PROVED
    if len(closed) == len(pending):
        return Avoiding.NO if verdict is Verdict.UNSAT else Avoiding.UNKNOWN
    everything = [n.condition for n in pending]
    verdict, values = _ask(everything, limit)
    if verdict is Verdict.SAT:
        return Avoiding.PROVED if _whatever(everything, values, limit) else Avoiding.POSSIBLE
    if possible:
        return Avoiding.POSSIBLE
    return Avoiding.NO if verdict is Verdict.UNSAT else Avoiding.UNKNOWN


# --- by the solver ----------------------------------------------------------------------------------------------------------


def _violated(conditions: Sequence[Term]) -> Term:
    return disjunction(map(negate, conditions))


def _ask(conditions: Sequence[Term], limit: Limit) -> tuple[Verdict, Mapping[str, Value]]:
    """Whether one of the conditions can be violated, and with which values."""
    goal = _violated(conditions)
    result = default_stack().check([(goal,)], limit, variables((goal,)))
    return result.verdict, result.model


def _whatever(conditions: Sequence[Term], values: Mapping[str, Value], limit: Limit) -> bool:
    """Whether one of the conditions is violated with these values, whatever nothing determines."""
    goal = _violated(conditions)
    chosen = {str(v.data): v for v in variables((goal,)) if not str(v.data).startswith(OPEN)}
    rest = Folding({n: constant(values.get(n, default_value(v.width)), v.width) for n, v in chosen.items()})(negate(goal))
    return rest is FALSE or default_stack().check([(rest,)], limit).verdict is Verdict.UNSAT


# --- by guess ---------------------------------------------------------------------------------------------------------------


def _guess(needed: Needed) -> Term | None:
    """What is left of the condition with values that violate it: FALSE if that is sure; None when none were found."""
    if needed.condition is FALSE:
        return FALSE
    terms = list(postorder((needed.condition,)))
    if len(terms) > _MOST_WORK // 4:
        return None
    seen = [t for t in terms if t.op == "var"]
    free = [v for v in seen if not str(v.data).startswith(OPEN)]
    constants = [t.data for t in terms if t.op in ("const", "number") and t.data is not None][:_MOST_CONSTANTS]
    base = {str(v.data): needed.recorded.get(str(v.data), default_value(v.width)) for v in seen}
    best: Term | None = None
    work = 0
    for v in free[-_MOST_VARIABLES:]:
        name = str(v.data)
        for value in _near(base[name], v.width, constants):
            work += len(terms)
            if work > _MOST_WORK:
                return best
            if Evaluator({**base, name: value})(needed.condition):
                continue
            values = {**base, name: value}
            best = Folding({str(f.data): constant(values[str(f.data)], f.width) for f in free})(needed.condition)
            if best is FALSE:
                return FALSE
    return best


def _near(value: Value, sort: int, constants: Sequence[Value]) -> Iterator[Value]:
    """Other values, plain ones first."""
    if is_map(sort):
        return
    if sort == 0:
        yield 1 - value
        return
    tried = [value + 1, value - 1, 0, 1, -1, *(c + d for c in constants for d in (0, 1, -1))]
    if sort not in (INT, REAL):
        top = 1 << sort
        tried = [int(t) % top for t in (*tried, top >> 1, (top >> 1) - 1)]
    elif sort == INT:
        tried = [t for t in tried if t == int(t)]
    yield from (t for t in dict.fromkeys(tried) if t != value)
