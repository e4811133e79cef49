"""Decisions that kept another value from being assigned: potential dependence of loads, and of output that is missing.

Which branch arms could have assigned a cell is known statically. The run says more: which object was read, how often each branch went another
way since the cell was last assigned, and mostly also where the assignment would have gone to.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from butfor.ir.gc_pause import collector_paused
from butfor.ir.instructions import Operand
from butfor.ir.may_define import OUTPUT, Arm, DefiningArms, MayDefine, WriteReason, set_bits
from butfor.ir.points_to.may_write import AbstractCell, StructField
from butfor.trace.dependence.branch_outcomes import Arms, Turns
from butfor.trace.dependence.hypothetical_addresses import Supposed
from butfor.trace.dependence.object_at_address import Home, Homes
from butfor.trace.log.record_layout import FIRST_EVENT_ID, FIRST_READ_ID, EventKind, ReadFlag, record_number
from butfor.trace.trace import Node, Trace, UnknownValue

_NEAR = 64  # instances of a branch that are looked at
_MOST_READS = 32
_MOST_UNTOLD = (
    24  # decisions for one read of which it is not known where they would have written to; those nearest to the read
)


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
        self.is_bounded = False  # whether decisions were left out for their number
        self._arms: dict[DefiningArms, tuple[tuple[int, ...], Arms]] = {}
        self._told: dict[tuple[int, Arm, Operand], tuple[int, bool] | None] = {}

    @cached_property
    def may(self) -> MayDefine:
        """The static half."""
        with collector_paused():
            return MayDefine(self.trace.program, self.trace.executed_functions)

    @property
    def is_rough(self) -> bool:
        """Whether questions were asked and the points-to analysis had been given up: then members and sizes tell what a write may touch."""
        return "may" in self.__dict__ and not self.may.precise

    @cached_property
    def _turns(self) -> Turns:
        return Turns(self.trace, self.trace.executed_functions)

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
            reads = self.reads(node)
        except UnknownValue:
            return []
        fn, found = self.trace.at(node[0]).fn, dict[Node, None]()
        field = self.may.field(fn, instr)
        for read in reads:
            home = self.homes.at(read.address, read.until)
            if home is not None:
                found.update(dict.fromkeys(self._decisions(read, home, field if read.until == node[0] else None)))
            elif read.address == address:
                for cell in self.may.cells_of(fn, instr):
                    found.update(dict.fromkeys(self._kept(self.may.defining_arms(cell), read.since, read.until)))
        return list(found)

    def of_text(self, event: int, at: int) -> list[Node]:
        """The decisions that kept one byte of what a library call read from being assigned again."""
        found = dict[Node, None]()
        for read in self.text(event, at):
            home = self.homes.at(read.address, read.until)
            if home is not None:
                found.update(dict.fromkeys(self._decisions(read, home, None)))
        return list(found)

    def _decisions(self, read: Read, home: Home, field: StructField | None) -> Iterator[Node]:
        cell = AbstractCell(home.key, read.address - home.start, read.size, field=field)
        return self._kept(self.may.defining_arms(cell), max(read.since, home.birth), read.until, home, read)

    def missing_output(self, since: int, until: int) -> list[Node]:
        """The decisions between two points that kept something from being printed."""
        return list(dict.fromkeys(self._kept(self.may.defining_arms(OUTPUT), since, until)))

    # --- branches -----------------------------------------------------------------------------------------------------------

    def _kept(
        self, ways: DefiningArms, since: int, until: int, home: Home | None = None, read: Read | None = None
    ) -> Iterator[Node]:
        """For each arm the last instance of its branch that went another way, though the arm would have assigned the bytes that were read."""
        own, told = len(ways.own), len(ways.explained)
        numbers, arms = self._ready(ways)
        avoided = self._turns.avoided(arms, since, until)
        untold = sorted((row for row in avoided if row[0] >= own + told), key=lambda row: -self._turns.instance(row[1]))
        self.is_bounded = self.is_bounded or len(untold) > _MOST_UNTOLD
        for place, row in (*(row for row in avoided if row[0] < own + told), *untold[:_MOST_UNTOLD]):
            arm = self.may.arms[numbers[place]]
            if home is None or read is None or place >= own + told:
                p = self._turns.instance(row)
            elif place < own:
                tried = self._turns.back(arm, row, since, _NEAR)
                p = next((p for p in tried if self.log.frame_of(p) == home.frame), -1)
            else:
                p = self._last_writing(arm, ways.explained[place - own][1], row, since, home, read)
            if p >= 0:
                yield p, self.trace.program.function(arm.function).blocks[arm.block].end - 1

    def _ready(self, ways: DefiningArms) -> tuple[tuple[int, ...], Arms]:
        """The arms of some ways as numbers, own ones first, then told ones, then the rest; and ready for looking up."""
        found = self._arms.get(ways)
        if found is None:
            numbers = (*ways.own, *(arm for arm, _ in ways.explained), *set_bits(ways.unexplained))
            found = self._arms[ways] = numbers, self._turns.arms([self.may.arms[k] for k in numbers])
        return found

    def _last_writing(
        self, arm: Arm, reasons: tuple[WriteReason, ...], row: int, since: int, home: Home, read: Read
    ) -> int:
        """The last instance at which the arm would have assigned the bytes, or -1; the last of all when there are more than can be looked at."""
        for tried, p in enumerate(self._turns.back(arm, row, since, _NEAR)):
            if tried == _NEAR:
                return self._turns.instance(row)
            if self.would_write(arm, reasons, p, home, read):
                return p
        return -1

    def would_write(self, arm: Arm, reasons: tuple[WriteReason, ...], p: int, home: Home, read: Read) -> bool:
        """Whether the arm could have assigned these bytes at this instance of its branch; True when that cannot be told."""
        for reason in reasons:
            there = self._address(p, arm, reason.address)
            if there is None:
                return True
            if there[1] and reason.size:
                if there[0] < read.address + read.size and read.address < there[0] + reason.size:
                    return True
            elif home.start <= there[0] < home.end:
                return True
        return False

    def _address(self, p: int, arm: Arm, op: Operand | None) -> tuple[int, bool] | None:
        """The address that an operand under an arm would have been at an instance of its branch."""
        if op is None:
            return None
        key = (p, arm, op)
        if key not in self._told:
            target = self.trace.program.function(arm.function).blocks[arm.block].succs[arm.successor]
            self._told[key] = self.supposed.address(p, arm.block, target, op)
        return self._told[key]

    # --- what was read ------------------------------------------------------------------------------------------------------

    def reads(self, node: Node) -> list[Read]:
        """The bytes that a load read, and those that they were copied from before, each with the time of its last assignment."""
        work: list[tuple[int, Read]] = []
        address = int(self.trace.operand(node[0], self.trace.instr(node).args[0]))
        for writer, size in self.trace.writers(node):
            work.append((writer, Read(address, size, 0, node[0])))
            address += size
        return self._assigned(work)

    def text(self, event: int, at: int) -> list[Read]:
        """The same for one byte of what a library call read."""
        e = self.log.event[event]
        runs = self.trace.last_writers.runs_read(event + 1, at, at + 1, int(e["addr"]))
        return self._assigned(
            [(writer, Read(address, size, 0, int(e["seg"]))) for writer, size, address in runs if address is not None]
        )

    def _assigned(self, work: list[tuple[int, Read]]) -> list[Read]:
        found: list[Read] = []
        while work and len(found) < _MOST_READS:
            writer, read = work.pop()
            number = record_number(writer)
            if writer < FIRST_READ_ID:
                since = self.log.segment_of_store((writer + max(read.size, 1) - 1) >> 3) if writer else 0
                found.append(replace(read, since=since))
            elif writer >= FIRST_EVENT_ID:
                time = int(self.log.event[number - 1]["seg"])
                found.append(replace(read, since=time))
                work += self._copied(number, read, time)
            elif int(self.log.read[number - 1]["flags"]) & ReadFlag.CHANGED:
                event = int(self.log.read[number - 1]["event"])
                found.append(replace(read, since=int(self.log.event[event - 1]["seg"]) if event else 0))
            else:
                work += self._parts(number, writer & 7, read)
        return found

    def _copied(self, number: int, read: Read, time: int) -> Iterator[tuple[int, Read]]:
        """What an event copied to the bytes that were read."""
        e = self.log.event[number - 1]
        if int(e["kind"]) == EventKind.COPY:
            low = read.address - int(e["addr"])
            for writer, size, address in self.trace.last_writers.runs_read(
                number, low, low + read.size, int(e["addr2"])
            ):
                if address is not None:
                    yield writer, Read(address, size, 0, time)

    def _parts(self, number: int, first: int, read: Read) -> Iterator[tuple[int, Read]]:
        """The parts of a read whose bytes have different writers."""
        ids = self.log.read_sources(number)[first : first + read.size]
        k = 0
        while k < len(ids):
            length = 1
            while k + length < len(ids) and ids[k + length] == (
                ids[k] if ids[k] == 0 or ids[k] >= FIRST_EVENT_ID else ids[k] + length
            ):
                length += 1
            yield ids[k], replace(read, address=read.address + k, size=length)
            k += length
