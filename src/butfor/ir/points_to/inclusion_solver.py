"""Inclusion constraints between sets of places, solved with a worklist (Andersen).

A node stands for what a register, a variable or a word of memory may point to; its set is a bit set in a Python int,
one bit for each place. Rules make new constraints from the places that enter a set; what they do is defined in
`points_to_sets.py`. Only new places are propagated (difference propagation), and nodes on a cycle of copies are merged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from butfor.ir.flow_graphs import components

NO_NODE = -1  # of values that hold no pointer
MAX_STEPS = 800_000  # word accesses and moves of places: a few seconds
_VISITS_PER_CLOCK_CHECK = 64  # a visit may take a millisecond
_MAX_BYTES = 2 << 30  # of all sets together, if each had as many bits as the longest
Rule = tuple[Callable[[int, Any, int], None], Any, int]  # a function of new places, a detail and another node


def set_bits(bits: int) -> tuple[int, ...]:
    """The numbers of the bits that are set, in order."""
    found = []
    while bits:
        low = bits & -bits
        found.append(low.bit_length() - 1)
        bits ^= low
    return tuple(found)


class InclusionSolver:
    """Nodes, their sets, and the constraints between them; `complete` is False if solving took too many steps."""

    def __init__(self) -> None:
        self.complete = True
        self.stopped = False  # set when an assumption turned out wrong and solving has to start again
        self.steps = 0
        self.is_over: Callable[[], bool] = lambda: False  # asked now and then: whether to give up
        self._parent: list[int] = []
        self._sets: list[int] = []
        self._propagated: list[int] = []  # the part of each set that successors and rules have seen
        self._successors: list[set[int]] = []
        self._rules: list[list[Rule]] = []
        self._order: list[int] = []
        self._worklist: set[int] = set()
        self._visits = 0
        self._longest = 0  # bits of the longest set
        self._listed: dict[int, tuple[int, ...]] = {}

    def node(self) -> int:
        """A new node."""
        n = len(self._parent)
        self._parent.append(n)
        self._sets.append(0)
        self._propagated.append(0)
        self._successors.append(set())
        self._rules.append([])
        self._order.append(n)
        return n

    def find(self, n: int) -> int:
        """The representative of a node since nodes were merged."""
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
            found = self._listed[bits] = set_bits(bits)
        return found

    def add(self, n: int, bits: int) -> None:
        """Add places to the set of a node."""
        n = self.find(n)
        if bits & ~self._sets[n]:
            self._sets[n] |= bits
            self._worklist.add(n)

    def copy(self, a: int, b: int) -> None:
        """Add the constraint that b may point to whatever a may point to."""
        a, b = self.find(a), self.find(b)
        if a != b and b not in self._successors[a]:
            self._successors[a].add(b)
            self.add(b, self._sets[a])

    def rule(self, n: int, act: Callable[[int, Any, int], None], detail: Any, other: int) -> None:
        """Call a function with the places in the set of a node, and again with those that enter it later."""
        n = self.find(n)
        self._rules[n].append((act, detail, other))
        if self._propagated[n]:
            act(self._propagated[n], detail, other)

    def merge(self, a: int, b: int) -> None:
        """Make two nodes one."""
        a, b = self.find(a), self.find(b)
        if a == b:
            return
        self._parent[b] = a
        self._propagated[a] &= self._propagated[b]
        self._sets[a] |= self._sets[b]
        self._successors[a] |= self._successors[b]
        self._rules[a] += self._rules[b]
        self._sets[b] = self._propagated[b] = 0
        self._successors[b], self._rules[b] = set(), []
        self._worklist.add(a)

    def solve(self, more: Callable[[], bool]) -> None:
        """Apply all rules until the fixpoint; `more` may add constraints when nothing is left to do."""
        while self._worklist or more():
            if self._visits > len(self._parent):
                self._visits = 0
                self._collapse_cycles()
            work = sorted(self._worklist, key=self._order.__getitem__)
            self._worklist.clear()
            for n in work:
                self._visit(n)
                if self.stopped or self._is_too_much():
                    self.complete = self.stopped
                    return

    def _is_too_much(self) -> bool:
        """Whether solving took too many steps, too much time or too much memory."""
        if self.steps > MAX_STEPS:
            return True
        if self._visits % _VISITS_PER_CLOCK_CHECK != 1:
            return False
        return self.is_over() or len(self._parent) * self._longest >> 3 > _MAX_BYTES

    def _visit(self, n: int) -> None:
        new = self._sets[n] & ~self._propagated[n]
        if not new:  # merged into another, or propagated already
            return
        self._visits += 1
        self._worklist.discard(n)
        self._propagated[n] = self._sets[n]
        self._longest = max(self._longest, new.bit_length())
        self._propagate(n, new)
        for act, detail, other in tuple(self._rules[n]):
            act(new, detail, other)

    def _propagate(self, n: int, new: int) -> None:
        sets, parent = self._sets, self._parent
        is_stale = False
        for b in self._successors[n]:
            if parent[b] != b:
                is_stale = True
                b = self.find(b)
            old = sets[b]
            both = old | new
            if both != old:
                sets[b] = both
                self._worklist.add(b)
        if is_stale:
            self._successors[n] = {self.find(b) for b in self._successors[n]} - {n}

    def _collapse_cycles(self) -> None:
        """Merge nodes on cycles of copies, and order the rest topologically."""
        graph = [[self.find(b) for b in after] for after in self._successors]
        for place, members in enumerate(components(graph)):
            for n in members:
                self._order[n] = place
            for n in members[1:]:
                self.merge(members[0], n)
