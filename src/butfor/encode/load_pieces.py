"""The bytes that a load read, each traced to the store that wrote it, through copies."""

from __future__ import annotations

from dataclasses import dataclass, replace

from butfor.trace.dependence.dependence import Dependence
from butfor.trace.log.record_layout import FIRST_EVENT_ID, FIRST_READ_ID, EventKind, ReadFlag, record_number
from butfor.trace.trace import Node, Trace


@dataclass(frozen=True, slots=True)
class Piece:
    """Neighbouring bytes of a load with one origin: a store, at `offset` of what it wrote, or the world outside.

    `calls` are the copies and library calls that brought them. `is_fixed`: initial data, whose value no statement gave.
    """

    size: int
    store: Node | None = None
    offset: int = 0
    calls: tuple[Node, ...] = ()
    is_fixed: bool = True


class LoadPieces:
    """The pieces of the loads of one run."""

    def __init__(self, dependence: Dependence) -> None:
        self.dependence = dependence
        self.trace: Trace = dependence.trace

    def of(self, load: Node) -> list[Piece]:
        """The pieces of a load, lowest address first."""
        found: list[Piece] = []
        for writer, size in self.trace.writers(load):
            if writer < FIRST_READ_ID and (writer & 7) + size <= 8:  # one store, as nearly always
                _append(found, replace(self._byte(writer, 0), size=size))
                continue
            for k in range(size):
                _append(found, self._byte(writer, k))
        return found

    def _byte(self, writer: int, k: int) -> Piece:
        """Byte k of what a writer left."""
        if writer < FIRST_READ_ID:
            return self._trace_back(writer + k if writer else 0, 0)
        number = record_number(writer)
        r = self.trace.log.read[number - 1]
        flags = int(r["flags"])
        at = (writer & 7) + k
        source = 0 if flags & ReadFlag.CHANGED else self.trace.log.read_sources(number)[at]
        if source:
            return self._trace_back(source, int(r["addr"]) + at)
        if flags & ReadFlag.INITIAL and not flags & ReadFlag.CHANGED:
            return Piece(1)
        return Piece(
            1,
            calls=self._event(int(r["event"])) if flags & (ReadFlag.CHANGED | ReadFlag.FOREIGN) else (),
            is_fixed=False,
        )

    def _trace_back(self, writer: int, address: int) -> Piece:
        """The byte that a writer left at an address, followed through copies."""
        calls: dict[Node, None] = {}
        while writer:
            if writer < FIRST_READ_ID:
                return self._stored(writer, tuple(calls))
            number = record_number(writer)
            if writer < FIRST_EVENT_ID:
                at = writer & 7
                address, writer = (
                    int(self.trace.log.read[number - 1]["addr"]) + at,
                    self.trace.log.read_sources(number)[at],
                )
                continue
            calls.update(dict.fromkeys(self._event(number)))
            e = self.trace.log.event[number - 1]
            if int(e["kind"]) != EventKind.COPY:
                return Piece(1, calls=tuple(calls), is_fixed=bool(calls))
            low = address - int(e["addr"])
            runs = self.trace.last_writers.runs_read(number, low, low + 1, int(e["addr2"]))
            writer, _, start = runs[0] if runs else (0, 0, 0)
            address = start or 0
        return Piece(1, calls=tuple(calls))

    def _event(self, number: int) -> tuple[Node, ...]:
        node = self.dependence.event_node(number) if number else None
        return () if node is None else (node,)

    def _stored(self, writer: int, calls: tuple[Node, ...]) -> Piece:
        at, node = self.trace.find_store(writer >> 3)
        i, n = node
        start = self.trace.log.counts_before(i).bytes + self.trace.at(i).offsets[n].bytes
        return Piece(1, node, at - start + (writer & 7), calls)


def _append(found: list[Piece], piece: Piece) -> None:
    """Append a piece, or extend the last one where it continues that."""
    last = found[-1] if found else None
    if (
        last is None
        or replace(piece, size=0, offset=0) != replace(last, size=0, offset=0)
        or (last.store is not None and piece.offset != last.offset + last.size)
    ):
        found.append(piece)
    else:
        found[-1] = replace(last, size=last.size + piece.size)
