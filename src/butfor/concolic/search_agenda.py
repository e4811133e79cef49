"""The agenda of the search: decisions to negate and input edits to make, the most promising first."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from butfor.concolic.path_condition import Alternative, AlternativeSite, InputEdit, PathCondition
from butfor.concolic.search_inputs import ProgramInput

_MAX_CANDIDATES = 40_000  # bounds memory: each keeps the path condition of its run alive
# Costs, relative to 1.0 for one more try of an edit at the same place.
_COST_BY_NOVELTY = (1.5, 0.6, 0.3, 0.0)
_COST_PER_CHILD = 0.15  # for each run that was made from the same parent: others get their turn
_COST_PER_SIZE_DOUBLING = 0.1  # small inputs are quick to run and easy to read
_COST_OF_EDIT = 0.5  # an edit is a guess, a solved decision is not
_COST_PER_TRY_OF_EDIT, _COST_PER_TRY_OF_DECISION = 1.0, 0.6
_BONUS_ERROR, _BONUS_UNCOVERED = 4.0, 3.0  # for an alternative that leads to a failure, or to new code
_BONUS_OPEN = 0.5  # for one from which a check can be reached that was not proved: decides between equals
_COST_TOLERANCE = 0.01  # a cost that grew by less still counts as the one in the heap
_OLDEST_EVERY = 4  # every fourth candidate is the oldest of its cost, so that no loop starves the rest
_MAX_EXACT_ITERATIONS = 32  # more iterations of a loop are told apart by their order of magnitude only


@dataclass(frozen=True, slots=True, eq=False)
class FollowedRun:
    """A run that was followed, from which others are made."""

    given: ProgramInput
    path: PathCondition
    novelty: int


@dataclass(frozen=True, slots=True, eq=False)
class SearchCandidate:
    """One thing to try: decision `at` of a run with the outcome `other`, or an edit of its input."""

    parent: FollowedRun
    at: int = 0
    other: Alternative | None = None
    edit: InputEdit | None = None


class Coverage:
    """Which segments and edges of the program were executed, and how often in one run."""

    def __init__(self, segments: int) -> None:
        self.covered = np.zeros(segments, np.bool_)
        self.edges: set[int] = set()
        self._iteration_classes: set[tuple[int, int]] = set()
        self._edge_sets: set[int] = set()
        self._max_counts = np.zeros(segments, np.int64)

    def add(self, counts: NDArray[np.int64], edges: NDArray[np.int64]) -> int:
        """How new a run is.

        3: it has new edges; 2: a new set of known edges, or more iterations than ever; 1: another number of iterations.
        """
        new_edges = set(edges.tolist()) - self.edges
        edge_set = hash(edges.tobytes())
        new_classes = {
            (s, _iterations_class(c))
            for s, c in zip(np.flatnonzero(counts).tolist(), counts[counts > 0].tolist(), strict=True)
        } - self._iteration_classes
        self.covered |= counts > 0
        self.edges |= new_edges
        self._iteration_classes |= new_classes
        is_new_set = edge_set not in self._edge_sets or bool((counts > self._max_counts).any())
        self._max_counts = np.maximum(self._max_counts, counts)
        self._edge_sets.add(edge_set)
        return 3 if new_edges else 2 if is_new_set else 1 if new_classes else 0


def _iterations_class(count: int) -> int:
    if count <= _MAX_EXACT_ITERATIONS:
        return count
    return _MAX_EXACT_ITERATIONS + count.bit_length()


class Agenda:
    """A priority queue of candidates; those at a place that was often tried sink."""

    def __init__(self, coverage: Coverage, before_open_checks: Collection[int] = ()) -> None:
        self.coverage = coverage
        self._before_open_checks = before_open_checks
        self._tries: Counter[AlternativeSite | tuple[object, ...]] = Counter()
        self._children: Counter[FollowedRun] = Counter()
        self._newest: list[tuple[float, int, SearchCandidate]] = []
        self._oldest: list[tuple[float, int, SearchCandidate]] = []
        self._waiting: set[SearchCandidate] = set()
        self._number = 0
        self._popped = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, candidate: SearchCandidate) -> None:
        """Add a candidate, unless the agenda is full."""
        if len(self._waiting) > _MAX_CANDIDATES:
            return
        self._waiting.add(candidate)
        self._number += 1
        cost = self._cost(candidate)
        heapq.heappush(self._newest, (cost, -self._number, candidate))
        heapq.heappush(self._oldest, (cost, self._number, candidate))

    def pop(self) -> SearchCandidate:
        """The cheapest candidate: of equals mostly the newest, which goes deep into loops, now and then the oldest.

        A candidate whose cost has grown since it was pushed goes back into the heap.
        """
        self._popped += 1
        heap = self._oldest if self._popped % _OLDEST_EVERY == 0 else self._newest
        while True:
            cost, number, candidate = heapq.heappop(heap)
            if candidate not in self._waiting:
                continue
            now = self._cost(candidate)
            if now <= cost + _COST_TOLERANCE or len(self._waiting) == 1:
                self._waiting.discard(candidate)
                self._tries[_tried_place(candidate)] += 1
                self._children[candidate.parent] += 1
                return candidate
            heapq.heappush(heap, (now, number, candidate))

    def _cost(self, c: SearchCandidate) -> float:
        tries = self._tries[_tried_place(c)]
        base = (
            _COST_BY_NOVELTY[c.parent.novelty]
            + _COST_PER_SIZE_DOUBLING * math.log2(1 + c.parent.given.size)
            + _COST_PER_CHILD * self._children[c.parent]
        )
        if c.edit is not None:
            return base + _COST_OF_EDIT + _COST_PER_TRY_OF_EDIT * tries
        assert c.other is not None
        if c.other.is_error:
            base -= _BONUS_ERROR
        elif c.other.target >= 0 and not self.coverage.covered[c.other.target]:
            base -= _BONUS_UNCOVERED
        if c.other.target in self._before_open_checks:
            base -= _BONUS_OPEN
        return base + _COST_PER_TRY_OF_DECISION * tries


def _tried_place(c: SearchCandidate) -> AlternativeSite | tuple[object, ...]:
    if c.edit is not None:
        return c.edit.key[:3]
    assert c.other is not None
    return c.other.site
