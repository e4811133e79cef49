"""What to try next: decisions to turn and edits to make, the most promising first."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from butfor.concolic.path_condition import Edit, Other, PathCondition, Site
from butfor.concolic.search_inputs import Input

_MOST_WAITING = 40_000
_BY_NOVELTY = (1.5, 0.6, 0.3, 0.0)
_PER_CHILD = 0.15  # what a run loses with each that was made from it
_EXACT = 32  # rounds of a loop that are told apart


@dataclass(frozen=True, slots=True, eq=False)
class Parent:
    """A run that was followed: where others start from."""

    given: Input
    path: PathCondition
    novelty: int
    generation: int


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """One thing to try: decision number `at` of a run turned to `other`, or an edit of its input."""

    parent: Parent
    at: int = 0
    other: Other | None = None
    edit: Edit | None = None


class Coverage:
    """Which segments and edges of the program were run, and how often in one run."""

    def __init__(self, segments: int) -> None:
        self.covered = np.zeros(segments, np.bool_)
        self.edges: set[int] = set()
        self._rounds: set[tuple[int, int]] = set()
        self._sets: set[int] = set()
        self._most = np.zeros(segments, np.int64)

    def add(self, counts: NDArray[np.int64], edges: NDArray[np.int64]) -> int:
        """How new a run is: 3 for new edges, 2 for a new set of known ones or more rounds than ever, 1 for another number of rounds, 0."""
        new_edges = set(edges.tolist()) - self.edges
        whole = hash(edges.tobytes())
        rounds = {
            (s, _round(c)) for s, c in zip(np.flatnonzero(counts).tolist(), counts[counts > 0].tolist(), strict=True)
        } - self._rounds
        self.covered |= counts > 0
        self.edges |= new_edges
        self._rounds |= rounds
        is_new_set = whole not in self._sets or bool((counts > self._most).any())
        self._most = np.maximum(self._most, counts)
        self._sets.add(whole)
        return 3 if new_edges else 2 if is_new_set else 1 if rounds else 0


def _round(count: int) -> int:
    return count if count <= _EXACT else _EXACT + count.bit_length()


class Agenda:
    """Candidates by how much they promise. What was often tried at one place sinks."""

    def __init__(self, coverage: Coverage) -> None:
        self.coverage = coverage
        self._tries: Counter[Site | tuple[object, ...]] = Counter()
        self._children: Counter[Parent] = Counter()
        self._newest: list[tuple[float, int, Candidate]] = []
        self._oldest: list[tuple[float, int, Candidate]] = []
        self._waiting: set[Candidate] = set()
        self._number = 0
        self._popped = 0
        self.dropped = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, candidate: Candidate) -> None:
        """One more to try."""
        if len(self._waiting) > _MOST_WAITING:
            self.dropped += 1
            return
        self._waiting.add(candidate)
        self._number += 1
        cost = self._cost(candidate)
        heapq.heappush(self._newest, (cost, -self._number, candidate))
        heapq.heappush(self._oldest, (cost, self._number, candidate))

    def pop(self) -> Candidate:
        """The best one: of equals mostly the newest, which goes deep into loops, now and then the oldest. Costs that grew are looked at again."""
        self._popped += 1
        heap = self._oldest if self._popped % 4 == 0 else self._newest
        while True:
            cost, number, candidate = heapq.heappop(heap)
            if candidate not in self._waiting:
                continue
            now = self._cost(candidate)
            if now <= cost + 0.01 or len(self._waiting) == 1:
                self._waiting.discard(candidate)
                self._tries[_place(candidate)] += 1
                self._children[candidate.parent] += 1
                return candidate
            heapq.heappush(heap, (now, number, candidate))

    def _cost(self, c: Candidate) -> float:
        tries = self._tries[_place(c)]
        base = (
            _BY_NOVELTY[c.parent.novelty]
            + 0.1 * math.log2(1 + c.parent.given.size)
            + _PER_CHILD * self._children[c.parent]
        )
        if c.edit is not None:
            return base + 0.5 + tries
        assert c.other is not None
        if c.other.is_error:
            base -= 4.0
        elif c.other.target >= 0 and not self.coverage.covered[c.other.target]:
            base -= 3.0
        return base + 0.6 * tries


def _place(c: Candidate) -> Site | tuple[object, ...]:
    if c.edit is not None:
        return c.edit.key[:3]
    assert c.other is not None
    return c.other.site
