"""The statements of a cause: from instances to places in the source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from butfor.encode.justification import Justified
from butfor.methods.case import FailingRun
from butfor.source.source_model import Role
from butfor.trace.trace import Node
from butfor.trace.view.source_places import Place

StatementInstances = dict[Place, list[Node]]
MIN_ROUNDS_FOR_EXCEPTIONS = 8  # in fewer there is no rule to be an exception to
MAX_ROUNDS_COMPARED = 20_000  # some milliseconds
RARE_AMONG = 8  # an age that fewer than one in so many instances have is an exception


class CauseStatements:
    """The statements of instances.

    Statements marked as benign are left out, and the one that only shows the failure; an instance inside a trusted
    function counts as the call of that function.
    """

    def __init__(self, case: FailingRun, trusted: frozenset[str]) -> None:
        self.case = case
        self.trace = case.trace
        self._trusted = trusted
        self._static: dict[tuple[int, int, bool], Place | None] = {}  # statements of instructions

    def add(self, found: StatementInstances, justified: Justified, decided: Iterable[Node] = ()) -> None:
        """Add the statements of a justification and of initial values; `decided` are branches that it explains.

        Other branches are parts of expressions such as `x = a && b`: their statement is the whole expression.
        """
        decisions = set(decided)
        for node in justified.nodes:
            self.add_instance(found, node, is_decision=node in decisions)
        for address, reader in justified.initial.items():
            for place in self.case.initialisers(address):
                if self.mark(place) != "benign":
                    found.setdefault(place, []).append(reader)

    def add_instance(self, found: StatementInstances, node: Node, *, is_decision: bool = False) -> None:
        """Add the statement of one instance."""
        if node[1] >= 0 and self.trace.instr(node).op == "alloca":
            return
        node = self.outside(node)
        place = self.place(node, is_decision=is_decision)
        if place is not None:
            found.setdefault(place, []).append(node)

    def mark(self, place: Place | None) -> str | None:
        """The user's mark on a statement, or on a macro that it uses."""
        if place is None or not self.case.marks:
            return None
        places = (place, *self.case.places.macros(place))
        return next((mark for p in places if (mark := self.case.marks.of(p.file, p.line)) is not None), None)

    def outside(self, node: Node) -> Node:
        """The instance itself, or the call of the outermost trusted function that it is in."""
        at = node
        while self._trusted and self.trace.at(at[0]).fn.name in self._trusted:
            call = self.trace.call_of(at[0])
            if call is None:
                return at
            at = call
        return at

    def static(self, node: Node) -> tuple[int, int]:
        """The instruction of an instance: its segment and its number."""
        return self.trace.log.segment(node[0]), node[1]

    def few(self, nodes: Iterable[Node], most: int) -> list[Node]:
        """The first instances of each instruction, at most so many: the others repeat them."""
        count: dict[tuple[int, int], int] = {}
        kept = []
        for node in nodes:
            key = self.static(node)
            count[key] = count.get(key, 0) + 1
            if count[key] <= most:
                kept.append(node)
        return kept

    def exceptional(self, loads: Sequence[Node], most: int) -> list[Node]:
        """The loads that, unlike other instances of the same instruction, read something older or newer.

        In a loop these read across the round in which something was not assigned, or assigned twice.
        """
        groups: dict[tuple[int, int], list[Node]] = {}
        for node in loads:
            groups.setdefault(self.static(node), []).append(node)
        found = []
        for group in groups.values():
            if len(group) >= MIN_ROUNDS_FOR_EXCEPTIONS:
                ages = self.case.slicer.ages(group[:MAX_ROUNDS_COMPARED])
                counts = Counter(ages)
                rare = [n for n, age in zip(group, ages, strict=False) if counts[age] * RARE_AMONG < len(ages)]
                found += rare[:most]
        return found

    def place(self, node: Node, *, is_decision: bool) -> Place | None:
        """The statement of an instance; None for what is left out."""
        key = (*self.static(node), is_decision)
        if key in self._static:
            return self._static[key]
        place, is_static = self._find(node, is_decision)
        if place is not None and self._is_left_out(place):
            place = None
        if is_static:
            self._static[key] = place
        return place

    def _find(self, node: Node, is_decision: bool) -> tuple[Place | None, bool]:
        """The statement of an instance, and whether it is that of all instances of the instruction."""
        s = self.trace.at(node[0])
        if node[1] >= 0:
            instr = s.fn.instrs[node[1]]
            of_instr = self.case.places.of_instr if is_decision else self.case.places.statement_of
            found = of_instr(s.fn, instr)
            if found is not None:
                return found, True
        return self.case.places.of(node), False  # without a place of its own it has that of the call, which varies

    def _is_left_out(self, place: Place) -> bool:
        return place.role == Role.END or self.case.is_symptom(place) or self.mark(place) == "benign"
