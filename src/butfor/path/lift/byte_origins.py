"""Which instance left each byte that a load read, and what that byte was."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

from butfor.path.lift.effects import Copy
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.log.record_layout import FIRST_EVENT_ID, FIRST_READ_ID, ReadFlag, record_number
from butfor.trace.semantics.instruction_semantics import SemanticsError, to_bytes
from butfor.trace.trace import Node


@dataclass(frozen=True, slots=True)
class Origin:
    """The store, copy or library call that left a byte, None for initial data; and the byte itself, if known."""

    node: Node | None
    byte: int | None


@dataclass(frozen=True, slots=True)
class ReadByte:
    """A byte that a library call read: the row of the log that says so, its offset there, and its value if known."""

    event: int
    at: int
    address: int
    value: int | None = None


class ByteOrigins:
    """Origins of the bytes of loads. Copies are origins of their own, not followed."""

    def __init__(self, dependence: Dependence) -> None:
        self.dependence = dependence
        self.trace = dependence.trace
        self._images: dict[str, bytes] = {}
        self._known: dict[Node, tuple[Origin, ...]] = {}

    def of(self, load: Node) -> tuple[Origin, ...]:
        """The origin of each byte, lowest address first; raises UnknownValue for a load that was not completed."""
        known = self._known.get(load)
        if known is None:
            writers = [self._writer(w, k) for w, size in self.trace.writers(load) for k in range(size)]
            known = self._known[load] = tuple(
                Origin(w, b) for w, b in zip(writers, self.trace.loaded_bytes(load), strict=True)
            )
        return known

    def copied(self, copy: Copy) -> list[Origin]:
        """The origin of each byte that was copied."""
        found: list[Origin] = []
        for writer, size, address in self.trace.last_writers.runs_read(copy.event + 1, 0, copy.size, copy.source):
            for k in range(size):
                if not writer:
                    found.append(Origin(None, self._initial((address or 0) + k)))
                elif writer < FIRST_READ_ID:
                    found.append(Origin(self._writer(writer, k), self.trace.written_bytes(writer + k, 1)[0]))
                else:
                    found.append(Origin(self._writer(writer, k), None))
        return found

    def read(self, byte: ReadByte) -> Origin:
        """The origin of a byte that a library call read."""
        for writer, _, _ in self.trace.last_writers.runs_read(
            byte.event + 1, byte.at, byte.at + 1, byte.address - byte.at
        ):
            if not writer:
                known = self._initial(byte.address)
            else:
                known = self.trace.written_bytes(writer, 1)[0] if writer < FIRST_READ_ID else None
            return Origin(self._writer(writer, 0), byte.value if byte.value is not None else known)
        return Origin(None, byte.value)

    def _initial(self, address: int) -> int | None:
        """The byte with which a global began."""
        starts, names = self._globals
        k = bisect_right(starts, address) - 1
        if k < 0:
            return None
        image = self._image(names[k])
        return image[address - starts[k]] if address - starts[k] < len(image) else None

    @cached_property
    def _globals(self) -> tuple[list[int], list[str]]:
        rows = sorted(
            (self.trace.addresses[name], name)
            for name, _ in self.trace.program.global_table
            if name in self.trace.addresses
        )
        return [start for start, _ in rows], [name for _, name in rows]

    def _image(self, name: str) -> bytes:
        if name not in self._images:
            init = self.trace.program.source.global_variables()[name].init
            try:
                self._images[name] = b"" if init is None else to_bytes(self.trace.constant(init), init.type)
            except (SemanticsError, KeyError):
                self._images[name] = b""
        return self._images[name]

    def _writer(self, writer: int, k: int) -> Node | None:
        if not writer:
            return None
        while writer < FIRST_EVENT_ID:
            if writer < FIRST_READ_ID:
                return self.trace.find_store((writer + k) >> 3)[1]
            number = record_number(writer + k)
            r = self.trace.log.read[number - 1]
            flags, at = int(r["flags"]), (writer + k) & 7
            writer = 0 if flags & ReadFlag.CHANGED else self.trace.log.read_sources(number)[at]
            k = 0
            if not writer:
                event = int(r["event"]) if flags & (ReadFlag.CHANGED | ReadFlag.FOREIGN) else 0
                return self.dependence.event_node(event) if event else None
        return self.dependence.event_node(record_number(writer))
