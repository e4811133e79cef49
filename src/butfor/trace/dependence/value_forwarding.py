"""Statements that only pass a value on: `x = f();`, `return x;`, `g(x)`, `if (x)`. The statement that computed the value is what they stand for."""

from __future__ import annotations

from collections.abc import Iterable

from butfor.ir.instructions import Const
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.trace import Node
from butfor.trace.view.source_places import Place, Places

_HANDED_ON = frozenset(("load", "store", "ret", "br", "sext", "zext", "trunc", "bitcast", "freeze", "fpext"))
_CALLS = frozenset(("data", "call"))
_MOST = 20  # instances of a statement that are looked at
_DEEP = 40


class Passing:
    """Which statements of a run only hand on what another computed."""

    def __init__(self, places: Places, dependence: Dependence) -> None:
        self.places = places
        self.dependence = dependence
        self.trace = dependence.trace

    def origins(self, nodes: Iterable[Node]) -> dict[Place, Place]:
        """Of the statements of these instances, those that passed on the value of one and the same other statement each time, with that one."""
        found: dict[Place, Place | None] = {}
        looked: dict[Place, int] = {}
        for node in nodes:
            if not self._ends_statement(node):
                continue
            place = self.places.of(node)
            if place is None or looked.get(place, 0) >= _MOST or found.get(place, place) is None:
                continue
            looked[place] = looked.get(place, 0) + 1
            origin = self.origin(node, place)
            found[place] = origin if found.get(place, origin) == origin else None
        return {place: origin for place, origin in found.items() if origin is not None}

    def handed_on(self, roots: Iterable[Node]) -> set[tuple[str, int]]:
        """The instructions through which the values of these instances came unchanged, and those that computed them."""
        found: set[tuple[str, int]] = set()
        for root in roots:
            at: Node | None = root
            for _ in range(_DEEP):
                if at is None:
                    break
                if at[1] >= 0:
                    found.add((self.trace.at(at[0]).fn.name, at[1]))
                at = self._source(at)
        return found

    def _ends_statement(self, node: Node) -> bool:
        if node[1] < 0:
            return False
        instr = self.trace.instr(node)
        return instr.op in ("store", "ret", "br") and bool(instr.args)

    def origin(self, node: Node, place: Place) -> Place | None:
        """The statement whose value this instance of a statement handed on unchanged; None when it computed one, or chose an element for it."""
        if self._chooses(node):
            return None
        at = node
        for _ in range(_DEEP):
            source = self._source(at)
            if source is None:
                return None
            at = source
            if self._ends_statement(at):
                there = self.places.of(at)
                if there is not None and there != place:
                    return there
        return None

    def _chooses(self, node: Node) -> bool:
        """Whether a store goes to an element that an index says."""
        instr = self.trace.instr(node)
        address = instr.args[1] if instr.op == "store" else None
        fn = self.trace.at(node[0]).fn
        by = fn.instrs[fn.definer[address]] if isinstance(address, int) and fn.definer[address] >= 0 else None
        return by is not None and by.op == "gep" and any(isinstance(index, int) for index in by.args[1:])

    def _source(self, node: Node) -> Node | None:
        """The one instance that the value of this one is."""
        if node[1] >= 0:
            instr = self.trace.instr(node)
            is_test = (
                instr.op == "icmp"
                and isinstance(instr.args[1], Const)
                and not instr.args[1].value
                and instr.detail[0] == "ne"
            )
            if not (instr.op in _HANDED_ON or instr.op == "call" or is_test):
                return None
        sources = [target for kind, target in self.dependence.edges(node) if kind in _CALLS]
        return sources[0] if len(sources) == 1 else None
