"""Whether a change of one statement alone can avoid the failure of a path: by guesses, then by a solver."""

from __future__ import annotations

import enum
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from butfor.logic.evaluate import Evaluator
from butfor.logic.simplify import ALGEBRA
from butfor.logic.solvers import Limit, Verdict, default_stack
from butfor.logic.sorts import INT, REAL, Value, default_value, is_map
from butfor.logic.substitute import Substitution
from butfor.logic.terms import FALSE, Term, constant, disjunction, negate, postorder, variables
from butfor.path.execute.single_change_rerun import NeededCondition, OutOfTime, SingleChangeRerun
from butfor.path.execute.statement_changes import Change
from butfor.path.execute.value_domains import OPEN

MAX_TERMS_GUESSED = 40_000  # computed in guesses at all conditions; then the solver is asked
MAX_TERMS_PER_CONDITION = 3_000  # computed in guesses at one condition
MAX_RANDOM_TRIALS = 40  # with random values for all variables at once
MAX_VARIABLES_GUESSED = 4  # of one condition, the latest: they are nearest to the change
MAX_CONSTANTS_TRIED = 12  # of one condition, as values of variables


class Avoidance(enum.Enum):
    """Whether a change can avoid a failure. POSSIBLE: it depends on what the path does not tell."""

    PROVED = "proved"
    POSSIBLE = "possible"
    NO = "no"
    UNKNOWN = "unknown"

    @property
    def can(self) -> bool:
        """Whether it can, as far as is known."""
        return self in (Avoidance.PROVED, Avoidance.POSSIBLE)


@dataclass(frozen=True, slots=True)
class ChangeVerdict:
    """Whether a change can avoid a failure, and with which values of its variables; the others are as recorded."""

    avoidance: Avoidance
    values: Mapping[str, Value] = field(default_factory=dict)


def can_avoid(rerun: SingleChangeRerun, change: Change, limit: Limit, proving: Limit | None = None) -> ChangeVerdict:
    """Whether the change can avoid the failure. `proving`: until when what is possible may also be proved."""
    try:
        return _can_avoid(rerun, change, limit, proving)
    except OutOfTime:
        return ChangeVerdict(Avoidance.UNKNOWN)


def _can_avoid(rerun: SingleChangeRerun, change: Change, limit: Limit, proving: Limit | None) -> ChangeVerdict:
    pending: list[NeededCondition] = []
    possible: Mapping[str, Value] | None = None
    work = MAX_TERMS_GUESSED
    for needed in rerun.needed(change, lambda: limit.left <= 0):
        pending.append(needed)
        if work > 0 and not (possible is not None and needed.is_open):
            rest, values, done = _guess(needed)
            work -= done
            if rest is FALSE:
                return ChangeVerdict(Avoidance.PROVED, values)
            possible = possible if possible is not None or rest is None else values
    if not pending:
        return ChangeVerdict(Avoidance.NO)
    closed = [n.condition for n in pending if not n.is_open]
    found = _tried_at_random([n.condition for n in pending], frozenset(closed), pending[-1].recorded)
    if found.avoidance is Avoidance.PROVED:
        return found
    if possible is None and found.avoidance is Avoidance.POSSIBLE:
        possible = found.values
    verdict, values = _ask(closed, limit) if closed else (Verdict.UNSAT, {})
    if verdict is Verdict.SAT:
        return ChangeVerdict(Avoidance.PROVED, values)
    if len(closed) == len(pending):
        return ChangeVerdict(Avoidance.NO if verdict is Verdict.UNSAT else Avoidance.UNKNOWN)
    everything = [n.condition for n in pending]
    if possible is not None and (proving is None or proving.left <= 0):
        return ChangeVerdict(Avoidance.POSSIBLE, possible)
    verdict, values = _ask(everything, limit)
    if verdict is Verdict.SAT:
        is_proved = _whatever_is_open(everything, values, limit)
        return ChangeVerdict(Avoidance.PROVED if is_proved else Avoidance.POSSIBLE, values)
    if possible is not None:
        return ChangeVerdict(Avoidance.POSSIBLE, possible)
    return ChangeVerdict(Avoidance.NO if verdict is Verdict.UNSAT else Avoidance.UNKNOWN)


# --- by the solver ----------------------------------------------------------------------------------------------------


def _violated(conditions: Sequence[Term]) -> Term:
    return disjunction(map(negate, conditions))


def _ask(conditions: Sequence[Term], limit: Limit) -> tuple[Verdict, Mapping[str, Value]]:
    """Whether one of the conditions can be violated, and with which values."""
    goal = _violated(conditions)
    result = default_stack().check([(goal,)], limit, variables((goal,)))
    return result.verdict, result.model


def _whatever_is_open(conditions: Sequence[Term], values: Mapping[str, Value], limit: Limit) -> bool:
    """Whether one of the conditions is violated with these values, whatever the open variables are."""
    goal = _violated(conditions)
    chosen = {str(v.data): v for v in variables((goal,)) if not str(v.data).startswith(OPEN)}
    rest = Substitution(
        {n: constant(values.get(n, default_value(v.width)), v.width) for n, v in chosen.items()}, ALGEBRA
    )(negate(goal))
    return rest is FALSE or default_stack().check([(rest,)], limit).verdict is Verdict.UNSAT


# --- by guess ---------------------------------------------------------------------------------------------------------


def _guess(needed: NeededCondition) -> tuple[Term | None, Mapping[str, Value], int]:
    """What is left of the condition with values that violate it, these values, and how many terms were computed.

    FALSE when it is violated whatever the open variables are, None when no values were found.
    """
    if needed.condition is FALSE:
        return FALSE, {}, 0
    terms = list(postorder((needed.condition,)))
    if len(terms) > MAX_TERMS_PER_CONDITION // 4:
        return None, {}, len(terms)
    seen = [t for t in terms if t.op == "var"]
    free = [v for v in seen if not str(v.data).startswith(OPEN)]
    constants = [t.data for t in terms if t.op in ("const", "number") and t.data is not None][:MAX_CONSTANTS_TRIED]
    base = {str(v.data): needed.recorded.get(str(v.data), default_value(v.width)) for v in seen}
    best: Term | None = None
    found: Mapping[str, Value] = {}
    work = 0
    for v in free[-MAX_VARIABLES_GUESSED:]:
        name = str(v.data)
        for value in _plain_values(base[name], v.width, constants):
            work += len(terms)
            if work > MAX_TERMS_PER_CONDITION:
                return best, found, work
            if Evaluator({**base, name: value})(needed.condition):
                continue
            values = {**base, name: value}
            found = {str(f.data): values[str(f.data)] for f in free}
            best = Substitution({str(f.data): constant(values[str(f.data)], f.width) for f in free}, ALGEBRA)(
                needed.condition
            )
            if best is FALSE:
                return FALSE, found, work
    return best, found, work


def _tried_at_random(
    conditions: Sequence[Term], closed: frozenset[Term], recorded: Mapping[str, Value]
) -> ChangeVerdict:
    """What random values for all variables at once show.

    A violated condition without open variables is a proof; UNKNOWN when no condition was violated.
    """
    terms = list(postorder(conditions))
    constants = [t.data for t in terms if t.op in ("const", "number") and t.data is not None][-MAX_CONSTANTS_TRIED:]
    seen = [t for t in terms if t.op == "var"]
    was = {str(v.data): recorded.get(str(v.data), default_value(v.width)) for v in seen}
    other = {str(v.data): list(_plain_values(was[str(v.data)], v.width, constants)) or [was[str(v.data)]] for v in seen}
    pick = random.Random(0)
    found = ChangeVerdict(Avoidance.UNKNOWN)
    for trial in range(min(MAX_RANDOM_TRIALS, MAX_TERMS_GUESSED // max(len(terms), 1))):
        share = (trial + 1) / MAX_RANDOM_TRIALS
        values = {name: pick.choice(other[name]) if pick.random() < share else value for name, value in was.items()}
        holds = Evaluator(values)
        violated = [c for c in conditions if not holds(c)]
        if not closed.isdisjoint(violated):
            return ChangeVerdict(Avoidance.PROVED, values)
        if violated:
            found = ChangeVerdict(Avoidance.POSSIBLE, values)
            if not closed:
                return found
    return found


def _plain_values(value: Value, sort: int, constants: Sequence[Value]) -> Iterator[Value]:
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
