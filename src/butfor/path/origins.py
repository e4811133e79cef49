"""Which instance left each byte that a load read, and what that byte was."""

from __future__ import annotations

from dataclasses import dataclass

from butfor.trace.dependence import Dependence
from butfor.trace.log import EVENT, READ
from butfor.trace.memory import CHANGED, FOREIGN
from butfor.trace.trace import Node


@dataclass(frozen=True, slots=True)
class Origin:
    """The store, copy or library call that left a byte, None for what was there from the start; the byte itself."""

    node: Node | None
    byte: int


class Origins:
    """Origins of the bytes of loads. Copies are origins of their own, not followed."""

    def __init__(self, dependence: Dependence) -> None:
        self.dependence = dependence
        self.trace = dependence.trace
        self._known: dict[Node, tuple[Origin, ...]] = {}

    def of(self, load: Node) -> tuple[Origin, ...]:
        """The origin of each byte, lowest address first; raises Unknown for a load that was not completed."""
        known = self._known.get(load)
        if known is None:
            writers = [self._writer(w, k) for w, size in self.trace.writers(load) for k in range(size)]
            known = self._known[load] = tuple(Origin(w, b) for w, b in zip(writers, self.trace.loaded(load), strict=True))
        return known

    def _writer(self, writer: int, k: int) -> Node | None:
        if not writer:
            return None
        while writer < EVENT:
            if writer < READ:
                return self.trace.store_bytes((writer + k) >> 3)[1]
            number = (writer & 0x3FFFFFFF) >> 3
            r = self.trace.log.read[number - 1]
            flags, at = int(r["flags"]), (writer & 7) + k
            writer = 0 if flags & CHANGED else self.trace.log.read_sources(number)[at]
            k = 0
            if not writer:
                event = int(r["event"]) if flags & (CHANGED | FOREIGN) else 0
                return self.dependence.event_node(event) if event else None
        return self.dependence.event_node((writer & 0x3FFFFFFF) >> 3)
