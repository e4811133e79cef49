"""The global variables of a run by address."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property

from butfor.ir.program import Program
from butfor.trace.log.columns import Log


class GlobalVariables:
    """Where the global variables of a program were in a run."""

    def __init__(self, log: Log, program: Program) -> None:
        self.log = log
        self.program = program

    @cached_property
    def _by_address(self) -> tuple[list[int], list[int]]:
        rows = sorted(
            (int(o["start"]), k)
            for k, o in enumerate(self.log.object[: len(self.program.global_table) + 1])
            if int(o["size"])
        )
        return [start for start, _ in rows], [k for _, k in rows]

    def __iter__(self) -> Iterator[tuple[str, int]]:
        """The name and address of each, in the order of their addresses."""
        for start, number in zip(*self._by_address, strict=True):
            yield self.program.global_table[int(self.log.object[number]["site"])][0], start

    def at(self, address: int) -> tuple[str, int] | None:
        """The name of the one at an address, and the offset in it."""
        starts, numbers = self._by_address
        k = bisect_right(starts, address) - 1
        if k < 0:
            return None
        o = self.log.object[numbers[k]]
        offset = address - int(o["start"])
        return (self.program.global_table[int(o["site"])][0], offset) if offset < int(o["size"]) else None
