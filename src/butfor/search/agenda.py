"""What to try next: decisions to turn and edits to make, the most promising first."""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from butfor.search.inputs import Input
from butfor.search.path import Edit, Other, PathCondition, Site

_MOST_WAITING = 40_000
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

    def add(self, counts: NDArray[np.int64], edges: NDArray[np.int64]) -> int:
        """How new a run is: new segments and edges count most, then how often a segment was run."""
        fresh = int(((counts > 0) & ~self.covered).sum())
        new_edges = set(edges.tolist()) - self.edges
        rounds = {(s, _round(c)) for s, c in zip(np.flatnonzero(counts).tolist(), counts[counts > 0].tolist(), strict=True)} - self._rounds
        self.covered |= counts > 0
        self.edges |= new_edges
        self._rounds |= rounds
        return 8 * fresh + 4 * len(new_edges) + min(len(rounds), 8)


def _round(count: int) -> int:
    return count if count <= _EXACT else _EXACT + count.bit_length()


class Agenda:
    """Candidates by how much they promise. What was often tried at one place sinks."""

    def __init__(self, coverage: Coverage) -> None:
        self.coverage = coverage
        self._tries: Counter[Site | tuple[object, ...]] = Counter()
        self._heap: list[tuple[float, int, Candidate]] = []
        self._number = 0
        self.dropped = 0

    def __len__(self) -> int:
        return len(self._heap)

    def add(self, candidate: Candidate) -> None:
        """One more to try."""
        if len(self._heap) > _MOST_WAITING:
            self.dropped += 1
            return
        self._push(candidate)

    def _push(self, candidate: Candidate) -> None:
        self._number += 1
        heapq.heappush(self._heap, (self._cost(candidate), -self._number, candidate))

    def pop(self) -> Candidate:
        """The best one; costs that have grown meanwhile are looked at again."""
        while True:
            cost, _, candidate = heapq.heappop(self._heap)
            now = self._cost(candidate)
            if now <= cost + 0.5 or not self._heap or now <= self._heap[0][0]:
                self._tries[_place(candidate)] += 1
                return candidate
            self._push(candidate)

    def _cost(self, c: Candidate) -> float:
        tries = self._tries[_place(c)]
        base = 2.0 - min(c.parent.novelty, 16) / 8 + 0.02 * c.parent.generation
        if c.edit is not None:
            return base + 1.0 + 1.5 * tries
        assert c.other is not None
        if c.other.is_error:
            base -= 4.0
        elif c.other.target >= 0 and not self.coverage.covered[c.other.target]:
            base -= 3.0
        return base + 0.6 * tries


def _place(c: Candidate) -> Site | tuple[object, ...]:
    if c.edit is not None:
        return c.edit.key
    assert c.other is not None
    return c.other.site
