"""Inclusion constraints between sets of places, solved with a worklist (Andersen).

A node stands for what a register, a variable or a word of memory may point to; its set is a bit set in a Python int, one bit for each place. Rules
make new constraints from the places that come into a set; what they do is up to `pointsto.py`. New places go on alone (difference propagation), and
nodes that copy from each other become one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from butfor.ir.flow_graphs import components

NO = -1  # the node of what holds no pointer
MOST_STEPS = 800_000  # some seconds
Rule = tuple[Callable[[int, Any, int], None], Any, int]  # called with new places, what else it needs, and another node


class Inclusions:
    """Nodes, their sets, and the constraints between them. `complete` is False when solving took too many steps and was given up."""

    def __init__(self) -> None:
        self.complete = True
        self.stopped = False  # set when there is no point in going on
        self.steps = 0
        self._parent: list[int] = []
        self._sets: list[int] = []
        self._done: list[int] = []  # what of each set has been passed on
        self._after: list[set[int]] = []
        self._rules: list[list[Rule]] = []
        self._order: list[int] = []
        self._waiting: set[int] = set()
        self._visits = 0
        self._listed: dict[int, tuple[int, ...]] = {}

    def node(self) -> int:
        """A new node."""
        n = len(self._parent)
        self._parent.append(n)
        self._sets.append(0)
        self._done.append(0)
        self._after.append(set())
        self._rules.append([])
        self._order.append(n)
        return n

    def find(self, n: int) -> int:
        """The node that stands for n since nodes were merged."""
        parent = self._parent
        while parent[n] != n:
            parent[n] = parent[parent[n]]
            n = parent[n]
        return n

    def bits_of(self, n: int) -> int:
        """The set of a node."""
        return self._sets[self.find(n)]

    def listed(self, bits: int) -> tuple[int, ...]:
        """The places in a set."""
        found = self._listed.get(bits)
        if found is None:
            out, rest = [], bits
            while rest:
                low = rest & -rest
                out.append(low.bit_length() - 1)
                rest ^= low
            found = self._listed[bits] = tuple(out)
        return found

    def add(self, n: int, bits: int) -> None:
        """Adds places to the set of a node."""
        n = self.find(n)
        if bits & ~self._sets[n]:
            self._sets[n] |= bits
            self._waiting.add(n)

    def copy(self, a: int, b: int) -> None:
        """What a may point to, b may point to."""
        a, b = self.find(a), self.find(b)
        if a != b and b not in self._after[a]:
            self._after[a].add(b)
            self.add(b, self._sets[a])

    def rule(self, n: int, act: Callable[[int, Any, int], None], detail: Any, other: int) -> None:
        """Calls a function with the places in the set of a node, and again with those that come into it later."""
        n = self.find(n)
        self._rules[n].append((act, detail, other))
        if self._done[n]:
            act(self._done[n], detail, other)

    def merge(self, a: int, b: int) -> None:
        """Makes two nodes one."""
        a, b = self.find(a), self.find(b)
        if a == b:
            return
        self._parent[b] = a
        self._done[a] &= self._done[b]
        self._sets[a] |= self._sets[b]
        self._after[a] |= self._after[b]
        self._rules[a] += self._rules[b]
        self._sets[b] = self._done[b] = 0
        self._after[b], self._rules[b] = set(), []
        self._waiting.add(a)

    def solve(self, more: Callable[[], bool]) -> None:
        """Applies all rules until nothing changes; `more` may add constraints when nothing is left to do."""
        while self._waiting or more():
            if self._visits > len(self._parent):
                self._visits = 0
                self._tidy()
            work = sorted(self._waiting, key=self._order.__getitem__)
            self._waiting.clear()
            for n in work:
                self._visit(n)
                if self.stopped or self.steps > MOST_STEPS:
                    self.complete = self.stopped
                    return

    def _visit(self, n: int) -> None:
        new = self._sets[n] & ~self._done[n]
        if not new:  # merged into another, or seen to already
            return
        self._visits += 1
        self._waiting.discard(n)
        self._done[n] = self._sets[n]
        self._spread(n, new)
        for act, detail, other in tuple(self._rules[n]):
            act(new, detail, other)

    def _spread(self, n: int, new: int) -> None:
        sets, parent = self._sets, self._parent
        is_stale = False
        for b in self._after[n]:
            if parent[b] != b:
                is_stale = True
                b = self.find(b)
            old = sets[b]
            both = old | new
            if both != old:
                sets[b] = both
                self._waiting.add(b)
        if is_stale:
            self._after[n] = {self.find(b) for b in self._after[n]} - {n}

    def _tidy(self) -> None:
        """Makes one node of those that copy from each other, and orders the rest: what is copied from comes first."""
        graph = [[self.find(b) for b in after] for after in self._after]
        for place, members in enumerate(components(graph)):
            for n in members:
                self._order[n] = place
            for n in members[1:]:
                self.merge(members[0], n)
