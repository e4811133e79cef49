"""Where a replay from the start of the run stands in the log's columns."""

from __future__ import annotations

from dataclasses import dataclass

from butfor.trace.log.columns import Log
from butfor.trace.log.static_segments import StaticSegment


@dataclass(slots=True)
class Cursor:
    """The numbers of the next load, store, stored byte and address."""

    load: int
    store: int
    byte: int
    address: int

    def is_past_end(self, log: Log, s: StaticSegment, n: int) -> bool:
        """Whether the run ended before instruction n of its last segment."""
        e = s.layout.effects.get(n)
        if e is None:
            return False
        return bool(
            (e.loads and self.load + len(e.loads) > log.end.loads)
            or (e.stores and self.store + len(e.stores) > log.end.stores)
        )
