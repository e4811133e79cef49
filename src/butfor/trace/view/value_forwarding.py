"""Statements that only forward a value, such as `return x;`, and the statements that computed it."""

from __future__ import annotations

from collections.abc import Iterable

from butfor.ir.instructions import Const
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.dependence.stores_elsewhere import stores_to_computed_element
from butfor.trace.trace import Node, UnknownValue
from butfor.trace.view.source_places import Place, Places

_FORWARDING = frozenset(("load", "store", "ret", "br", "sext", "zext", "trunc", "bitcast", "freeze", "fpext"))
_VALUE_EDGES = frozenset(("data", "call"))
_MAX_INSTANCES_PER_STATEMENT = 20  # one that computes a value shows in its first instances
_FIRST_PAGE = 4096  # bytes that are never mapped
_MAX_CHAIN_LENGTH = 40  # instructions that a value is followed through; longer chains are recursions


class ValueForwarding:
    """The statements of a run that only forward what another one computed."""

    def __init__(self, places: Places, dependence: Dependence) -> None:
        self.places = places
        self.dependence = dependence
        self.trace = dependence.trace

    def origins(self, nodes: Iterable[Node]) -> dict[Place, Place]:
        """The forwarding statements among these instances, with the statement that always computed their value."""
        found: dict[Place, Place | None] = {}
        looked: dict[Place, int] = {}
        for node in nodes:
            if not self._ends_statement(node):
                continue
            place = self.places.of(node)
            if place is None or looked.get(place, 0) >= _MAX_INSTANCES_PER_STATEMENT or found.get(place, place) is None:
                continue
            looked[place] = looked.get(place, 0) + 1
            origin = self.origin(node, place)
            found[place] = origin if found.get(place, origin) == origin else None
        return {place: origin for place, origin in found.items() if origin is not None}

    def forwarding_instructions(self, roots: Iterable[Node]) -> set[tuple[str, int]]:
        """The instructions that computed the values of these instances and those that forwarded them, with function."""
        found: set[tuple[str, int]] = set()
        for root in roots:
            at: Node | None = root
            for _ in range(_MAX_CHAIN_LENGTH):
                if at is None:
                    break
                if at[1] >= 0:
                    found.add((self.trace.at(at[0]).fn.name, at[1]))
                at = self._argument(at) or self._source(at) or self._base_of_null(at)
        return found

    def _argument(self, node: Node) -> Node | None:
        """The instance whose value was passed as the parameter that an instance stands for."""
        if node[1] >= 0:
            return None
        return next((target for kind, target in self.dependence.edges(node) if kind == "data"), None)

    def _base_of_null(self, node: Node) -> Node | None:
        """The pointer whose element or member an address is, where that is close to null: the pointer is to blame."""
        instr = self.trace.instr(node) if node[1] >= 0 else None
        if instr is None or instr.op != "gep" or not isinstance(instr.args[0], int):
            return None
        try:
            is_null = int(self.trace.operand(node[0], instr.slot)) < _FIRST_PAGE
            return self.trace.definition(node[0], instr.args[0]) if is_null else None
        except UnknownValue:
            return None

    def _ends_statement(self, node: Node) -> bool:
        """Whether an instance is a store, a return or a branch with a value."""
        if node[1] < 0:
            return False
        instr = self.trace.instr(node)
        return instr.op in ("store", "ret", "br") and bool(instr.args)

    def origin(self, node: Node, place: Place) -> Place | None:
        """The statement whose value this instance forwarded; None if it computed one or chose an element for it."""
        if stores_to_computed_element(self.trace.at(node[0]).fn, self.trace.instr(node)):
            return None
        at = node
        for _ in range(_MAX_CHAIN_LENGTH):
            source = self._source(at)
            if source is None:
                return None
            at = source
            if self._ends_statement(at):
                there = self.places.of(at)
                if there is not None and there != place:
                    return there
        return None

    def _source(self, node: Node) -> Node | None:
        """The one instance whose value this one has, if it only forwards it."""
        if node[1] >= 0:
            instr = self.trace.instr(node)
            is_test = (
                instr.op == "icmp"
                and isinstance(instr.args[1], Const)
                and not instr.args[1].value
                and instr.detail[0] == "ne"
            )
            if not (instr.op in _FORWARDING or instr.op == "call" or is_test):
                return None
        sources = [target for kind, target in self.dependence.edges(node) if kind in _VALUE_EDGES]
        return sources[0] if len(sources) == 1 else None
