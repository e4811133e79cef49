"""Reads and writes of memory on a path: cells are read as the run read them, whoever wrote them last."""

from __future__ import annotations

from collections.abc import Iterable

from butfor.logic.terms import Term, concat, const, extract
from butfor.path.lift.byte_origins import Origin
from butfor.path.lift.external_inputs import ExternalInputs
from butfor.path.lift.lifting_state import Draft, LiftingState
from butfor.path.lift.memory_cells import MemoryCells
from butfor.path.path_model import Act, Cell, CellBytes, Input, Kind
from butfor.trace.dependence.hypothetical_addresses import HypotheticalAddresses
from butfor.trace.trace import Node, Trace
from butfor.trace.view.source_places import Place

_MISSING = object()
NOT_FOLLOWED = "statements that are not followed have their recorded values"


class PathMemory:
    """The memory of one path while it is made."""

    def __init__(
        self,
        trace: Trace,
        state: LiftingState,
        storage: MemoryCells,
        hypothetical: HypotheticalAddresses,
        inputs: ExternalInputs | None,
    ) -> None:
        self.trace = trace
        self.state = state
        self.storage = storage
        self.hypothetical = hypothetical
        self.inputs = inputs  # None when inputs are pinned
        self.starts: set[Node] = set()  # stores that bring what the program was started with into main's variables
        self._fixed: dict[
            str, Node | None
        ] = {}  # pointers and literals that were there from the start, and who put them there
        self.prologue: list[tuple[Cell, int, Input]] = []  # cells that begin with input, and their recorded values

    def loaded(
        self, address: int, origins: tuple[Origin, ...], node: Node, place: Place, writer_place: dict[Node, Place]
    ) -> Term | None:
        """What a load of these bytes reads; None when they are no cells."""
        ranges = self.storage.at(address, len(origins), node[0])
        if not _covers(ranges, address, len(origins)):
            return None
        for r in ranges:
            self._settle(r, origins[r.start - address : r.end - address], node, place, writer_place)
        return concat(map(self.value, ranges))

    def agree(self, address: int, origins: list[Origin], node: Node, place: Place) -> None:
        """Make cells hold what a copy read from them."""
        for r in self.storage.at(address, len(origins), node[0]):
            if r.start >= address and r.end <= address + len(origins):
                self._settle(r, tuple(origins[r.start - address : r.end - address]), node, place, {})

    def value(self, r: CellBytes) -> Term:
        """The value of a cell; pointers and literals in initial data are constants, as addresses of variables are."""
        name = r.cell.name
        if name in self._fixed and self.state.writers.get((r.home.life, r.start)) == self._fixed[name]:
            return const(self.state.initial[name], r.cell.sort)
        return self.state.current(r.cell)

    def _settle(
        self, r: CellBytes, origins: tuple[Origin, ...], node: Node, place: Place, writer_place: dict[Node, Place]
    ) -> None:
        """Make a cell hold what the run read from it.

        If its writer is not on the path, an instance assigns the recorded value.
        """
        keys = [(r.home.life, r.start + k) for k in range(r.size)]
        have = [self.state.writers.get(key, _MISSING) for key in keys]
        wanted = [o.node for o in origins]
        if have == wanted:
            return
        if any(o.byte is None for o in origins):
            return
        value = int.from_bytes(bytes(o.byte or 0 for o in origins), "little")
        if all(h is _MISSING for h in have):
            self._start(r, value, wanted)
            if any(w is not None and w not in self.starts for w in wanted):
                self.state.approximate.setdefault(NOT_FOLLOWED)
            elif r.home.key == ("nowhere",) and r.cell.name not in self._fixed:
                self.state.approximate.setdefault("memory that is no part of the program's own objects is as recorded")
        else:
            writer = next((w for w in wanted if w is not None), None)
            self.state.flush()
            where = place if writer is None else writer_place.get(writer, place)
            draft = Draft(Kind.ASSIGN, where, node, self.trace.log.frame_of(node[0]))
            draft.writes[r.cell.name] = (r.cell, const(value, r.cell.sort))
            draft.recorded[r.cell.name] = value
            self.state.emit(draft)
            self.state.approximate.setdefault(NOT_FOLLOWED)
        self.state.writers.update(zip(keys, wanted, strict=True))

    def _start(self, r: CellBytes, value: int, wanted: list[Node | None]) -> None:
        argument = self.inputs.argument(r.start, r.size) if self.inputs is not None and not any(wanted) else None
        if argument is not None:
            self.state.start(r.cell, None)
            self.state.now[r.cell.name] = value
            self.prologue.append((r.cell, value, argument))
        else:
            self.state.start(r.cell, value)
            is_pointer = r.cell.sort == 64 and (r.cell.is_pointer or r.home.key == ("nowhere",))
            if is_pointer or (r.home.key[0] in ("global", "literals") and not self.names_variable(r)):
                self._fixed[r.cell.name] = wanted[0]

    def names_variable(self, r: CellBytes) -> bool:
        """Whether the bytes are those of a variable of the source, not of a literal or an initialiser."""
        return self.state.names.is_variable(r.home)

    def peek(self, address: int, size: int, i: int) -> Term | None:
        """What a load that did not take place would have read; None when that cannot be told."""
        ranges = self.storage.at(address, size, i)
        if not _covers(ranges, address, size):
            return None
        writer = self.hypothetical.last_store(i, address, size)
        have = {self.state.writers.get((r.home.life, r.start + k), _MISSING) for r in ranges for k in range(r.size)}
        if (
            have == {_MISSING}
            and writer is not None
            and len(ranges) == 1
            and len(self.trace.stored_bytes(writer)) == size
        ):
            self._start(ranges[0], int.from_bytes(self.trace.stored_bytes(writer), "little"), [writer] * size)
            self.state.writers.update({(ranges[0].home.life, ranges[0].start + k): writer for k in range(size)})
        elif have != {writer} or writer is None:
            return None
        return concat(self.state.current(r.cell) for r in ranges)

    def store(self, draft: Draft, address: int, data: bytes, value: Term, node: Node) -> list[CellBytes]:
        """The cells at an address, into which a value of known bytes is put."""
        ranges = self.storage.at(address, len(data), node[0])
        for r in ranges:
            low = r.start - address
            draft.writes[r.cell.name] = (r.cell, self.state.simplify(extract(value, 8 * low, 8 * r.size)))
            draft.recorded[r.cell.name] = int.from_bytes(data[low : low + r.size], "little")
            draft.acts[r.cell.name] = Act(node)
        self.mark(ranges, node)
        return ranges

    def mark(self, ranges: Iterable[CellBytes], node: Node) -> None:
        """Note who assigned cells last."""
        self.state.writers.update({(r.home.life, r.start + k): node for r in ranges for k in range(r.size)})

    def held(self, address: int, size: int, i: int) -> list[CellBytes]:
        """The cells among some bytes that the path has given a value."""
        return [r for r in self.storage.at(address, size, i) if r.cell.name in self.state.now]

    def is_assigned(self, r: CellBytes) -> bool:
        """Whether a cell has a value that did not come from its start."""
        return r.cell.name in self.state.now and r.cell.name not in self.state.initial


def _covers(ranges: list[CellBytes], address: int, size: int) -> bool:
    return (
        bool(ranges)
        and ranges[0].start == address
        and ranges[-1].end == address + size
        and sum(r.size for r in ranges) == size
    )
