"""Stores that could have assigned what was read, ran, and wrote to another part of the same object: their index may be what is wrong."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from butfor.ir.instructions import Const, Function, Instr
from butfor.ir.points_to.may_write import AbstractCell
from butfor.trace.dependence.object_at_address import Home
from butfor.trace.dependence.potential_dependence import Potential, Read
from butfor.trace.trace import Node, UnknownValue

_NEAR = 64  # stores into the object that are looked at
_MOST = 2  # for one read, of different instructions


class Elsewhere:
    """Looks for such stores between the last assignment of a cell and the read."""

    def __init__(self, potential: Potential) -> None:
        self.potential = potential
        self.trace = potential.trace
        self.log = potential.log

    def of(self, node: Node) -> list[Node]:
        """The stores that could have assigned what a load read, the last of each instruction."""
        try:
            return self._among(self.potential.reads(node), node)
        except UnknownValue:
            return []

    def of_text(self, event: int, at: int) -> list[Node]:
        """The same for one byte of what a library call read."""
        return self._among(self.potential.text(event, at))

    def _among(self, reads: list[Read], reader: Node | None = None) -> list[Node]:
        found: dict[Node, None] = {}
        for read in reads:
            home = self.potential.homes.at(read.address, read.until)
            if home is not None:
                found.update(
                    dict.fromkeys(store for store in self._stores(read, home) if reader is None or store < reader)
                )
        return list(found)

    def _stores(self, read: Read, home: Home) -> Iterator[Node]:
        first = self.log.counts_before(max(read.since, home.birth)).addresses
        end = self.log.counts_before(read.until).addresses + self.trace.at(read.until).seg.addresses
        there = self.log.address[first:end]
        cell = AbstractCell(home.key, read.address - home.start, read.size)
        seen: set[tuple[str, int]] = set()
        found = 0
        for k in np.flatnonzero((there >= home.start) & (there < home.end))[::-1][:_NEAR].tolist():
            q, n = self.trace.store_of_address(first + k)
            s = self.trace.at(q)
            instr, address = s.fn.instrs[n], int(there[k])
            length = sum(s.layout.effects[n].stores)
            overlaps = address < read.address + read.size and read.address < address + length
            if (s.fn.name, n) in seen or overlaps or not _is_indexed(s.fn, instr):
                continue
            seen.add((s.fn.name, n))
            if instr in self.potential.may.writers(cell, s.fn.name, instr.block):
                yield q, n
                found += 1
                if found >= _MOST:
                    return


def _is_indexed(fn: Function, instr: Instr) -> bool:
    """Whether an instruction stores to where an index that the run computed leads."""
    if instr.op != "store" or not isinstance(instr.args[1], int) or fn.definer[instr.args[1]] < 0:
        return False
    address = fn.instrs[fn.definer[instr.args[1]]]
    return address.op == "gep" and not all(isinstance(index, Const) for index in address.args[1:])
