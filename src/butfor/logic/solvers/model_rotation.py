"""Groups of a core that cannot be left out, found by evaluation instead of a solver.

A model of all groups but one shows that this one is needed. Where groups are assignments, such a model is easily tried:
the variable gets another value, and all that depends on it is computed again, until the goal holds. And a model can be
rotated: the violated assignment is made to hold by giving its variable the value that it computes, which violates those
that read the variable, and so on. Whenever exactly one group is violated, that one is needed too; and so is the one
that defines its guard, if all would hold were the guard false. So one model is often enough for all rounds of a loop.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import islice
from typing import Any

from butfor.logic.evaluate import Evaluations
from butfor.logic.solvers.solver import Problem
from butfor.logic.sorts import Value, default_value
from butfor.logic.terms import COMPARISONS, Term, conjuncts, postorder, variables
from butfor.logic.variable_assignments import assignment, guard_flags, other_values

MAX_FREE_TRIED = 3  # variables whose assignments no longer take place, or that have none

Values = dict[str, Value]


class _Changed(Values):
    """Values that differ from others in a few places, without a copy of those."""

    def __init__(self, others: Mapping[str, Value]) -> None:
        super().__init__()
        self.others = others

    def __missing__(self, name: str) -> Value:
        return self.others[name]

    def having(self, name: str, value: Value) -> _Changed:
        """These values with another one."""
        found = _Changed(self.others)
        found.update(self)
        found[name] = value
        return found


def _names(terms: Iterable[Term]) -> list[str]:
    return [str(v.data) for v in variables(terms)]


@dataclass(frozen=True, slots=True)
class _Assigned:
    """What a term assigns: the name of the variable, its value, what that reads, and the flags it depends on."""

    name: str
    value: Term
    reads: tuple[str, ...]
    guards: tuple[str, ...]

    @staticmethod
    def of(term: Term, variable: Term, value: Term) -> _Assigned:
        """The assignment of a value to a variable by a term."""
        return _Assigned(str(variable.data), value, tuple(_names((value,))), tuple(guard_flags(term)))


class ModelRotation:
    """Models of one problem without single groups."""

    def __init__(self, problem: Problem[Any], active: set[int]) -> None:
        self.groups = [terms for _, terms in problem.groups]
        self.goal = problem.goal
        self.active = active
        self._in_goal = {str(v.data) for v in variables((problem.goal,))}
        self._evaluation = Evaluations()
        self._sorts = {str(v.data): v.width for v in problem.variables()}
        self._readers: dict[str, list[int]] = {}
        self._assigned: dict[Term, _Assigned | None] = {}
        self._writers: dict[str, list[_Assigned]] = {}
        for number in sorted(active):
            for v in variables(self.groups[number]):
                self._readers.setdefault(str(v.data), []).append(number)
            for term in self.groups[number]:
                assigned = self._assigned_by(term)
                if assigned is not None:
                    self._writers.setdefault(assigned.name, []).append(assigned)

    def needed(self, is_over: Callable[[], bool]) -> set[int]:
        """The active groups that are needed, as far as models were found."""
        found: set[int] = set()
        base = self._base()
        if base is not None:
            base = self._nearest_to_goal(base)
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
        for part in conjuncts(self.goal):
            self._assign(part, now)
        for number in sorted(self.active):
            if self._fixed(number, now) is None or not self._holds(number, now):
                return None
        return now

    def _nearest_to_goal(self, base: Values) -> Values:
        """The base with values of variables that no group assigns with which more parts of the goal hold."""
        given = {name for part in conjuncts(self.goal) if self._evaluation(part)(base) for name in _names((part,))}
        free = self._sorts.keys() - self._writers.keys() - given
        now = _Changed(base)
        for part in conjuncts(self.goal):
            if not self._evaluation(part)(now):
                now = self._with_free(now, free, (part,), -1) or now
        return {**base, **now}

    def _model(self, base: Values, left_out: int) -> _Changed | None:
        """Values with which all other groups and the goal hold."""
        for term in self.groups[left_out]:
            assigned = self._assigned_by(term)
            if assigned is None:
                continue
            name = assigned.name
            for value in self._other_values(_Changed(base), name, (self.goal,), left_out):
                now = _Changed(base).having(name, value)
                released = self._propagated(now, {name}, left_out)
                if released is None:
                    continue
                if self._evaluation(self.goal)(now):
                    return now
                found = self._with_free(now, set(released), (self.goal,), left_out)
                if found is not None:
                    return found
        return None

    def _with_free(self, now: _Changed, free: Collection[str], parts: Sequence[Term], left_out: int) -> _Changed | None:
        """Values with which some parts of the goal hold, where variables are free."""
        for name in islice(self._nearest(now, free, parts), MAX_FREE_TRIED):
            for value in self._other_values(now, name, parts, left_out):
                tried = now.having(name, value)
                if self._propagated(tried, {name}, left_out) is not None and self._all_hold(parts, tried):
                    return tried
        return None

    def _all_hold(self, terms: Iterable[Term], now: Values) -> bool:
        return all(self._evaluation(t)(now) for t in terms)

    def _other_values(self, now: _Changed, name: str, parts: Iterable[Term], left_out: int) -> Iterator[Value]:
        """Values to try for a free variable: plain ones, then those that parts of the goal need if it adds to them."""
        value, sort = now[name], self._sorts[name]
        yield from other_values(value, sort)
        if sort <= 0:
            return
        near = {1 << sort - 1, (1 << sort - 1) - 1}
        more = now.having(name, (value + 1) % (1 << sort))
        is_possible = self._propagated(more, {name}, left_out) is not None
        for x, y in self._compared_in(parts, now):
            one, other = self._evaluation(x)(now), self._evaluation(y)(now)
            near |= {one, other}
            slope = self._evaluation(x)(more) - one - (self._evaluation(y)(more) - other)
            near |= {value + (other - one) * slope} if is_possible and slope in (1, -1) else set()
        yield from sorted({(v + d) % (1 << sort) for v in near for d in (0, 1, -1)} - {value})

    def _compared_in(self, parts: Iterable[Term], now: Values) -> Iterator[tuple[Term, ...]]:
        """What is compared in parts that do not hold."""
        violated = [p for part in parts for p in conjuncts(part) if not self._evaluation(p)(now)]
        return (t.args for t in postorder(violated) if t.op in COMPARISONS and t.args[0].width > 0)

    def _nearest(self, now: Values, free: Collection[str], parts: Iterable[Term]) -> Iterator[str]:
        """Those of some variables on whose values violated parts of the goal depend, the nearest ones first."""
        work = deque(_names(p for part in parts for p in conjuncts(part) if not self._evaluation(p)(now)))
        seen = set(work)
        while work:
            name = work.popleft()
            if name in free:
                yield name
                continue
            for assigned in self._writers.get(name, ()):
                new = [n for n in assigned.reads if n not in seen]
                seen.update(new)
                work.extend(new)

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
            assigned = self._assigned_by(term)
            if assigned is not None and any(not now[flag] for flag in assigned.guards):
                yield assigned.name

    # --- rotation -----------------------------------------------------------------------------------------------------

    def rotated(self, model: Values, left_out: int) -> set[int]:
        """The groups that are needed, as a model of all but one of them shows when it is rotated."""
        now = _Changed(model)
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
            if changed is None or (self._in_goal & changed and not self._evaluation(self.goal)(now)):
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
        for flag in {flag for term in self.groups[number] for flag in guard_flags(term) if now[flag]} - self._in_goal:
            now[flag] = 0
            violated = [r for r in {number, *self._readers[flag]} if not self._holds(r, now)]
            found.update(violated if len(violated) == 1 else ())
            now[flag] = 1
        return found

    # --- groups -------------------------------------------------------------------------------------------------------

    def _holds(self, number: int, now: Values) -> bool:
        return all(self._evaluation(t)(now) for t in self.groups[number])

    def _fixed(self, number: int, now: Values) -> set[str] | None:
        """The variables that got the values which a group assigns; None when it assigns nothing and is wrong."""
        changed = set()
        for term in self.groups[number]:
            if not self._evaluation(term)(now):
                name = self._assign(term, now)
                if name is None:
                    return None
                changed.add(name)
        return changed

    def _assign(self, term: Term, now: Values) -> str | None:
        """The variable that a term assigns, which now has its new value."""
        assigned = self._assigned_by(term)
        if assigned is None:
            return None
        now[assigned.name] = self._evaluation(assigned.value)(now)
        return assigned.name

    def _assigned_by(self, term: Term) -> _Assigned | None:
        if term not in self._assigned:
            found = assignment(term)
            self._assigned[term] = None if found is None else _Assigned.of(term, *found)
        return self._assigned[term]
