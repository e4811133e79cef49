"""Outcomes of all executed branches as one table: when was an arm last avoided?

A branch avoids an arm when it takes another of its arms. The table answers that question for many arms at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from butfor.ir.may_define import Arm
from butfor.trace.log.columns import Log
from butfor.trace.trace import Trace

_NONE = -1
MAX_SEGMENTS = 1 << 24  # of the run, the latest: the table takes 32 bytes for each branch among them
Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class ExecutedArms:
    """Arms whose branches ran, as columns."""

    branches: Numbers  # the number of the branch
    targets: Numbers  # the segment that the arm begins with
    places: Numbers  # the index of the arm in the list that was given


class _Positions:
    """The instances of static segments from segment instance `first` on."""

    def __init__(self, log: Log, first: int) -> None:
        self.log = log
        self.first = first

    @cached_property
    def _sorted(self) -> tuple[Numbers, Numbers]:
        part = self.log.seg[self.first :]
        ends = np.cumsum(np.bincount(part, minlength=len(self.log.table)))
        return np.argsort(part, kind="stable") + self.first, np.concatenate(([0], ends))

    def of(self, segment: int) -> Numbers:
        """Those of one segment, ascending."""
        if not self.first:
            return self.log.positions(segment)
        order, ends = self._sorted
        return order[ends[segment] : ends[segment + 1]]


class BranchOutcomes:
    """All instances of the branches of executed functions, ordered by branch and then by time.

    A row is an instance: its segment instance, the segment it went to, and the latest earlier row of the same branch
    that went elsewhere. Of a very long run only the branches from segment instance `first` on are there.
    """

    def __init__(self, trace: Trace, executed: Sequence[str]) -> None:
        self.trace = trace
        self.first = max(len(trace.log) - MAX_SEGMENTS, 0)
        self._branches: dict[tuple[str, int], int] = {}
        places = _Positions(trace.log, self.first)
        rows = [np.empty(0, np.int64)]
        for name in executed:
            fn = trace.program.function(name)
            for block in fn.blocks:
                if len(set(block.succs)) > 1:
                    at = places.of(trace.static.last_of_block(fn, block.index))
                    at = at[at + 1 < len(trace.log)]
                    if len(at):
                        self._branches[name, block.index] = len(self._branches)
                        rows.append(at)
        self._at = np.concatenate(rows)
        self._firsts = np.cumsum([len(r) for r in rows])
        branch = np.repeat(np.arange(len(self._branches)), [len(r) for r in rows[1:]])
        self._width = len(trace.log) + 1
        self._keys = branch * self._width + self._at
        self._taken = self._taken_segments()
        changed = np.ones(len(branch), bool)
        changed[1:] = (self._taken[1:] != self._taken[:-1]) | (branch[1:] != branch[:-1])
        before = np.maximum.accumulate(np.where(changed, np.arange(len(branch)), 0)) - 1
        self._other = np.where(before >= self._firsts[branch], before, _NONE)

    def _taken_segments(self) -> Numbers:
        """The segment that each instance went to.

        That is the next one of the run, or the next one of the frame where a signal handler ran in between.
        """
        log = self.trace.log
        taken = log.seg[self._at + 1].astype(np.int64)
        for (name, block), b in self._branches.items():
            first, end = self._firsts[b : b + 2].tolist()
            targets = [self._first_segment(name, s) for s in self.trace.program.function(name).blocks[block].succs]
            for row in (np.flatnonzero(~np.isin(taken[first:end], targets)) + first).tolist():
                following = self.trace.next_in_frame(int(self._at[row]))
                taken[row] = log.segment(following) if following >= 0 else _NONE
        return taken

    def _first_segment(self, name: str, block: int) -> int:
        """The number of a block's first segment."""
        return self.trace.static.first_of_block(self.trace.program.function(name), block)

    def _target(self, arm: Arm) -> int:
        """The segment that an arm begins with."""
        block = self.trace.program.function(arm.function).blocks[arm.block]
        return self._first_segment(arm.function, block.succs[arm.successor])

    def executed(self, arms: Sequence[Arm]) -> ExecutedArms:
        """Those of some arms whose branches ran."""
        rows = []
        for place, arm in enumerate(arms):
            branch = self._branches.get((arm.function, arm.block))
            if branch is not None:
                rows.append((branch, self._target(arm), place))
        columns = np.array(rows, np.int64).reshape(-1, 3).T
        return ExecutedArms(columns[0], columns[1], columns[2])

    def last_avoided(self, arms: ExecutedArms, since: int, until: int) -> list[tuple[int, int]]:
        """The arms that were avoided from `since` on and before `until`: the place of each, and the last row where."""
        rows = self._keys.searchsorted(arms.branches * self._width + until) - 1
        kept = np.flatnonzero(rows >= self._firsts[arms.branches])
        rows = rows[kept]
        rows = np.where(self._taken[rows] == arms.targets[kept], self._other[rows], rows)
        late = (rows >= 0) & (self._at[rows] >= since)
        return list(zip(arms.places[kept[late]].tolist(), rows[late].tolist(), strict=True))

    def instance(self, row: int) -> int:
        """The segment instance of a row."""
        return int(self._at[row])

    def avoiding_instances(self, arm: Arm, row: int, since: int, limit: int) -> Iterator[int]:
        """The segment instances that avoided an arm, backwards from a row that did and not before `since`.

        There may be one more than `limit`, which tells the caller that there are more.
        """
        first = int(self._firsts[self._branches[arm.function, arm.block]])
        target = self._target(arm)
        for _ in range(limit + 1):
            if row < first or int(self._at[row]) < since:
                return
            yield int(self._at[row])
            row -= 1
            if row >= first and self._taken[row] == target:
                row = int(self._other[row])
