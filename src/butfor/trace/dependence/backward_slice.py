"""Backward dynamic slices: instances in order of their distance from the root, up to a bound."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from butfor.trace.dependence.dependence import Dependence, Edge
from butfor.trace.dependence.edge_costs import COSTS, UNIT, costs_as_target
from butfor.trace.dependence.slice_kernel import SliceKernel
from butfor.trace.dependence.sliced_instances import (
    MAX_INSTANCES,
    MAX_INSTANCES_PER_INSTRUCTION,
    EdgeKinds,
    Slice,
    SlicedInstruction,
)
from butfor.trace.trace import Node, Trace

_INSTANCES_PER_STOP_CHECK = 16  # one whose other values are looked for may take milliseconds
MIN_SEGMENTS_FOR_KERNEL = 3_000  # a shorter run is sliced before the kernel has its tables


class Slicer:
    """Backward slices of one run, which share the dependences computed so far."""

    def __init__(self, dependence: Dependence, stop: Callable[[], bool] = lambda: False) -> None:
        self.dependence = dependence
        self.trace = dependence.trace
        self.stop = stop
        self.stop_asking: Callable[[], bool] = lambda: False  # which other decisions matter: each takes milliseconds
        self._is_cut = False  # whether one was not asked about
        self._data: dict[Node, list[Edge]] = {}
        self._potential: dict[Node, list[Edge]] = {}

    @cached_property
    def _kernel(self) -> SliceKernel | None:
        """The kernel that slices this run, where it is worth its tables and can be built."""
        return SliceKernel.of(self.dependence) if len(self.trace) >= MIN_SEGMENTS_FOR_KERNEL else None

    def backward(
        self,
        roots: Sequence[Node],
        kind: str = "relevant",
        anchor: Node | None = None,
        limit: int | None = None,
        possible_roots: Sequence[Node] = (),
    ) -> Slice:
        """The slice from these instances.

        A data slice follows values and addresses, a control slice also control dependences, a relevant slice also
        potential dependences. `anchor` is where the failure shows: it matters why it was reached, not what it computed.
        `possible_roots` are further roots of relevant slices.
        """
        possible_roots = possible_roots if kind == "relevant" else ()
        starts = [(root, 0) for root in (*roots, *(() if anchor is None else (anchor,)))]
        starts += [(root, COSTS["potential"]) for root in possible_roots]
        if self._kernel is not None:
            self._kernel.stop_asking = self.stop_asking
            found = self._kernel.backward(starts, kind, anchor, limit, self.stop)
            if found is not None:
                return found
        return self.walk(starts, kind, anchor, limit)

    def ages(self, loads: Sequence[Node]) -> list[int]:
        """For each load how many segment instances before it the latest of what it reads was written."""
        found = self._kernel.ages(loads) if self._kernel is not None else None
        return [self.age(load) for load in loads] if found is None else found

    def age(self, load: Node) -> int:
        """The same for one load, as the kernel computes it."""
        written = [target[0] for kind, target in self.dependence.edges(load) if kind == "data"]
        return load[0] - max(written, default=load[0])

    def walk(self, starts: Iterable[tuple[Node, int]], kind: str, anchor: Node | None, limit: int | None) -> Slice:
        """The slice from instances with their distances: what the kernel computes, but folded and bounded."""
        distance: dict[Node, float] = {}
        reached: EdgeKinds = {}
        result = Slice(lambda: (distance, {node: reached[node] for node in distance if node in reached}))
        limit = MAX_INSTANCES[kind] if limit is None else limit
        fold = _LoopFolding(self.trace, MAX_INSTANCES_PER_INSTRUCTION[kind])
        heap: list[tuple[int, int, int, Node]] = []
        best: dict[Node, int] = {}
        self._is_cut = False
        for root, cost in starts:
            heapq.heappush(heap, (cost, -root[0], -root[1], root))
            best.setdefault(root, cost)
        while heap:
            cost, _, _, node = heapq.heappop(heap)
            if node in distance:
                continue
            if len(distance) >= limit or self._is_stopped(len(distance)):
                result.complete = False
                break
            distance[node] = cost / UNIT
            for edge, target in self._edges(node, kind, node == anchor):
                if edge in ("initial", "uninit"):
                    reader = (result.initial if edge == "initial" else result.uninit).setdefault(target[0], node)
                    result.reader_distance[reader] = distance[reader]
                    continue
                new_cost = cost + self._cost(edge, target)
                target = fold(target)
                if target not in distance and (target not in best or new_cost < best[target]):
                    best[target] = new_cost
                    reached[target] = edge
                    heapq.heappush(heap, (new_cost, -target[0], -target[1], target))
        result.complete = result.followed_all = result.complete and not fold.folded and not self._is_cut
        result.size = len(distance)
        result.totals = lambda: self._totals(distance, reached)
        return result

    def _totals(self, distance: dict[Node, float], reached: EdgeKinds) -> tuple[SlicedInstruction, ...]:
        rows: dict[tuple[int, int, int], list[Node]] = {}
        for node in distance:
            rows.setdefault(self._total_key(node), []).append(node)
        return tuple(
            SlicedInstruction(row[0], distance[row[0]], len(row), frozenset(reached[n] for n in row if n in reached))
            for row in rows.values()
        )

    def _total_key(self, node: Node) -> tuple[int, int, int]:
        """The segment and instruction; and the calling segment where the call is the statement that is shown."""
        is_located = node[1] >= 0 and self.trace.program.source.location(self.trace.instr(node)) is not None
        call = None if is_located else self.trace.call_of(node[0])
        return self.trace.log.segment(node[0]), node[1], -1 if call is None else self.trace.log.segment(call[0])

    def _is_stopped(self, done: int) -> bool:
        return done % _INSTANCES_PER_STOP_CHECK == _INSTANCES_PER_STOP_CHECK - 1 and self.stop()

    def _edges(self, node: Node, kind: str, is_anchor: bool) -> list[Edge]:
        edges: list[Edge] = []
        if not is_anchor:
            known = self._data.get(node)
            if known is None:
                self._data[node] = known = self.dependence.edges(node)
            edges = known
        if kind == "data":
            return edges
        parent = self.dependence.control(node[0])
        if parent is not None:
            edges = [*edges, ("control", parent)]
        if kind == "relevant" and node[1] >= 0 and not is_anchor:
            edges = edges + self._possible(node)
        return edges

    def _possible(self, node: Node) -> list[Edge]:
        """The potential dependences of an instance; none once there is no time left to ask for them."""
        known = self._potential.get(node)
        if known is None:
            self._is_cut = self._is_cut or self.stop_asking()
            if self._is_cut:
                return []
            self._potential[node] = known = self.dependence.potential(node)
        return known

    def _cost(self, edge: str, target: Node) -> int:
        """The cost of an edge."""
        if target[1] < 0 or edge not in ("data", "address", "control"):
            return COSTS[edge]
        data, address, control = costs_as_target(self.trace.instr(target), self.dependence.is_guard(target))
        return data if edge == "data" else address if edge == "address" else control


class _LoopFolding:
    """Replaces an instance when a loop has brought too many of its instruction.

    The first one in the frame takes its place, which leads out of the loop, or else the first of the run, which leads
    out of a recursion.
    """

    def __init__(self, trace: Trace, limit: int) -> None:
        self.trace = trace
        self.limit = limit
        self.folded = False
        self.seen: dict[tuple[int, int], set[int]] = {}

    def __call__(self, node: Node) -> Node:
        i, n = node
        number = self.trace.log.segment(i)
        seen = self.seen.setdefault((number, n), set())
        if i in seen:
            return node
        if len(seen) < self.limit:
            seen.add(i)
            return node
        self.folded = True
        places = self.trace.log.positions(number)
        first = int(places[places.searchsorted(self.trace.frame_entry(i))])
        return (first if first < i else int(places[0])), n
