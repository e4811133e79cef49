"""Whether a failure is avoided from some state on, as computation shows it: then no invariant of that state forces it.

A value that an invariant leaves open is changed, and the steps that it reaches are computed again. This needs a step of
the path only where it is reached, while a solver has to look at all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import islice

from butfor.logic.evaluate import Evaluations
from butfor.logic.sorts import Sort, Value, default_value
from butfor.logic.terms import Term, variables
from butfor.logic.variable_assignments import assignment, guard_flags, other_values
from butfor.methods.error_invariants.core_trace import CoreTrace
from butfor.methods.error_invariants.inductive_sequence import Atoms

MAX_FREE_TRIED = 3  # of the variables that become free: the last ones are those that the goal reads
MAX_STATES_TRIED = 12  # for one invariant: where so many lead to the failure, a solver is asked


class OtherRuns:
    """The steps of a core trace computed again from other states."""

    def __init__(self, core: CoreTrace) -> None:
        self.core = core
        self._evaluation = Evaluations()

    def avoids(self, position: int, atoms: Atoms, enough: Atoms) -> bool:
        """Whether a state was found in which atoms hold and from which the goal is reached.

        `enough` are atoms that force the failure: such a state violates one of them.
        """
        known = [self.core.at(position, a) for a in atoms]
        violated = [self.core.at(position, a) for a in enough if a not in atoms]
        states = islice(self._states(known, violated), MAX_STATES_TRIED)
        return any(self._reaches_goal(position, state, known) for state in states)

    def _states(self, known: Sequence[Term], violated: Sequence[Term]) -> Iterator[_Versions]:
        """States in which all of what is known holds, and one of the violated atoms does not."""
        for atom in violated:
            for v in variables((atom,)):
                name = str(v.data)
                for value in other_values(self._recorded[name], v.width):
                    now = self._recorded.changed(name, value)
                    if not self._holds(atom, now) and all(self._holds(a, now) for a in known):
                        yield now

    def _reaches_goal(self, position: int, now: _Versions, known: Sequence[Term]) -> bool:
        """Whether the goal holds behind the steps from a position on, computed where a changed value is read.

        What is assigned in arms that are not entered now is free: if need be, some of that gets other values too.
        """
        for term in self.core.flag_definitions(position):
            self._compute(term, now)
        free = self._run(position, now, set(now))
        if free is None or self._is_met(position, now, known):
            return free is not None
        for name in free[-MAX_FREE_TRIED:]:
            for value in other_values(now[name], self._sort(name)):
                tried = now.changed(name, value)
                if self._run(position, tried, {name}) is not None and self._is_met(position, tried, known):
                    return True
        return False

    def _run(self, position: int, now: _Versions, changed: set[str]) -> list[str] | None:
        """The variables that are free when the steps that changed ones reach are computed; None where one cannot be."""
        queue = [k for name in changed for k in self._readers.get(name, ()) if k >= position]
        heapify(queue)
        free: list[str] = []
        last = -1
        while queue:
            k = heappop(queue)
            if k == last:
                continue
            last = k
            for term in self.core.steps[k].terms:
                name = self._compute(term, now)
                if name is None:
                    return None
                for reader in self._readers.get(name, ()) if name else ():
                    if reader >= k:
                        heappush(queue, reader)
                assigned = assignment(term)
                if assigned is not None and any(not now[flag] for flag in guard_flags(term)):
                    free.append(str(assigned[0].data))
        return free

    def _is_met(self, position: int, now: _Versions, known: Sequence[Term]) -> bool:
        """Whether the goal holds, what is known of the state does too, and so do all steps."""
        return all(self._holds(t, now) for t in (self.core.check, *known)) and self._is_right(position, now)

    def _sort(self, name: str) -> Sort:
        return self.core.sorts[name.rpartition("@")[0]]

    def _is_right(self, position: int, now: _Versions) -> bool:
        """Whether all that was computed holds: no value was changed after it had been used."""
        touched = {k for name in now for k in self._readers.get(name, ()) if k >= position}
        terms = (t for k in touched for t in self.core.steps[k].terms)
        return all(self._holds(t, now) for t in (*self.core.flag_definitions(position), *terms))

    def _compute(self, term: Term, now: _Versions) -> str | None:
        """The variable that a term gave another value, empty if it gave none; None where it cannot hold."""
        if self._holds(term, now):
            return ""
        assigned = assignment(term)
        if assigned is None:
            return None
        name = str(assigned[0].data)
        now[name] = self._evaluation(assigned[1])(now)
        return name

    def _holds(self, term: Term, now: _Versions) -> bool:
        return bool(self._evaluation(term)(now))

    @cached_property
    def _readers(self) -> dict[str, list[int]]:
        """By variable, the steps whose terms mention it."""
        found: dict[str, list[int]] = {}
        for k, step in enumerate(self.core.steps):
            for v in variables(step.terms):
                found.setdefault(str(v.data), []).append(k)
        return found

    @cached_property
    def _recorded(self) -> _Versions:
        return _Versions(self.core)


class _Versions(dict[str, Value]):
    """Values of versions and flags, those that are changed; all others are as recorded."""

    def __init__(self, core: CoreTrace, others: _Versions | None = None) -> None:
        super().__init__()
        self.core = core
        self.recorded: dict[str, Value] = {} if others is None else others.recorded

    def changed(self, name: str, value: Value) -> _Versions:
        """These values with another one."""
        found = _Versions(self.core, self)
        found.update(self)
        found[name] = value
        return found

    def __missing__(self, name: str) -> Value:
        if name not in self.recorded:
            self.recorded[name] = self._recorded(name)
        return self.recorded[name]

    def _recorded(self, name: str) -> Value:
        """What a version held in the run; all flags did."""
        cell, mark, position = name.rpartition("@")
        if not mark:
            return 1
        value = self.core.states[int(position.rstrip("?"))].get(cell)
        return default_value(self.core.sorts[cell]) if value is None else value
