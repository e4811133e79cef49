"""The abstract error trace for readers: invariants, and the statements between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from butfor.logic.terms import Term, variable, variables
from butfor.methods.error_invariants.core_trace import CoreTrace
from butfor.methods.error_invariants.invariant_intervals import InvariantInterval
from butfor.path.path_formula import flag_branch, is_flag
from butfor.path.path_model import Cell, Instance, Kind, Path
from butfor.path.source_expressions import SourceExpressions
from butfor.trace.view.source_places import Place

_Part = tuple[Place, tuple[int, ...], Kind, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class TraceEntry:
    """An invariant, or a statement with its position in the path.

    `role` of a statement: assignment, input, condition, assumption. `frame`: it is relevant that the cells `kept` were
    not assigned there.
    """

    kind: str  # invariant or statement
    formula: str = ""
    place: Place | None = None
    position: int = -1
    role: str = ""
    frame: bool = False
    kept: tuple[str, ...] = ()
    held: str = ""  # of a condition: as it held
    rounds: tuple[int, ...] = ()
    facts: tuple[str, ...] = ()  # of an invariant: what it says about cells, one by one
    agreed: bool = True  # a solver agrees with the invariant; of a statement, with those before and after it
    occurrence: int = 0  # of a statement that ran in several calls of its function, in the same rounds: which of them


class AbstractTraceWriter:
    """Writes the abstract error trace of one core in source terms."""

    def __init__(self, core: CoreTrace, *, boogie: bool, address: Callable[[int], str] = hex) -> None:
        self.core = core
        self.path = core.path
        self._namer = CellNamer(self.path)
        self._occurrences = occurrences(self.path)
        cells = {c.name: c for c in self.path.cells}
        self.text = SourceExpressions(cells, boogie=boogie, name=self._namer, flag=self._flag, address=address)

    def _flag(self, name: str) -> str:
        branch = self.path.instances[flag_branch(variable(name, 0))]
        return f"({self.text(branch.condition)} at line {branch.place.line})"

    def entries(self, intervals: tuple[InvariantInterval, ...], agreed: Sequence[bool]) -> tuple[TraceEntry, ...]:
        """Invariants and relevant statements in turn; conditions in an interval precede the statement they control.

        `agreed`: of which intervals a solver agrees with the invariants.
        """
        found: list[TraceEntry] = []
        for number, interval in enumerate(intervals):
            self._namer.set_context(interval.atoms, self._function(interval))
            facts = tuple(self.text(a) for a in interval.atoms if not is_flag(a))
            formula = " && ".join(dict.fromkeys(self.text(a) for a in interval.atoms))
            found.append(TraceEntry("invariant", formula, facts=facts, agreed=agreed[number]))
            is_sure = all(agreed[number : number + 2])
            for step in range(interval.first, min(interval.last + 1, len(self.core))):
                if step == interval.last or self.core.is_branch(self.core.steps[step]):
                    found.append(replace(self._statement(step, intervals), agreed=is_sure))
        return tuple(found)

    def _function(self, interval: InvariantInterval) -> str:
        steps = self.core.steps
        if not steps:
            return self.path.place.function
        return self.path.instances[steps[max(interval.first - 1, 0)].position].place.function

    def _statement(self, step: int, intervals: tuple[InvariantInterval, ...]) -> TraceEntry:
        s = self.core.steps[step]
        instance = self.path.instances[s.position]
        self._namer.set_context((instance.condition, *(c.term for c in instance.frames)), instance.place.function)
        after = next((i.atoms for i in intervals if i.first > step), ())
        used = {str(v.data) for v in variables(after)} if after else set()
        kept = tuple(self._namer(c) for c in instance.frames if c.name in used) if s.is_frame else ()
        held = self.text(instance.condition) if instance.kind in (Kind.BRANCH, Kind.ASSUME) else ""
        role = role_of(instance)
        return TraceEntry(
            "statement",
            place=instance.place,
            position=s.position,
            role=role,
            frame=s.is_frame,
            kept=kept,
            held=held,
            rounds=instance.rounds,
            occurrence=self._occurrences.get(s.position, 0),
        )


def occurrences(path: Path) -> dict[int, int]:
    """By position: in which of several calls a statement ran, from 1; without those that ran in one call only.

    An argument belongs to the call that it is passed to: the parts of a statement are counted one by one.
    """
    calls: dict[_Part, dict[int, int]] = {}
    for instance in path.instances:
        seen = calls.setdefault(_part(instance), {})
        seen.setdefault(instance.frame, len(seen) + 1)
    seen_at = ((position, i, calls[_part(i)]) for position, i in enumerate(path.instances))
    return {position: seen[i.frame] for position, i, seen in seen_at if len(seen) > 1}


def _part(instance: Instance) -> _Part:
    """What is the same in all calls in which a part of a statement runs, in the same rounds of loops."""
    return instance.place, instance.rounds, instance.kind, tuple(cell.shown for cell, _ in instance.writes)


def role_of(instance: Instance) -> str:
    """What an instance is in an abstract error trace."""
    roles = {Kind.BRANCH: "condition", Kind.ASSUME: "assumption", Kind.HAVOC: "input"}
    return "input" if instance.inputs else roles.get(instance.kind, "assignment")


class CellNamer:
    """Names of cells as in the source, qualified where two cells of one formula have the same name."""

    def __init__(self, path: Path) -> None:
        self.function = ""
        self.in_formula: frozenset[str] = frozenset()
        self._cells = {c.name: c for c in path.cells}

    def set_context(self, terms: Iterable[Term], function: str) -> None:
        """Set the formula that is written next, and the function whose statement precedes it."""
        self.function = function
        self.in_formula = frozenset(str(v.data) for v in variables(terms))

    def __call__(self, cell: Cell) -> str:
        if cell.name.partition("#")[0].endswith("'"):
            return f"earlier {cell.shown}"
        same_name = [
            c
            for c in map(self._cells.get, self.in_formula)
            if c is not None and c.shown == cell.shown and c.name != cell.name
        ]
        if not same_name and cell.function in ("", self.function):
            return cell.shown
        if any(c.function == cell.function for c in same_name) or not cell.function:
            return cell.name
        return f"{cell.function}::{cell.shown}" if cell.function != self.function else cell.shown
