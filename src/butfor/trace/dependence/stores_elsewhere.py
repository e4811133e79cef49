"""Stores that may assign what was read but wrote elsewhere in its object, perhaps by a wrong index."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from butfor.ir.instructions import Const, Function, Instr
from butfor.ir.points_to.may_write import AbstractCell
from butfor.trace.dependence.object_at_address import ConcreteObject
from butfor.trace.dependence.potential_dependence import PotentialDependence, ReadBytes
from butfor.trace.trace import Node, UnknownValue

_MAX_STORES_SEARCHED = 64  # into the object, latest first: the nearest ones are the likeliest
NAMED = ("local", "global", "byval")  # kinds of objects that have a name: those of a list take their turns
_MAX_STORES_PER_READ = 2  # of different instructions; more would crowd out other causes


class StoresElsewhere:
    """Finds such stores between the last assignment of a cell and the read."""

    def __init__(self, potential: PotentialDependence) -> None:
        self.potential = potential
        self.trace = potential.trace
        self.log = potential.log

    def of_load(self, node: Node) -> list[Node]:
        """The stores that could have assigned what a load read, the last of each instruction."""
        try:
            return self._among(self.potential.bytes_read(node), node)
        except UnknownValue:
            return []

    def in_other_objects(self, node: Node) -> list[Node]:
        """The stores by way of a pointer that could have assigned what a load read but went to another variable.

        The last of each instruction; it may have gone to what was read before.
        """
        try:
            reads = self.potential.bytes_read(node)
        except UnknownValue:
            return []
        return list(dict.fromkeys(store for read in reads for store in self._into_others(read) if store < node))

    def _into_others(self, read: ReadBytes) -> Iterator[Node]:
        obj = self.potential.objects.at(read.address, read.read_at)
        if obj is None or obj.key[0] not in NAMED:
            return
        cell = AbstractCell(obj.key, read.address - obj.start, read.size)
        found = 0
        for fn, instr in self.potential.may_define.computed_writers(cell):
            ran = self.log.positions(self.trace.static.defining_segment(fn, instr.index))
            ran = ran[ran.searchsorted(max(read.written_at, obj.birth)) : ran.searchsorted(read.read_at, side="right")]
            for i in ran[::-1][:1].tolist() if instr.op == "store" else ():
                there = self.potential.objects.at(int(self.trace.operand(i, instr.args[1])), i)
                if there is not None and there.key != obj.key:
                    yield i, instr.index
                    found += 1
            if found >= _MAX_STORES_PER_READ:
                return

    def of_text(self, event: int, at: int) -> list[Node]:
        """The same for one byte that a library call read."""
        return self._among(self.potential.text_byte_read(event, at))

    def _among(self, reads: list[ReadBytes], reader: Node | None = None) -> list[Node]:
        found: dict[Node, None] = {}
        for read in reads:
            obj = self.potential.objects.at(read.address, read.read_at)
            if obj is not None:
                found.update(
                    dict.fromkeys(store for store in self._stores(read, obj) if reader is None or store < reader)
                )
        return list(found)

    def _stores(self, read: ReadBytes, obj: ConcreteObject) -> Iterator[Node]:
        first = self.log.counts_before(max(read.written_at, obj.birth)).addresses
        end = self.log.counts_before(read.read_at).addresses + self.trace.at(read.read_at).seg.addresses
        there = self.log.address[first:end]
        cell = AbstractCell(obj.key, read.address - obj.start, read.size)
        seen: set[tuple[str, int]] = set()
        found = 0
        for k in np.flatnonzero((there >= obj.start) & (there < obj.end))[::-1][:_MAX_STORES_SEARCHED].tolist():
            q, n = self.trace.store_of_address(first + k)
            s = self.trace.at(q)
            instr, address = s.fn.instrs[n], int(there[k])
            length = sum(s.layout.effects[n].stores)
            overlaps = address < read.address + read.size and read.address < address + length
            if (s.fn.name, n) in seen or overlaps or not stores_to_computed_element(s.fn, instr):
                continue
            seen.add((s.fn.name, n))
            if instr in self.potential.may_define.writers(cell, s.fn.name, instr.block):
                yield q, n
                found += 1
                if found >= _MAX_STORES_PER_READ:
                    return


def stores_to_computed_element(fn: Function, instr: Instr) -> bool:
    """Whether an instruction is a store to an element whose index is computed."""
    address = fn.definition(instr.args[1]) if instr.op == "store" else None
    return (
        address is not None and address.op == "gep" and not all(isinstance(index, Const) for index in address.args[1:])
    )
