"""Solver queries of a path: whether it is feasible, and whether a check can be violated on it."""

from __future__ import annotations

import time
from collections.abc import Mapping

from butfor.frontends.boogie.exploration_state import ExplorationState
from butfor.frontends.boogie.failing_path import ViolatedCheck, failing_path
from butfor.logic.solvers import Limit, SolverResult, Stack, Verdict
from butfor.logic.sorts import INT, REAL, Value
from butfor.logic.terms import FALSE, TRUE, Term, negate, number, order, postorder
from butfor.path.path_model import Kind
from butfor.trace.view.source_places import Place

Key = tuple[object, ...]
"""What tells one check from another."""

MAX_OTHER_PATHS = 7  # to one check: more of them rarely tell more
_SMALL_MAGNITUDES = (3, 20, 1000)  # tried in this order: small numbers are easier to read
_MAX_SECONDS_PER_QUERY = 3.0  # one hard query must not use up the budget
_MAX_SECONDS_PER_SMALL_MODEL = 1.0  # it is a convenience


class PathQueries:
    """Queries until the time `end`.

    `found` and `unknown` are shared with explorations up to other bounds; a check in `found` is not asked again.
    """

    def __init__(
        self, stack: Stack, pre: Term, end: float, found: dict[Key, ViolatedCheck], unknown: dict[str, None]
    ) -> None:
        self.stack = stack
        self.pre = pre
        self.end = end
        self.found = found
        self.unknown = unknown
        self.known = frozenset(found)
        self.reached: set[tuple[int, int]] = set()  # lines and columns of the checks that some path came to

    def _ask(self, state: ExplorationState, term: Term) -> tuple[SolverResult[None], tuple[Term, ...]]:
        state.flush()
        layer = (term,)
        limit = Limit(min(self.end, time.monotonic() + _MAX_SECONDS_PER_QUERY))
        return self.stack.check([*state.layers, layer], limit, state.sources.values()), layer

    def assume(self, state: ExplorationState, condition: Term) -> bool:
        """Whether the path is feasible with a condition over cells, which is assumed from now on."""
        value = state.now(condition)
        if value is TRUE or value is FALSE:
            return value is TRUE
        result, layer = self._ask(state, value)
        state.layers.append(layer)
        return result.verdict is not Verdict.UNSAT

    def check(self, state: ExplorationState, condition: Term, place: Place, message: str, key: Key) -> bool:
        """Whether the path can continue past a check; a violation is added to `found`."""
        self.reached.add((place.line, place.column))
        value = state.now(condition)
        if value is not TRUE and key not in self.known:
            result, _ = self._ask(state, negate(value))
            if result.verdict is Verdict.SAT:
                self._violated(state, result, condition, place, message, key)
            elif result.verdict is Verdict.UNKNOWN and time.monotonic() < self.end:
                self._unsure(place, message)
            elif result.verdict is Verdict.UNSAT:
                value = TRUE
        state.add(Kind.ASSUME, place, condition=condition)
        return value is TRUE or self.assume(state, condition)

    def _violated(
        self, state: ExplorationState, result: SolverResult[None], condition: Term, place: Place, message: str, key: Key
    ) -> None:
        best = self.found.get(key)
        is_shorter = best is None or len(state.instances) < len(best.path.instances)
        if best is not None and not is_shorter and len(best.others) >= MAX_OTHER_PATHS:
            return
        model = self._small(state, negate(state.now(condition))) or result.model
        path = failing_path(state, {**model, **state.given}, self.pre, condition, place)
        if path is None:
            self._unsure(place, message)
        elif best is None:
            self.found[key] = ViolatedCheck(path, message)
        else:
            first, *rest = (path, best.path) if is_shorter else (best.path, path)
            others = sorted((*best.others, *rest), key=lambda p: len(p.instances))
            self.found[key] = ViolatedCheck(first, message, tuple(others[:MAX_OTHER_PATHS]))

    def _small(self, state: ExplorationState, violation: Term) -> Mapping[str, Value] | None:
        """Inputs of small magnitude that violate a check; None where there are none."""
        layers = [*state.layers, (violation,)]
        outside = set(state.sources.values())
        numbers = [t for t in postorder(t for layer in layers for t in layer) if t.op == "select" or t in outside]
        for most in _SMALL_MAGNITUDES:
            near = [order("le", *pair) for t in numbers if t.width in (INT, REAL) for pair in _between(t, most)]
            if not near or time.monotonic() >= self.end:
                return None
            result = self.stack.check(
                [*layers, tuple(near)],
                Limit(min(self.end, time.monotonic() + _MAX_SECONDS_PER_SMALL_MODEL)),
                state.sources.values(),
            )
            if result.verdict is Verdict.SAT:
                return result.model
        return None

    def _unsure(self, place: Place, message: str) -> None:
        self.unknown[f"line {place.line}: the solver could not decide on some path: {message}"] = None


def _between(t: Term, most: int) -> tuple[tuple[Term, Term], tuple[Term, Term]]:
    return (number(-most, t.width), t), (t, number(most, t.width))
