"""The statements of a cause: from instances to places in the source."""

from __future__ import annotations

from collections.abc import Iterable

from butfor.encode.justification import Justified
from butfor.methods.case import FailingRun
from butfor.source.source_model import Role
from butfor.trace.trace import Node
from butfor.trace.view.source_places import Place

MAX_ADDRESSES_PER_INSTRUCTION = 3  # instances of one instruction whose pointers are traced back; others repeat them
MAX_POINTER_ASSIGNMENTS = 8  # of one address; more would make nodes of many lines
StatementInstances = dict[Place, list[Node]]


class CauseStatements:
    """The statements of instances.

    Statements marked as benign are left out; an instance inside a trusted function counts as the call of that function.
    """

    def __init__(self, case: FailingRun, trusted: frozenset[str]) -> None:
        self.case = case
        self.trace = case.trace
        self._trusted = trusted
        self._static: dict[tuple[int, int], tuple[Place, ...]] = {}  # statements of instructions
        self._macros_used: dict[Place, list[Place]] = {}  # by statement

    def add(self, found: StatementInstances, justified: Justified) -> None:
        """Add the statements of a justification, with the assignments of its pointers and with initial values."""
        for node in justified.nodes:
            self.add_instance(found, node)
        for node in self.few(justified.addresses, MAX_ADDRESSES_PER_INSTRUCTION):
            for assigned in self._pointer_assignments(node):
                self.add_instance(found, assigned)
        for address, reader in justified.initial.items():
            for place in self.case.initialisers(address):
                if self.mark(place) != "benign":
                    found.setdefault(place, []).append(reader)

    def add_instance(self, found: StatementInstances, node: Node) -> None:
        """Add the statement of one instance."""
        if node[1] >= 0 and self.trace.instr(node).op == "alloca":
            return
        node = self.outside(node)
        for place in self._places(node):
            found.setdefault(place, []).append(node)

    def mark(self, place: Place | None) -> str | None:
        """The user's mark on a place."""
        return None if place is None else self.case.marks.of(place.file, place.line)

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

    def _places(self, node: Node) -> tuple[Place, ...]:
        """The statement of an instance, and the macros that it uses: their definitions may be wrong."""
        key = self.static(node)
        known = self._static.get(key)
        if known is None:
            place = self.case.places.of(node)
            known = () if place is None or self._is_left_out(place) else (place, *self._macros(place))
            s = self.trace.at(node[0])
            # an instruction without a place of its own has that of the call, which varies
            if node[1] >= 0 and self.case.places.of_instr(s.fn, s.fn.instrs[node[1]]) is not None:
                self._static[key] = known
        return known

    def _is_left_out(self, place: Place) -> bool:
        return place.role == Role.END or self.case.is_check(place) or self.mark(place) == "benign"

    def _macros(self, place: Place) -> list[Place]:
        known = self._macros_used.get(place)
        if known is None:
            known = self._macros_used[place] = [m for m in self.case.places.macros(place) if self.mark(m) != "benign"]
        return known

    def _pointer_assignments(self, node: Node) -> list[Node]:
        """The assignments that gave the pointers and indices of an address their values, one step back."""
        found: list[Node] = []
        work, seen = [node], set()
        while work and len(found) < MAX_POINTER_ASSIGNMENTS:
            at = work.pop()
            if at in seen:
                continue
            seen.add(at)
            op = self.trace.instr(at).op if at[1] >= 0 else "param"
            if op in ("store", "call", "ret", "param"):
                found.append(at)
            elif op != "alloca":
                work += [t for kind, t in self.case.dependence.edges(at) if kind in ("data", "address")]
        return found
