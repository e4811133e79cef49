"""A failing path with selectors: where the selector of a statement is on, an assignment gives any value and a condition comes out either way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from butfor.encode.fold import folded
from butfor.encode.sorts import default_value
from butfor.encode.terms import TRUE, Term, conjunction, constant, disjunction, implies, ite, negate, select, store, variable
from butfor.path.model import Cell, Kind, Path
from butfor.path.names import UNKNOWN
from butfor.relevance.alone import OPEN
from butfor.relevance.anyvalue import root_of
from butfor.relevance.possible import Change
from butfor.trace.places import Place


class Selectors:
    """Selectors of statements, shared by all copies of a statement and by all paths."""

    def __init__(self) -> None:
        self.by_place: dict[Place, Term] = {}

    def of(self, place: Place) -> Term:
        """The selector of a statement."""
        return self.by_place.setdefault(place, variable(f"on{len(self.by_place)}", 0))


class Relaxed:
    """One path with selectors for some changes. `fails` is the condition that it still fails."""

    def __init__(self, path: Path, number: int, changes: Iterable[Change], selectors: Selectors) -> None:
        self.path = path
        self.number = number
        on: dict[int, list[Term]] = {}
        starts: dict[str, list[Term]] = {}
        for change in changes:
            for k in change.on:
                on.setdefault(k, []).append(selectors.of(change.place))
            for name in change.starts:
                starts.setdefault(name, []).append(selectors.of(change.place))
        self.on: Mapping[int, Term] = {k: disjunction(terms) for k, terms in on.items()}
        self.now: dict[str, Term] = {c.name: self._first(k, c, starts.get(c.name, ())) for k, c in enumerate(path.cells)}
        self.guards: dict[int, Term] = {}
        self.required: list[Term] = []
        self.fails = self._run()

    def _first(self, number: int, cell: Cell, selectors: Iterable[Term]) -> Term:
        if cell.type == UNKNOWN:
            return variable(f"{OPEN}s{self.number}.{number}", cell.sort)
        found = self.path.initial.get(cell.name, self.path.start.get(cell.name, default_value(cell.sort)))
        value, changed = constant(found, cell.sort), tuple(selectors)
        return ite(disjunction(changed), variable(f"i{self.number}.{number}", cell.sort), value) if changed else value

    def _run(self) -> Term:
        under_way: list[int] = []
        for k, instance in enumerate(self.path.instances):
            self._close(under_way, k)
            guard = self.guards[under_way[-1]] if under_way else TRUE
            condition = folded(instance.condition, self.now.get)
            if instance.kind is Kind.BRANCH:
                if k in self.on:
                    condition = ite(self.on[k], variable(f"c{self.number}.{k}", 0), condition)
                if instance.escapes or k in self.path.scope:
                    self.required.append(implies(guard, condition))
                elif k in self.path.silent:
                    self.required.append(implies(guard, disjunction((condition, variable(f"{OPEN}q{self.number}.{k}", 0)))))
                self.guards[k] = conjunction((guard, condition))
                under_way.append(k)
                continue
            if condition is not TRUE:
                self.required.append(implies(guard, condition))
            self._assign(k, guard)
        self._close(under_way, len(self.path.instances))
        return conjunction((*self.required, negate(folded(self.path.check, self.now.get))))

    def _assign(self, k: int, guard: Term) -> None:
        instance = self.path.instances[k]
        new = {}
        for number, (cell, term) in enumerate(instance.writes):
            from_outside = term is None or cell.name in instance.inputs
            value = constant(instance.recorded[cell.name], cell.sort) if from_outside or term is None else folded(term, self.now.get)
            if not from_outside and k in self.on:
                value = ite(self.on[k], self._any(f"r{self.number}.{k}.{number}", cell.term, term, value), value)
            new[cell.name] = value if guard is TRUE else ite(guard, value, self.now[cell.name])
        self.now.update(new)

    def _any(self, name: str, old: Term, term: Term | None, value: Term) -> Term:
        """Any value; of a map that the term writes into, only for the elements that it writes."""
        if term is None or term.op != "store" or root_of(term) is not old:
            return variable(name, value.width)
        below = folded(old, self.now.get) if term.args[0] is old else self._any(f"{name}.m", old, term.args[0], value)
        at, element = folded(term.args[1], self.now.get), folded(term.args[2], self.now.get)
        return store(below, at, self._any(f"{name}.e", select(old, term.args[1]), term.args[2], element))

    def _close(self, under_way: list[int], position: int) -> None:
        while under_way and self.path.instances[under_way[-1]].end <= position:
            branch = under_way.pop()
            taken, around = self.guards[branch], self.guards[under_way[-1]] if under_way else TRUE
            for number, cell in enumerate(self.path.instances[branch].frames):
                other = variable(f"{OPEN}f{self.number}.{branch}.{number}", cell.sort)
                not_taken = conjunction((around, negate(taken)))
                self.now[cell.name] = ite(not_taken, other, self.now[cell.name])
