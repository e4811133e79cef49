"""How the branches of a run went, as one table: for many arms at once, the last instance before a time at which the branch went another way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from butfor.ir.may_define import Arm
from butfor.trace.trace import Trace

_NONE = -1
Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Arms:
    """Some arms of executed branches: the branch of each, the segment that the arm begins with, and its place in the list they were given as."""

    branches: Numbers
    targets: Numbers
    places: Numbers


class Turns:
    """All instances of the branches of executed functions, by branch and then in time.

    A row is an instance: where it is in the run, the segment it went to, and the latest row of its branch before it that went elsewhere.
    """

    def __init__(self, trace: Trace, executed: Sequence[str]) -> None:
        self.trace = trace
        self._branches: dict[tuple[str, int], int] = {}
        rows = [np.empty(0, np.int64)]
        for name in executed:
            fn = trace.program.function(name)
            for block in fn.blocks:
                if len(set(block.succs)) > 1:
                    at = trace.log.positions(trace.static.last_of_block(fn, block.index))
                    at = at[at + 1 < len(trace.log)]
                    if len(at):
                        self._branches[name, block.index] = len(self._branches)
                        rows.append(at)
        self._at = np.concatenate(rows)
        self._firsts = np.cumsum([len(r) for r in rows])
        branch = np.repeat(np.arange(len(self._branches)), [len(r) for r in rows[1:]])
        self._width = len(trace.log) + 1
        self._keys = branch * self._width + self._at
        self._went = self._ways_taken()
        changed = np.ones(len(branch), bool)
        changed[1:] = (self._went[1:] != self._went[:-1]) | (branch[1:] != branch[:-1])
        before = np.maximum.accumulate(np.where(changed, np.arange(len(branch)), 0)) - 1
        self._other = np.where(before >= self._firsts[branch], before, _NONE)

    def _ways_taken(self) -> Numbers:
        """The segment that each instance went to: mostly the one that follows in the run, else, when a signal came, the next in the frame."""
        log = self.trace.log
        went = log.seg[self._at + 1].astype(np.int64)
        for (name, block), b in self._branches.items():
            first, end = self._firsts[b : b + 2].tolist()
            targets = [self._begin(name, s) for s in self.trace.program.function(name).blocks[block].succs]
            for row in (np.flatnonzero(~np.isin(went[first:end], targets)) + first).tolist():
                following = self.trace.next_in_frame(int(self._at[row]))
                went[row] = log.segment(following) if following >= 0 else _NONE
        return went

    def _begin(self, name: str, block: int) -> int:
        """The number of a block's first segment."""
        return self.trace.static.first_of_block(self.trace.program.function(name), block)

    def arms(self, given: Sequence[Arm]) -> Arms:
        """Those of some arms whose branches were run."""
        rows = []
        for place, arm in enumerate(given):
            branch = self._branches.get((arm.function, arm.block))
            if branch is not None:
                successor = self.trace.program.function(arm.function).blocks[arm.block].succs[arm.successor]
                rows.append((branch, self._begin(arm.function, successor), place))
        columns = np.array(rows, np.int64).reshape(-1, 3).T
        return Arms(columns[0], columns[1], columns[2])

    def avoided(self, arms: Arms, since: int, until: int) -> list[tuple[int, int]]:
        """Of the arms whose branch went another way from `since` on and before `until`: the place in the list, and the last row where it did."""
        rows = self._keys.searchsorted(arms.branches * self._width + until) - 1
        kept = np.flatnonzero(rows >= self._firsts[arms.branches])
        rows = rows[kept]
        rows = np.where(self._went[rows] == arms.targets[kept], self._other[rows], rows)
        late = (rows >= 0) & (self._at[rows] >= since)
        return list(zip(arms.places[kept[late]].tolist(), rows[late].tolist(), strict=True))

    def instance(self, row: int) -> int:
        """The segment instance that a row stands for."""
        return int(self._at[row])

    def back(self, arm: Arm, row: int, since: int, most: int) -> Iterator[int]:
        """From a row at which an arm was avoided, the segment instances where it was, backwards: so many, and one more to tell that there are."""
        first = int(self._firsts[self._branches[arm.function, arm.block]])
        target = self._begin(
            arm.function, self.trace.program.function(arm.function).blocks[arm.block].succs[arm.successor]
        )
        for _ in range(most + 1):
            if row < first or int(self._at[row]) < since:
                return
            yield int(self._at[row])
            row -= 1
            if row >= first and self._went[row] == target:
                row = int(self._other[row])
