"""Which calls may lead, over any number of calls, to a function, and the arms those calls are under."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from butfor.ir.flow_graphs import components
from butfor.ir.instructions import Instr
from butfor.ir.points_to.inclusion_solver import set_bits

CallSite = tuple[str, Instr]  # the function it is in, and the instruction


class CallReachability:
    """Calls that transitively reach a function, as bit sets of numbered calls; arms of branches as bit sets too.

    `over` gives the arms that a block of a function is under.
    """

    def __init__(
        self, calls_of: Callable[[str], Iterable[CallSite]], functions: Iterable[str], over: Callable[[str, int], int]
    ) -> None:
        self._numbers: dict[tuple[str, int], int] = {}
        self._instrs: list[Instr] = []
        self._in_block: dict[tuple[str, int], int] = {}
        self._calls: dict[str, int] = {}
        self._arms: dict[str, int] = {}
        names = list(functions)
        place = {name: k for k, name in enumerate(names)}
        after: list[set[int]] = [set() for _ in names]
        incoming: list[list[CallSite]] = []
        for k, name in enumerate(names):
            calls = [(caller, instr) for caller, instr in calls_of(name) if caller in place]
            incoming.append(calls)
            for caller, _ in calls:
                after[place[caller]].add(k)
        for members in components([sorted(a) for a in after]):  # callers come first
            bits = arms = 0
            for k in members:
                for caller, instr in incoming[k]:
                    bits |= 1 << self._number(caller, instr) | self._calls.get(caller, 0)
                    arms |= over(caller, instr.block) | self._arms.get(caller, 0)
            for k in members:
                self._calls[names[k]], self._arms[names[k]] = bits, arms

    def _number(self, caller: str, instr: Instr) -> int:
        known = self._numbers.get((caller, instr.index))
        if known is None:
            known = self._numbers[caller, instr.index] = len(self._instrs)
            self._instrs.append(instr)
            block = (caller, instr.block)
            self._in_block[block] = self._in_block.get(block, 0) | 1 << known
        return known

    def calls_to(self, name: str) -> int:
        """The calls through which a function may come to run."""
        return self._calls.get(name, 0)

    def arms_to(self, name: str) -> int:
        """The arms that such calls are under."""
        return self._arms.get(name, 0)

    def in_block(self, calls: int, name: str, block: int) -> Iterator[Instr]:
        """Those of some calls that are in one block."""
        for number in set_bits(calls & self._in_block.get((name, block), 0)):
            yield self._instrs[number]
