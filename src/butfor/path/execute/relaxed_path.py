"""A failing path with statements changed: the condition that it still fails, as a term.

A `PathChange` decides what is changed. Inputs are as found. Where a branch is decided otherwise and its other arm comes
back, what that arm may assign is open: a variable whose name begins with OPEN.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Protocol

from butfor.logic.simplify import ALGEBRA
from butfor.logic.sorts import default_value
from butfor.logic.substitute import substitute
from butfor.logic.terms import TRUE, Term, conjunction, constant, disjunction, implies, ite, negate, variable
from butfor.path.execute.any_value import any_value
from butfor.path.execute.statement_changes import Change
from butfor.path.execute.symbolic_execution import OPEN
from butfor.path.lift.cell_names import UNKNOWN
from butfor.path.path_model import Cell, Instance, Kind, Path
from butfor.trace.view.source_places import Place

CellTerms = Mapping[str, Term]


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
        self.number = number
        self.change = change
        self.checks = frozenset(checks)
        self.now: dict[str, Term] = {c.name: self._first(k, c) for k, c in enumerate(path.cells)}
        self.guards: dict[int, Term] = {}
        self.required: list[Term] = []
        self.addresses: list[Term] = []  # that accesses go where they went
        self.assumed: list[Term] = []
        self._alive = TRUE  # the path has not been left
        self._earlier: list[Term] = []
        self._run()

    @property
    def fails(self) -> Term:
        """The path is followed, its assumptions hold and its check does not; or nothing is known.

        Nothing is known once an access goes elsewhere: that is no way out of the failure.
        """
        fails = conjunction((*self.required, negate(substitute(self.path.check, self.now, ALGEBRA))))
        return disjunction((negate(conjunction(self.addresses)), fails)) if self.addresses else fails

    @property
    def surely_fails(self) -> Term:
        """The path is followed, every access goes where it went, all assumptions hold and the check does not."""
        return conjunction((*self.addresses, *self.required, negate(substitute(self.path.check, self.now, ALGEBRA))))

    @property
    def avoids(self) -> Term:
        """All assumptions hold as long as the path is followed; it is left, or all checks on it hold."""
        last = conjunction((self._alive, negate(substitute(self.path.check, self.now, ALGEBRA))))
        return conjunction((*self.assumed, *map(negate, self._earlier), negate(last)))

    def _first(self, number: int, cell: Cell) -> Term:
        if cell.type == UNKNOWN:
            return variable(f"{OPEN}s{self.number}.{number}", cell.sort)
        found = self.path.initial.get(cell.name, self.path.start.get(cell.name, default_value(cell.sort)))
        return self.change.start(number, cell, constant(found, cell.sort))

    def _run(self) -> None:
        open_branches: list[int] = []
        for k, instance in enumerate(self.path.instances):
            self._close(open_branches, k)
            guard = self.guards[open_branches[-1]] if open_branches else TRUE
            if k in self.checks:
                self._earlier.append(
                    conjunction((self._alive, guard, negate(substitute(self.path.check, self.now, ALGEBRA))))
                )
            condition = substitute(instance.condition, self.now, ALGEBRA)
            if instance.kind is Kind.BRANCH:
                if not instance.trusted:
                    condition = self.change.condition(
                        k, instance, condition, self.now, conjunction((self._alive, guard))
                    )
                if instance.escapes or k in self.path.scope:
                    self.required.append(implies(guard, condition))
                    self._alive = conjunction((self._alive, implies(guard, condition)))
                elif k in self.path.silent:
                    self.required.append(
                        implies(guard, disjunction((condition, variable(f"{OPEN}q{self.number}.{k}", 0))))
                    )
                self.guards[k] = conjunction((guard, condition))
                open_branches.append(k)
                continue
            if condition is not TRUE:
                (self.addresses if instance.is_address else self.required).append(implies(guard, condition))
                self.assumed.append(disjunction((negate(self._alive), implies(guard, condition))))
            self._assign(k, guard)
        self._close(open_branches, len(self.path.instances))

    def _assign(self, k: int, guard: Term) -> None:
        instance = self.path.instances[k]
        new = {}
        for number, (cell, term) in enumerate(instance.writes):
            is_given = from_outside(instance, cell, term)
            value = (
                constant(instance.recorded[cell.name], cell.sort)
                if is_given or term is None
                else substitute(term, self.now, ALGEBRA)
            )
            if not is_given and not instance.trusted:
                value = self.change.value(k, number, instance, value, self.now, conjunction((self._alive, guard)))
            new[cell.name] = value if guard is TRUE else ite(guard, value, self.now[cell.name])
        self.now.update(new)

    def _close(self, open_branches: list[int], position: int) -> None:
        while open_branches and self.path.instances[open_branches[-1]].end <= position:
            branch = open_branches.pop()
            taken, around = self.guards[branch], self.guards[open_branches[-1]] if open_branches else TRUE
            for number, cell in enumerate(
                (*self.path.instances[branch].frames, *self.path.instances[branch].rewritten)
            ):
                other = variable(f"{OPEN}f{self.number}.{branch}.{number}", cell.sort)
                not_taken = conjunction((around, negate(taken)))
                self.now[cell.name] = ite(not_taken, other, self.now[cell.name])


def from_outside(instance: Instance, cell: Cell, term: Term | None) -> bool:
    """Whether what an instance writes comes from outside, so that no change of the statement makes it another value."""
    return term is None or cell.name in instance.inputs


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
        return ite(self.on[k], any_value(f"r{self.number}.{k}.{number}", cell.term, term, value, now.get), value)

    def start(self, number: int, cell: Cell, value: Term) -> Term:
        if cell.name not in self.starts:
            return value
        return ite(self.starts[cell.name], variable(f"i{self.number}.{number}", cell.sort), value)
