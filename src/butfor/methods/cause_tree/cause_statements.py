"""The statements of a cause: from instances to places in the source, as a user reads them."""

from __future__ import annotations

from collections.abc import Iterable

from butfor.encode.justification import Justified
from butfor.methods.case import FailingRun
from butfor.methods.slice.run_slice import initial_places
from butfor.source.source_model import Role
from butfor.trace.trace import Node
from butfor.trace.view.source_places import Place

_POINTERS = 3  # instances of one instruction that are asked where a pointer came from
Found = dict[Place, list[Node]]


class Statements:
    """Finds the statements of instances; what a mark calls benign is left out, and inside a trusted function the call stands for it."""

    def __init__(self, case: FailingRun, trusted: frozenset[str]) -> None:
        self.case = case
        self.trace = case.trace
        self._trusted = trusted
        self._static: dict[tuple[int, int], tuple[Place, ...]] = {}  # statements of instructions
        self._defined: dict[Place, list[Place]] = {}  # macros that a statement uses

    def add(self, found: Found, justified: Justified) -> None:
        """Adds what was passed through, the pointers on the way as far as they were assigned, initial values."""
        for node in justified.nodes:
            self.add_instance(found, node)
        for node in self.few(justified.addresses, _POINTERS):
            for assigned in self._assigned(node):
                self.add_instance(found, assigned)
        for address, reader in justified.initial.items():
            for place in initial_places(self.case, address):
                if self.mark(place) != "benign":
                    found.setdefault(place, []).append(reader)

    def add_instance(self, found: Found, node: Node) -> None:
        """Adds the statement of one instance."""
        if node[1] >= 0 and self.trace.instr(node).op == "alloca":
            return
        node = self.outside(node)
        for place in self._places(node):
            found.setdefault(place, []).append(node)

    def mark(self, place: Place | None) -> str | None:
        """What the user said about a place."""
        return None if place is None else self.case.marks.of(place.file, place.line)

    def outside(self, node: Node) -> Node:
        """The instance itself, or the call of the trusted function it is in."""
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
        """At most so many instances of each instruction, the first that were met: what comes after repeats them."""
        count: dict[tuple[int, int], int] = {}
        kept = []
        for node in nodes:
            key = self.static(node)
            count[key] = count.get(key, 0) + 1
            if count[key] <= most:
                kept.append(node)
        return kept

    def _places(self, node: Node) -> tuple[Place, ...]:
        """The statement of an instance, and the macros it uses: what they compute may be wrong in their definition."""
        key = self.static(node)
        known = self._static.get(key)
        if known is None:
            place = self.case.places.of(node)
            unwanted = (
                place is None or place.role == Role.END or self.case.is_check(place) or self.mark(place) == "benign"
            )
            known = () if place is None or unwanted else (place, *self._macros(place))
            s = self.trace.at(node[0])
            if (
                node[1] >= 0 and self.case.places.of_instr(s.fn, s.fn.instrs[node[1]]) is not None
            ):  # else it is the call's, which varies
                self._static[key] = known
        return known

    def _macros(self, place: Place) -> list[Place]:
        known = self._defined.get(place)
        if known is None:
            known = self._defined[place] = [m for m in self.case.places.macros(place) if self.mark(m) != "benign"]
        return known

    def _assigned(self, node: Node) -> list[Node]:
        """The assignments that gave the pointers and indices of an address their values, one step back."""
        found: list[Node] = []
        work, seen = [node], set()
        while work and len(found) < 8:
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
