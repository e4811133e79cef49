"""Potential dependence: branches whose other arm could have assigned what was read, or printed.

The arms that may assign a cell are known statically. The run says more: which object was read, when each branch last
avoided such an arm since the cell was assigned, and mostly also which address the arm would have written to.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import islice

from butfor.ir.gc_pause import collector_paused
from butfor.ir.instructions import Operand
from butfor.ir.may_define import OUTPUT, Arm, DefiningArms, MayDefine, WriteReason
from butfor.ir.points_to.inclusion_solver import set_bits
from butfor.ir.points_to.may_write import AbstractCell, StructField
from butfor.trace.dependence.branch_outcomes import BranchOutcomes, ExecutedArms
from butfor.trace.dependence.hypothetical_addresses import HypotheticalAddresses
from butfor.trace.dependence.object_at_address import ConcreteObject, ConcreteObjects
from butfor.trace.log.record_layout import FIRST_EVENT_ID, FIRST_READ_ID, EventKind, ReadFlag, record_number
from butfor.trace.trace import Node, Trace, UnknownValue

_MAX_INSTANCES_SEARCHED = 64  # of one branch, backwards; in each, addresses of the other arm are computed
_MAX_INSTANCES_LISTED = 12_000  # the same where all of them are asked for: a path has as many steps at most
_MAX_READS = 32  # byte ranges that one load goes back to through copies; more are copies of copies of large objects
_MAX_UNEXPLAINED = 24  # branches for one read whose other arm may write anywhere: the nearest ones tell most


@dataclass(frozen=True, slots=True)
class ReadBytes:
    """Bytes of memory that were read, with the segment instances of their last assignment and of the read."""

    address: int
    size: int
    written_at: int
    read_at: int


@dataclass(frozen=True, slots=True)
class _Window:
    """What may be assigned from a segment instance on: the bytes of an object, or any cell that the arms define."""

    arms: DefiningArms
    since: int
    obj: ConcreteObject | None = None
    address: int = 0
    size: int = 0


class PotentialDependence:
    """Potential dependences of one run."""

    def __init__(self, trace: Trace, seconds_for_pointers: float = math.inf) -> None:
        self.trace = trace
        self._seconds_for_pointers = seconds_for_pointers
        self.log = trace.log
        self.is_truncated = False  # whether branches were left out because there were too many
        self.leaves_instances_out = False  # whether a branch had more instances than were searched
        self._arms: dict[DefiningArms, tuple[tuple[int, ...], ExecutedArms]] = {}
        self._addresses: dict[tuple[int, Arm, Operand], tuple[int, bool] | None] = {}

    @cached_property
    def may_define(self) -> MayDefine:
        """The arms that may assign each cell."""
        end = time.monotonic() + self._seconds_for_pointers
        with collector_paused():
            return MayDefine(self.trace.program, self.trace.executed_functions, lambda: time.monotonic() >= end)

    @property
    def is_imprecise(self) -> bool:
        """Whether the points-to analysis was needed but given up: then only members and sizes limit a write."""
        return "may_define" in self.__dict__ and not self.may_define.precise

    @property
    def left_out(self) -> int:
        """How many functions were needed but are too far from those that ran to be looked into."""
        return self.may_define.left_out if "may_define" in self.__dict__ else 0

    @cached_property
    def _outcomes(self) -> BranchOutcomes:
        return BranchOutcomes(self.trace, self.trace.executed_functions)

    @cached_property
    def objects(self) -> ConcreteObjects:
        """Objects by address."""
        return ConcreteObjects(self.trace, self.may_define)

    @cached_property
    def hypothetical(self) -> HypotheticalAddresses:
        """Addresses that arms not taken would have written to."""
        return HypotheticalAddresses(self.trace, self.may_define, self.objects)

    def of_load(self, node: Node) -> list[Node]:
        """The branches since the last assignment of what a load read whose other arm would have assigned it again.

        The last instance for each arm.
        """
        found: dict[Node, None] = {}
        for window, until in self._windows(node):
            found.update(dict.fromkeys(self._avoiding_branches(window, until)))
        return list(found)

    def of_loads(self, nodes: Iterable[Node]) -> list[Node]:
        """The same for many loads, with all instances for each arm up to a bound."""
        return self._all_in(found for node in nodes for found in self._windows(node))

    def of_reads(self, reads: Iterable[ReadBytes]) -> list[Node]:
        """The same for bytes that an arm not taken would have read."""
        met = ((read, self.objects.at(read.address, read.read_at)) for read in reads)
        return self._all_in((self._window(read, obj, None), read.read_at) for read, obj in met if obj is not None)

    def _all_in(self, windows: Iterable[tuple[_Window, int]]) -> list[Node]:
        latest: dict[_Window, int] = {}
        for window, until in windows:
            latest[window] = max(until, latest.get(window, until))
        found: dict[Node, None] = {}
        for window, until in latest.items():
            found.update(dict.fromkeys(self._avoiding_branches(window, until, every=True)))
        return list(found)

    def _windows(self, node: Node) -> Iterator[tuple[_Window, int]]:
        """For each part of what a load read: since when another assignment would count, and until when."""
        instr = self.trace.instr(node)
        if instr.op != "load":
            return
        try:
            address = int(self.trace.operand(node[0], instr.args[0]))
            reads = self.bytes_read(node)
        except UnknownValue:
            return
        fn = self.trace.at(node[0]).fn
        field = self.may_define.field(fn, instr)
        for read in reads:
            obj = self.objects.at(read.address, read.read_at)
            if obj is not None:
                yield self._window(read, obj, field if read.read_at == node[0] else None), read.read_at
            elif read.address == address:
                for cell in self.may_define.cells_of(fn, instr):
                    yield _Window(self.may_define.defining_arms(cell), read.written_at), read.read_at

    def _window(self, read: ReadBytes, obj: ConcreteObject, field: StructField | None) -> _Window:
        cell = AbstractCell(obj.key, read.address - obj.start, read.size, field=field)
        since = max(read.written_at, obj.birth)
        return _Window(self.may_define.defining_arms(cell), since, obj, read.address, read.size)

    def of_text(self, event: int, at: int) -> list[Node]:
        """The branches whose other arm would have assigned one byte that a library call read."""
        found = dict[Node, None]()
        for read in self.text_byte_read(event, at):
            obj = self.objects.at(read.address, read.read_at)
            if obj is not None:
                window = self._window(read, obj, None)
                found.update(dict.fromkeys(self._avoiding_branches(window, read.read_at)))
        return list(found)

    def missing_output(self, since: int, until: int) -> list[Node]:
        """The branches between two segment instances whose other arm would have printed something."""
        window = _Window(self.may_define.defining_arms(OUTPUT), since)
        return list(dict.fromkeys(self._avoiding_branches(window, until)))

    # --- branches -------------------------------------------------------------------------------------------

    def _avoiding_branches(self, window: _Window, until: int, *, every: bool = False) -> Iterator[Node]:
        """For each arm the last branch instance that avoided it although it would have assigned the bytes read.

        If `every`, all such instances, up to a bound for each arm.
        """
        arms, since = window.arms, window.since
        own, explained = len(arms.own), len(arms.own) + len(arms.explained)
        numbers, executed = self._executed(arms)
        self.is_truncated = self.is_truncated or (since < self._outcomes.first and len(executed.places) > 0)
        avoided = self._outcomes.last_avoided(executed, since, until)
        unexplained = sorted(
            (row for row in avoided if row[0] >= explained), key=lambda row: -self._outcomes.instance(row[1])
        )
        self.is_truncated = self.is_truncated or len(unexplained) > _MAX_UNEXPLAINED
        for place, row in (*(row for row in avoided if row[0] < explained), *unexplained[:_MAX_UNEXPLAINED]):
            arm = self.may_define.arms[numbers[place]]
            tried = self._avoiding_instances(arm, row, since, every)
            if window.obj is None or place >= explained:
                found = tried
            elif place < own:
                frame = window.obj.frame
                found = (p for p in tried if self.log.frame_of(p) == frame)
            elif every:
                wrote = partial(self._writes, arm, arms.explained[place - own][1], window)
                found = filter(wrote, tried)
            else:
                last = self._last_writing(arm, arms.explained[place - own][1], row, window)
                found = iter((last,) if last >= 0 else ())
            for p in found if every else islice(found, 1):
                yield p, self.trace.program.function(arm.function).blocks[arm.block].end - 1

    def _avoiding_instances(self, arm: Arm, row: int, since: int, every: bool) -> Iterator[int]:
        """The instances that avoided an arm, the last first, up to a bound."""
        most = _MAX_INSTANCES_LISTED if every else _MAX_INSTANCES_SEARCHED
        for tried, p in enumerate(self._outcomes.avoiding_instances(arm, row, since, most)):
            if tried == most:
                self.leaves_instances_out = True
                return
            yield p

    def _executed(self, arms: DefiningArms) -> tuple[tuple[int, ...], ExecutedArms]:
        """The numbers of the arms, own ones first, then explained ones, then the rest; and those that ran."""
        found = self._arms.get(arms)
        if found is None:
            numbers = (*arms.own, *(arm for arm, _ in arms.explained), *set_bits(arms.unexplained))
            found = self._arms[arms] = numbers, self._outcomes.executed([self.may_define.arms[k] for k in numbers])
        return found

    def _last_writing(self, arm: Arm, reasons: tuple[WriteReason, ...], row: int, window: _Window) -> int:
        """The last instance at which the arm would have assigned the bytes, or -1; the last of all if they are many."""
        found = self._outcomes.avoiding_instances(arm, row, window.since, _MAX_INSTANCES_SEARCHED)
        for tried, p in enumerate(found):
            if tried == _MAX_INSTANCES_SEARCHED:
                return self._outcomes.instance(row)
            if self._writes(arm, reasons, window, p):
                return p
        return -1

    def _writes(self, arm: Arm, reasons: tuple[WriteReason, ...], window: _Window, p: int) -> bool:
        assert window.obj is not None
        return self.would_write(arm, reasons, p, window.obj, window.address, window.size)

    def would_write(
        self, arm: Arm, reasons: tuple[WriteReason, ...], p: int, obj: ConcreteObject, address: int, size: int
    ) -> bool:
        """Whether the arm could have assigned these bytes at this instance of its branch; True if that is unknown."""
        for reason in reasons:
            there = self._address(p, arm, reason.address)
            if there is None:
                return True
            if there[1] and reason.size:
                if there[0] < address + size and address < there[0] + reason.size:
                    return True
            elif obj.start <= there[0] < obj.end:
                return True
        return False

    def _address(self, p: int, arm: Arm, op: Operand | None) -> tuple[int, bool] | None:
        """The address that an operand under an arm would have been at an instance of its branch, cached."""
        if op is None:
            return None
        key = (p, arm, op)
        if key not in self._addresses:
            target = self.trace.program.function(arm.function).blocks[arm.block].succs[arm.successor]
            self._addresses[key] = self.hypothetical.address(p, arm.block, target, op)
        return self._addresses[key]

    # --- bytes read -----------------------------------------------------------------------------------------

    def bytes_read(self, node: Node) -> list[ReadBytes]:
        """The bytes that a load read and those they were copied from, each with its last assignment."""
        work: list[tuple[int, ReadBytes]] = []
        address = int(self.trace.operand(node[0], self.trace.instr(node).args[0]))
        for writer, size in self.trace.writers(node):
            work.append((writer, ReadBytes(address, size, 0, node[0])))
            address += size
        return self._assigned(work)

    def text_byte_read(self, event: int, at: int) -> list[ReadBytes]:
        """The same for one byte that a library call read."""
        e = self.log.event[event]
        runs = self.trace.last_writers.runs_read(event + 1, at, at + 1, int(e["addr"]))
        return self._assigned([(writer, ReadBytes(address, size, 0, int(e["seg"]))) for writer, size, address in runs])

    def _assigned(self, work: list[tuple[int, ReadBytes]]) -> list[ReadBytes]:
        """The bytes of some writers, and those they were copied from, with their last assignments filled in."""
        found: list[ReadBytes] = []
        while work and len(found) < _MAX_READS:
            writer, read = work.pop()
            number = record_number(writer)
            if writer < FIRST_READ_ID:
                since = self.log.segment_of_store((writer + max(read.size, 1) - 1) >> 3) if writer else 0
                found.append(replace(read, written_at=since))
            elif writer >= FIRST_EVENT_ID:
                time = int(self.log.event[number - 1]["seg"])
                found.append(replace(read, written_at=time))
                work += self._copied(number, read, time)
            elif int(self.log.read[number - 1]["flags"]) & ReadFlag.CHANGED:
                event = int(self.log.read[number - 1]["event"])
                found.append(replace(read, written_at=int(self.log.event[event - 1]["seg"]) if event else 0))
            else:
                work += self._parts(number, writer & 7, read)
        return found

    def _copied(self, number: int, read: ReadBytes, time: int) -> Iterator[tuple[int, ReadBytes]]:
        """The writers and bytes that an event copied to the bytes read."""
        e = self.log.event[number - 1]
        if int(e["kind"]) == EventKind.COPY:
            low = read.address - int(e["addr"])
            for writer, size, address in self.trace.last_writers.runs_read(
                number, low, low + read.size, int(e["addr2"])
            ):
                yield writer, ReadBytes(address, size, 0, time)

    def _parts(self, number: int, first: int, read: ReadBytes) -> Iterator[tuple[int, ReadBytes]]:
        """The parts of a read whose bytes have different writers."""
        for k, writer, size in self.log.read_runs(number, first, first + read.size):
            yield writer, replace(read, address=read.address + k - first, size=size)
