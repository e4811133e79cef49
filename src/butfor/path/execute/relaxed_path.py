"""A failing path with statements changed: the condition that it still fails, as a term.

A `PathChange` decides what is changed. Inputs are as found. What nothing determines is an open variable.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Protocol

from butfor.logic.sorts import default_value
from butfor.logic.terms import TRUE, Term, conjunction, constant, disjunction, implies, ite, negate, variable
from butfor.path.execute.any_value import any_value
from butfor.path.execute.path_execution import Lookup, Needed, PathExecution, Role, is_given, leaves_for_good
from butfor.path.execute.statement_changes import Change
from butfor.path.execute.value_domains import OPEN, Terms
from butfor.path.lift.cell_names import UNKNOWN
from butfor.path.path_model import Cell, Instance, Kind, Path
from butfor.trace.view.source_places import Place

CellTerms = Lookup[Term]


class PathChange(Protocol):
    """What replaces the conditions and values of a relaxed path, which are given over the state at that position."""

    def condition(self, k: int, instance: Instance, condition: Term, now: CellTerms, guard: Term) -> Term:
        """The condition of the branch at position k."""
        ...

    def value(self, k: int, number: int, instance: Instance, value: Term, now: CellTerms, guard: Term) -> Term:
        """The value that the instance at position k assigns to its cell of that number."""
        ...

    def start(self, number: int, cell: Cell, value: Term) -> Term:
        """The value that the cell of that number starts with."""
        ...


class RelaxedPath:
    """One path with changes.

    `fails` is the condition that it still fails, `avoids` that it does not although all assumptions hold. `checks` are
    positions before which the property of the end was asked too.
    """

    def __init__(self, path: Path, number: int, change: PathChange, checks: Collection[int] = ()) -> None:
        self.path = path
        self._domain = _Changed(path, number, change)
        self._needed: list[Needed[Term]] = []
        self._assumed: list[Term] = []
        self._fails_at_checks: list[Term] = []
        execution = PathExecution(path, self._domain, leaves_for_good(path))
        execution.now = {c.name: self._domain.start(k, c) for k, c in enumerate(path.cells)}
        for needed in execution.onwards(checks=frozenset(checks)):
            self._note(needed)
        if not any(n.role is Role.CHECK for n in self._needed):  # it fails whatever is changed
            self._fails_at_checks.append(self._domain.alive)

    @property
    def fails(self) -> Term:
        """The path is followed, its assumptions hold and its check does not; or nothing is known.

        Nothing is known once an access goes elsewhere: that is no way out of the failure.
        """
        later: list[Term] = []  # the last one first
        for needed in reversed(self._needed):
            if needed.role is Role.ACCESS:
                later = [disjunction((negate(_there(needed)), conjunction(reversed(later))))]
            else:
                later.append(_there(needed))
        return conjunction(reversed(later))

    @property
    def surely_fails(self) -> Term:
        """The path is followed, every access goes where it went, all assumptions hold and the check does not."""
        return conjunction(map(_there, self._needed))

    @property
    def avoids(self) -> Term:
        """All assumptions hold as long as the path is followed; it is left, or all checks on it hold."""
        return conjunction((*self._assumed, *map(negate, self._fails_at_checks)))

    def _note(self, needed: Needed[Term]) -> None:
        alive = self._domain.alive
        match needed.role:
            case Role.EARLIER_CHECK:
                self._fails_at_checks.append(conjunction((alive, needed.guard, negate(needed.condition))))
                return
            case Role.CHECK:
                self._fails_at_checks.append(conjunction((alive, needed.condition)))
            case Role.DECISION:
                self._domain.alive = conjunction((alive, _there(needed)))
            case Role.ACCESS | Role.ASSUMPTION:
                self._assumed.append(disjunction((negate(alive), _there(needed))))
        self._needed.append(needed)


def _there(needed: Needed[Term]) -> Term:
    """That a condition holds if its instance runs."""
    return implies(needed.guard, needed.condition)


class _Changed(Terms):
    """Terms as a path change makes them; `alive` is that the path was not left so far."""

    def __init__(self, path: Path, number: int, change: PathChange) -> None:
        super().__init__(path, f"{number}.")
        self.change = change
        self.alive: Term = TRUE

    def start(self, number: int, cell: Cell) -> Term:
        """What a cell holds at the start."""
        if cell.type == UNKNOWN:
            return variable(f"{OPEN}s{self.mark}{number}", cell.sort)
        found = self.path.initial.get(cell.name, self.path.start.get(cell.name, default_value(cell.sort)))
        return self.change.start(number, cell, constant(found, cell.sort))

    def condition(self, k: int, condition: Term, lookup: Lookup[Term], guard: Term) -> Term:
        """The condition, of a branch the changed one."""
        instance = self.path.instances[k]
        if instance.kind is not Kind.BRANCH or instance.trusted:
            return condition
        return self.change.condition(k, instance, condition, lookup, conjunction((self.alive, guard)))

    def assigned(self, k: int, number: int, value: Term, lookup: Lookup[Term], guard: Term) -> Term:
        """The value, changed unless it comes from outside."""
        instance = self.path.instances[k]
        if instance.trusted or is_given(instance, *instance.writes[number]):
            return value
        return self.change.value(k, number, instance, value, lookup, conjunction((self.alive, guard)))


class Selectors:
    """Selectors of statements, shared by all copies of a statement and by all paths."""

    def __init__(self) -> None:
        self.by_place: dict[Place, Term] = {}

    def of(self, place: Place) -> Term:
        """The selector of a statement."""
        return self.by_place.setdefault(place, variable(f"on{len(self.by_place)}", 0))


def with_selectors(path: Path, number: int, changes: Iterable[Change], selectors: Selectors) -> RelaxedPath:
    """One path with selectors for some changes."""
    return RelaxedPath(path, number, _Selected(number, changes, selectors))


class _Selected:
    def __init__(self, number: int, changes: Iterable[Change], selectors: Selectors) -> None:
        self.number = number
        on: dict[int, list[Term]] = {}
        starts: dict[str, list[Term]] = {}
        for change in changes:
            for k in change.on:
                on.setdefault(k, []).append(selectors.of(change.place))
            for name in change.starts:
                starts.setdefault(name, []).append(selectors.of(change.place))
        self.on: Mapping[int, Term] = {k: disjunction(terms) for k, terms in on.items()}
        self.starts: Mapping[str, Term] = {name: disjunction(terms) for name, terms in starts.items()}

    def condition(self, k: int, instance: Instance, condition: Term, now: CellTerms, guard: Term) -> Term:
        del instance, now, guard
        return ite(self.on[k], variable(f"c{self.number}.{k}", 0), condition) if k in self.on else condition

    def value(self, k: int, number: int, instance: Instance, value: Term, now: CellTerms, guard: Term) -> Term:
        del guard
        if k not in self.on:
            return value
        cell, term = instance.writes[number]
        return ite(self.on[k], any_value(f"r{self.number}.{k}.{number}", cell.term, term, value, now), value)

    def start(self, number: int, cell: Cell, value: Term) -> Term:
        if cell.name not in self.starts:
            return value
        return ite(self.starts[cell.name], variable(f"i{self.number}.{number}", cell.sort), value)
