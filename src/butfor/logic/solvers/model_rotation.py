"""Groups of a core that cannot be left out, found by evaluation instead of a solver.

A model of all groups but one shows that this one is needed. Where groups are assignments, such a model is easily tried:
the variable gets another value, and all that depends on it is computed again, until the goal holds. And a model can be
rotated: the violated assignment is made to hold by giving its variable the value that it computes, which violates those
that read the variable, and so on. Whenever exactly one group is violated, that one is needed too; and so is the one
that defines its guard, if all would hold were the guard false. So one model is often enough for all rounds of a loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from heapq import heapify, heappop, heappush
from typing import Any

from butfor.logic.evaluate import Evaluator
from butfor.logic.solvers.solver import Problem
from butfor.logic.sorts import INT, Value, default_value, is_map
from butfor.logic.terms import Term, variables

MAX_RELEASED_TRIED = 3  # assignments that no longer take place, whose variables are then free

Values = dict[str, Value]


class ModelRotation:
    """Models of one problem without single groups."""

    def __init__(self, problem: Problem[Any], active: set[int]) -> None:
        self.groups = [terms for _, terms in problem.groups]
        self.goal = problem.goal
        self.active = active
        self._in_goal = {str(v.data) for v in variables((problem.goal,))}
        self._sorts = {str(v.data): v.width for v in problem.variables()}
        self._readers: dict[str, list[int]] = {}
        for number in sorted(active):
            for v in variables(self.groups[number]):
                self._readers.setdefault(str(v.data), []).append(number)

    def needed(self, is_over: Callable[[], bool]) -> set[int]:
        """The active groups that are needed, as far as models were found."""
        found: set[int] = set()
        base = self._base()
        for number in sorted(self.active) if base is not None else ():
            if is_over():
                break
            model = self._model(base or {}, number) if number not in found else None
            if model is not None:
                found |= self.rotated(model, number)
        return found

    # --- models -------------------------------------------------------------------------------------------------------

    def _base(self) -> Values | None:
        """Values that all groups compute from what the goal says of the start; None when one of them does not hold."""
        now: Values = {name: default_value(sort) for name, sort in self._sorts.items()}
        for part in self.goal.args if self.goal.op == "all" else (self.goal,):
            self._assign(part, now)
        for number in sorted(self.active):
            if self._fixed(number, now) is None or not self._holds(number, now):
                return None
        return now

    def _model(self, base: Values, left_out: int) -> Values | None:
        """Values with which all other groups and the goal hold."""
        for term in self.groups[left_out]:
            assigned = _assignment(term)
            if assigned is None:
                continue
            name = str(assigned[0].data)
            for value in _others(base[name], self._sorts[name]):
                now = {**base, name: value}
                released = self._propagated(now, {name}, left_out)
                if released is None:
                    continue
                if Evaluator(now)(self.goal):
                    return now
                found = self._with_released(now, released, left_out)
                if found is not None:
                    return found
        return None

    def _with_released(self, now: Values, released: list[str], left_out: int) -> Values | None:
        """Values with which the goal holds, where variables have become free."""
        for name in released[-MAX_RELEASED_TRIED:]:
            for value in _others(now[name], self._sorts[name]):
                tried = {**now, name: value}
                if self._propagated(tried, {name}, left_out) is not None and Evaluator(tried)(self.goal):
                    return tried
        return None

    def _propagated(self, now: Values, changed: set[str], left_out: int) -> list[str] | None:
        """The variables that became free when all other groups were computed again; None when one cannot hold."""
        queue = [r for name in changed for r in self._readers.get(name, ())]
        heapify(queue)
        released: list[str] = []
        last = -1
        while queue:
            number = heappop(queue)
            if number in (last, left_out):
                continue
            if number < last:  # it is decided already
                return None
            last = number
            new = self._fixed(number, now)
            if new is None or not self._holds(number, now):
                return None
            for name in new:
                for reader in self._readers[name]:
                    heappush(queue, reader)
            released += self._free(number, now)
        return released

    def _free(self, number: int, now: Values) -> Iterator[str]:
        """The variables of a group that are not assigned because its guard is false."""
        for term in self.groups[number]:
            assigned = _assignment(term)
            if term.op == "any" and assigned is not None and any(not now[flag] for flag in _flags(term)):
                yield str(assigned[0].data)

    # --- rotation -----------------------------------------------------------------------------------------------------

    def rotated(self, model: Mapping[str, Value], left_out: int) -> set[int]:
        """The groups that are needed, as a model of all but one of them shows when it is rotated."""
        now = dict(model)
        violated, queue = {left_out}, [left_out]
        found: set[int] = {left_out}
        fixed: set[int] = set()
        while queue:
            number = heappop(queue)
            if number not in violated:
                continue
            if number in fixed:  # it is violated again: the variable of another group decides about it
                return found
            fixed.add(number)
            if len(violated) == 1:
                found.add(number)
                found |= self._guards(number, now)
            changed = self._fixed(number, now)
            if changed is None or (self._in_goal & changed and not Evaluator(now)(self.goal)):
                return found
            for reader in {number, *(r for name in changed for r in self._readers[name])}:
                if self._holds(reader, now):
                    violated.discard(reader)
                else:
                    violated.add(reader)
                    heappush(queue, reader)
        return found

    def _guards(self, number: int, now: Values) -> set[int]:
        """The groups that define the flags under which the only violated group holds, where none but them is needed."""
        found: set[int] = set()
        for flag in {flag for term in self.groups[number] for flag in _flags(term) if now[flag]} - self._in_goal:
            now[flag] = 0
            violated = [r for r in {number, *self._readers[flag]} if not self._holds(r, now)]
            found.update(violated if len(violated) == 1 else ())
            now[flag] = 1
        return found

    # --- groups -------------------------------------------------------------------------------------------------------

    def _holds(self, number: int, now: Values) -> bool:
        return all(Evaluator(now)(t) for t in self.groups[number])

    def _fixed(self, number: int, now: Values) -> set[str] | None:
        """The variables that got the values which a group assigns; None when it assigns nothing and is wrong."""
        changed = set()
        for term in self.groups[number]:
            if not Evaluator(now)(term):
                name = self._assign(term, now)
                if name is None:
                    return None
                changed.add(name)
        return changed

    def _assign(self, term: Term, now: Values) -> str | None:
        """The variable that a term assigns, which now has its new value."""
        assigned = _assignment(term)
        if assigned is None:
            return None
        name = str(assigned[0].data)
        now[name] = Evaluator(now)(assigned[1])
        return name


def _others(value: Value, sort: int) -> Iterator[Value]:
    """Other values that are tried."""
    if sort == 0:
        yield 1 - value
    elif sort > 0:
        top = (1 << sort) - 1
        yield from ((value + 1) & top, (value - 1) & top, 0 if value else top)
    elif not is_map(sort) and sort == INT:
        yield from (value + 1, value - 1)


def _flags(term: Term) -> list[str]:
    """The flags that a group holds without, if one of them is 0."""
    parts = [a.args[0] for a in term.args if a.op == "not"] if term.op == "any" else []
    return [str(p.data) for part in parts for p in (part.args if part.op == "all" else (part,)) if p.op == "var"]


def _assignment(term: Term) -> tuple[Term, Term] | None:
    """The variable that a group assigns, under a condition or not, and its value."""
    if term.op == "any" and term.args:
        term = term.args[-1]
    if term.op != "eq":
        return None
    variable, value = term.args
    return (variable, value) if variable.op == "var" and variable not in variables((value,)) else None
