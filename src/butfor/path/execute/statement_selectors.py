"""A failing path with selectors: where the selector of a statement is on, an assignment gives any value and a condition comes out either way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from butfor.logic.terms import Term, disjunction, ite, variable
from butfor.path.execute.any_value import any_value
from butfor.path.execute.relaxed_path import Relaxed, State
from butfor.path.execute.statement_changes import Change
from butfor.path.path_model import Cell, Instance, Path
from butfor.trace.view.source_places import Place


class Selectors:
    """Selectors of statements, shared by all copies of a statement and by all paths."""

    def __init__(self) -> None:
        self.by_place: dict[Place, Term] = {}

    def of(self, place: Place) -> Term:
        """The selector of a statement."""
        return self.by_place.setdefault(place, variable(f"on{len(self.by_place)}", 0))


def selected(path: Path, number: int, changes: Iterable[Change], selectors: Selectors) -> Relaxed:
    """One path with selectors for some changes."""
    return Relaxed(path, number, _Selected(number, changes, selectors))


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

    def condition(self, k: int, instance: Instance, condition: Term, now: State, guard: Term) -> Term:
        del instance, now, guard
        return ite(self.on[k], variable(f"c{self.number}.{k}", 0), condition) if k in self.on else condition

    def value(self, k: int, number: int, instance: Instance, value: Term, now: State, guard: Term) -> Term:
        del guard
        if k not in self.on:
            return value
        cell, term = instance.writes[number]
        return ite(self.on[k], any_value(f"r{self.number}.{k}.{number}", cell.term, term, value, now.get), value)

    def start(self, number: int, cell: Cell, value: Term) -> Term:
        if cell.name not in self.starts:
            return value
        return ite(self.starts[cell.name], variable(f"i{self.number}.{number}", cell.sort), value)
