"""The execution of a path of which only those instances run that a change reaches; all else is as it was."""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator

from butfor.logic.terms import Term
from butfor.path.execute.path_execution import Domain, Lookup, Nesting, PathExecution
from butfor.path.execute.symbolic_execution import SymbolicExecution

CLOSE, EFFECT, RUN = range(3)  # what happens at a position, in this order
Event = tuple[int, int, int]  # position, what happens there, number of an effect


class SparseExecution(PathExecution[Term]):
    """The execution again: `now` has the cells that hold other values than in `before`.

    `unchanged` says what cells held then, by name and position.
    """

    def __init__(
        self,
        before: SymbolicExecution,
        domain: Domain[Term],
        leaves: Callable[[int], bool],
        unchanged: Callable[[str, int], Term],
        nesting: Nesting,
    ) -> None:
        super().__init__(before.path, domain, leaves, nesting)
        self.before = before
        self.unchanged = unchanged
        # events, each with the cell that is read or written there, the number of that touch, and of the cell's change
        self._queue: list[tuple[int, int, int, str, int, int]] = []
        self._changes: Counter[str] = Counter()  # of each cell so far: an entry for an earlier one is out of date
        self._filled = 0  # where the last arm ends of which all instances are looked at

    def held(self, name: str, position: int) -> Term:
        """What a cell holds, as it was or changed."""
        return self.now.get(name) or self.unchanged(name, position)

    def lookup(self, position: int) -> Lookup[Term]:
        """What any cell holds, as it was or changed."""
        now, unchanged = self.now, self.unchanged
        return lambda name: now.get(name) or unchanged(name, position)

    def assign(self, name: str, value: Term, position: int) -> None:
        """Give a cell a value, and queue the next instance that this reaches."""
        self._changes[name] += 1
        if value is self.unchanged(name, position):
            self.now.pop(name, None)
            return
        self.now[name] = value
        self._queue_touch(name, bisect_left(self.before.touches[name], position))

    def enter(self, branch: int, runs: Term) -> None:
        """Begin an arm; if it may not run, all its instances are reached, and its end."""
        super().enter(branch, runs)
        if branch not in self.guards:
            return
        end = self.path.instances[branch].end
        for k in range(max(branch + 1, self._filled), end):
            self.later(k, RUN)
        self._filled = max(self._filled, end)
        self.later(end, CLOSE)

    def later(self, position: int, what: int, number: int = 0) -> None:
        """Queue what happens at a position."""
        heapq.heappush(self._queue, (position, what, number, "", 0, 0))

    def events(self) -> Iterator[Event]:
        """What happens, in order; more may be queued meanwhile."""
        last: Event | None = None
        while self._queue:
            position, what, number, name, touch, change = heapq.heappop(self._queue)
            if name:
                if change != self._changes[name]:
                    continue
                k = self.before.touches[name][touch]
                if k not in self.before.writers[name] or self.may_be_skipped(k):
                    self._queue_touch(name, touch + 1)
            event = position, what, number
            if event != last:
                last = event
                yield event

    def stop(self) -> None:
        """Forget what is queued."""
        self._queue.clear()

    def may_be_skipped(self, position: int) -> bool:
        """Whether the instance at a position may not be run although it is reached."""
        del position
        return False

    def reached_at(self, position: int) -> int:
        """The position at which an instance is run that a change reaches."""
        return position

    def _queue_touch(self, name: str, touch: int) -> None:
        """Queue an instance that reads or writes a cell, as the next one that its change reaches."""
        touches = self.before.touches[name]
        if touch < len(touches):
            position = self.reached_at(touches[touch])
            heapq.heappush(self._queue, (position, RUN, 0, name, touch, self._changes[name]))
