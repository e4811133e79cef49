"""Decisions that kept another value from being assigned: potential dependence of loads, and of output that is missing.

Which branch arms could have assigned a cell is known statically. The run says more: which object was read, how often each branch went another
way since the cell was last assigned, and mostly also where the assignment would have gone to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from butfor.program.maydefine import OUTPUT, Arm, MayDefine, Way
from butfor.program.pointsto.writes import Cell
from butfor.trace.homes import Home, Homes
from butfor.trace.log import EVENT, READ
from butfor.trace.memory import CHANGED, COPY
from butfor.trace.supposed import Supposed
from butfor.trace.trace import Node, Trace, Unknown

_NEAR = 64  # instances of a branch that are looked at
_MOST_READS = 32


@dataclass(frozen=True, slots=True)
class Read:
    """Bytes of memory that were read at a time, and when they had last been assigned."""

    address: int
    size: int
    since: int
    until: int


class Potential:
    """Potential dependences of one run."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.log = trace.log
        self._avoided: dict[Arm, NDArray[np.int64]] = {}

    @cached_property
    def may(self) -> MayDefine:
        """The static half."""
        executed = sorted(set(self.log.table[self.log.counts > 0, 6].tolist()))
        return MayDefine(self.trace.program, tuple(self.trace.program.names[o] for o in executed))

    @cached_property
    def homes(self) -> Homes:
        """Objects by address."""
        return Homes(self.trace, self.may)

    @cached_property
    def supposed(self) -> Supposed:
        """What arms that were not taken would have done."""
        return Supposed(self.trace, self.may, self.homes)

    def of(self, node: Node) -> list[Node]:
        """The decisions between the last assignment and this load that kept another assignment of the cell from running."""
        instr = self.trace.instr(node)
        if instr.op != "load":
            return []
        try:
            address = int(self.trace.operand(node[0], instr.args[0]))
            reads = self._reads(node, address)
        except Unknown:
            return []
        fn, found = self.trace.at(node[0]).fn, dict[Node, None]()
        field = self.may.field(fn, instr)
        for read in reads:
            home = self.homes.at(read.address, read.until)
            if home is not None:
                cell = Cell(home.key, read.address - home.start, read.size, field=field if read.until == node[0] else None)
                found.update(dict.fromkeys(self._kept(self.may.ways(cell), max(read.since, home.birth), read.until, home, read)))
            elif read.address == address:
                for cell in self.may.cells_of(fn, instr):
                    found.update(dict.fromkeys(self._kept(self.may.ways(cell), read.since, read.until)))
        return list(found)

    def missing_output(self, since: int, until: int) -> list[Node]:
        """The decisions between two points that kept something from being printed."""
        return list(dict.fromkeys(self._kept(self.may.ways(OUTPUT), since, until)))

    # --- branches -----------------------------------------------------------------------------------------------------------

    def _kept(self, ways: Iterable[Way], since: int, until: int, home: Home | None = None, read: Read | None = None) -> Iterator[Node]:
        """For each arm the last instance of its branch that went another way, though the arm would have assigned the bytes that were read."""
        for way in ways:
            places = self.avoided(way.arm)
            low, high = (int(k) for k in places.searchsorted((since, until)))
            if low == high:
                continue
            n = self.trace.program.function(way.arm.function).blocks[way.arm.block].end - 1
            if way.is_own and home is not None:
                p = next((p for p in places[max(low, high - _NEAR) : high][::-1].tolist() if self.log.frame_of(p) == home.frame), -1)
            elif home is None or read is None or not way.reasons:
                p = int(places[high - 1])
            else:
                p = next((p for p in places[max(low, high - _NEAR) : high][::-1].tolist() if self.would_write(way, p, home, read)), -1)
                if p < 0 and high - low > _NEAR:
                    p = int(places[high - 1])  # there were more than can be looked at
            if p >= 0:
                yield p, n

    def avoided(self, arm: Arm) -> NDArray[np.int64]:
        """The instances at which a branch was decided but not for this arm, ascending."""
        found = self._avoided.get(arm)
        if found is None:
            fn, static = self.trace.program.function(arm.function), self.trace.static
            places = self.log.positions(static.closing(fn, arm.block))
            places = places[places + 1 < len(self.log)]
            begins = self.trace.program.layout(fn.name).first_of_block
            starts = [static.first(fn) + begins[b] for b in fn.blocks[arm.block].succs]
            went = self.log.seg[places + 1]
            is_plain = np.isin(went, starts)
            avoids = is_plain & (went != starts[arm.successor])
            for k in np.flatnonzero(~is_plain).tolist():  # a signal came in between
                following = self.trace.next_in_frame(int(places[k]))
                avoids[k] = following >= 0 and self.log.segment(following) != starts[arm.successor]
            found = self._avoided[arm] = places[avoids]
        return found

    def would_write(self, way: Way, p: int, home: Home, read: Read) -> bool:
        """Whether the arm could have assigned these bytes at this instance of its branch; True when that cannot be told."""
        target = self.trace.at(p).fn.blocks[way.arm.block].succs[way.arm.successor]
        for reason in way.reasons:
            there = None if reason.address is None else self.supposed.address(p, way.arm.block, target, reason.address)
            if there is None:
                return True
            if there[1] and reason.size:
                if there[0] < read.address + read.size and read.address < there[0] + reason.size:
                    return True
            elif home.start <= there[0] < home.end:
                return True
        return False

    # --- what was read ------------------------------------------------------------------------------------------------------

    def _reads(self, node: Node, address: int) -> list[Read]:
        """The bytes that a load read, and those that they were copied from before, each with the time of its last assignment."""
        work: list[tuple[int, Read]] = []
        for writer, size in self.trace.writers(node):
            work.append((writer, Read(address, size, 0, node[0])))
            address += size
        found: list[Read] = []
        while work and len(found) < _MOST_READS:
            writer, read = work.pop()
            number = (writer & 0x3FFFFFFF) >> 3
            if writer < READ:
                since = self.log.segment_of_store((writer + max(read.size, 1) - 1) >> 3) if writer else 0
                found.append(replace(read, since=since))
            elif writer >= EVENT:
                time = int(self.log.event[number - 1]["seg"])
                found.append(replace(read, since=time))
                work += self._copied(number, read, time)
            elif int(self.log.read[number - 1]["flags"]) & CHANGED:
                event = int(self.log.read[number - 1]["event"])
                found.append(replace(read, since=int(self.log.event[event - 1]["seg"]) if event else 0))
            else:
                work += self._parts(number, writer & 7, read)
        return found

    def _copied(self, number: int, read: Read, time: int) -> Iterator[tuple[int, Read]]:
        """What an event copied to the bytes that were read."""
        e = self.log.event[number - 1]
        if int(e["kind"]) == COPY:
            low = read.address - int(e["addr"])
            for writer, size, address in self.trace.memory.runs(number, low, low + read.size, int(e["addr2"])):
                if address is not None:
                    yield writer, Read(address, size, 0, time)

    def _parts(self, number: int, first: int, read: Read) -> Iterator[tuple[int, Read]]:
        """The parts of a read whose bytes have different writers."""
        ids = self.log.read_sources(number)[first : first + read.size]
        k = 0
        while k < len(ids):
            length = 1
            while k + length < len(ids) and ids[k + length] == (ids[k] if ids[k] == 0 or ids[k] >= EVENT else ids[k] + length):
                length += 1
            yield ids[k], replace(read, address=read.address + k, size=length)
            k += length
