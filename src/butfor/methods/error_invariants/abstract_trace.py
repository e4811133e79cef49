"""The abstract error trace as a story: what was true, the statement that mattered next, what was true then, up to the contradiction."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from butfor.logic.terms import Term, variables
from butfor.methods.error_invariants.contradiction_chain import Chain
from butfor.methods.error_invariants.invariant_intervals import Interval
from butfor.methods.error_invariants.step_actions import is_flag
from butfor.path.path_model import Cell, Kind, Path
from butfor.path.source_expressions import Express
from butfor.trace.view.source_places import Place


@dataclass(frozen=True, slots=True)
class Told:
    """One entry: an invariant, or a statement with its position in the path.

    `role` of a statement: assignment, input, condition, assumption. `frame`: what counts is that the cells `kept` were not assigned there.
    `since` are the conditions under which a statement ran, as they held.
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


class Storyteller:
    """Entries of one chain."""

    def __init__(self, chain: Chain, *, boogie: bool, address: Callable[[int], str] = hex) -> None:
        self.chain = chain
        self.path = chain.path
        self._namer = Namer(self.path)
        cells = {c.name: c for c in self.path.cells}
        self.text = Express(cells, boogie=boogie, name=self._namer, flag=self._flag, address=address)

    def _flag(self, name: str) -> str:
        branch = self.path.instances[int(name.split(" ")[1])]
        return f"({self.text(branch.condition)} at line {branch.place.line})"

    def entries(self, intervals: tuple[Interval, ...]) -> tuple[Told, ...]:
        """Invariants and statements in turn; conditions that an interval passes over stand before the statement that ran because of them."""
        found: list[Told] = []
        for interval in intervals:
            self._namer.speak_of(interval.atoms, self._function(interval))
            facts = tuple(self.text(a) for a in interval.atoms if not is_flag(a))
            found.append(
                Told("invariant", " && ".join(dict.fromkeys(self.text(a) for a in interval.atoms)), facts=facts)
            )
            for step in range(interval.first, min(interval.last + 1, len(self.chain))):
                if step == interval.last or self.chain.is_branch(self.chain.steps[step]):
                    found.append(self._statement(step, intervals))
        return tuple(found)

    def _function(self, interval: Interval) -> str:
        steps = self.chain.steps
        if not steps:
            return self.path.place.function
        return self.path.instances[steps[max(interval.first - 1, 0)].position].place.function

    def _statement(self, step: int, intervals: tuple[Interval, ...]) -> Told:
        s = self.chain.steps[step]
        instance = self.path.instances[s.position]
        self._namer.speak_of((instance.condition, *(c.term for c in instance.frames)), instance.place.function)
        after = next((i.atoms for i in intervals if i.first > step), ())
        used = {str(v.data) for v in variables(after)} if after else set()
        kept = tuple(self._namer(c) for c in instance.frames if c.name in used) if s.is_frame else ()
        roles = {Kind.BRANCH: "condition", Kind.ASSUME: "assumption", Kind.HAVOC: "input"}
        role = "input" if instance.inputs else roles.get(instance.kind, "assignment")
        held = self.text(instance.condition) if instance.kind in (Kind.BRANCH, Kind.ASSUME) else ""
        return Told("statement", "", instance.place, s.position, role, s.is_frame, kept, held, instance.rounds)


class Namer:
    """Names of cells as the source writes them, with more where two cells of one formula are written alike."""

    def __init__(self, path: Path) -> None:
        self.function = ""
        self.together: frozenset[str] = frozenset()
        self._cells = {c.name: c for c in path.cells}

    def speak_of(self, terms: Iterable[Term], function: str) -> None:
        """Tells which formula is written next, and behind which function's statement."""
        self.function = function
        self.together = frozenset(str(v.data) for v in variables(terms))

    def __call__(self, cell: Cell) -> str:
        if cell.name.partition("#")[0].endswith("'"):
            return f"earlier {cell.shown}"
        alike = [
            c
            for c in map(self._cells.get, self.together)
            if c is not None and c.shown == cell.shown and c.name != cell.name
        ]
        if not alike and cell.function in ("", self.function):
            return cell.shown
        if any(c.function == cell.function for c in alike) or not cell.function:
            return cell.name
        return f"{cell.function}::{cell.shown}" if cell.function != self.function else cell.shown
