"""Backward dynamic slices: instances in order of their distance from the root, up to a bound."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from butfor.trace.dependence.dependence import Dependence, Edge
from butfor.trace.trace import Node, Trace

COSTS = {
    "data": 1.0,
    "call": 1.0,
    "control": 1.5,
    "guard": 3.0,
    "address": 2.0,
    "potential": 3.0,
    "initial": 1.0,
    "uninit": 1.0,
}
KINDS = ("data", "control", "relevant")
# Instances of a slice: some seconds. Control and potential dependences cost far more than data dependences.
MAX_INSTANCES = {"data": 150_000, "control": 40_000, "relevant": 40_000}
# Instances of one instruction; later ones of a loop are folded into its first, so that it does not fill the slice.
MAX_INSTANCES_PER_INSTRUCTION = {"data": 12_000, "control": 500, "relevant": 500}
_INSTANCES_PER_STOP_CHECK = 256  # asking for each would cost as much as the work
_STATEMENTS = frozenset(("store", "ret", "br", "switch", "indirectbr", "atomicrmw", "cmpxchg"))


@dataclass(slots=True)
class Slice:
    """The instances of a slice, with how they were reached."""

    distance: dict[Node, float] = field(default_factory=dict)  # from the nearest root
    reached: dict[Node, tuple[str, Node]] = field(default_factory=dict)  # by which kind of edge, and from where
    initial: dict[int, Node] = field(default_factory=dict)  # address of initial data -> the instance that read it
    uninit: dict[int, Node] = field(default_factory=dict)  # the same for uninitialised bytes
    complete: bool = True  # False if a bound cut it off


class Slicer:
    """Backward slices of one run, which share the dependences computed so far."""

    def __init__(self, dependence: Dependence, stop: Callable[[], bool] = lambda: False) -> None:
        self.dependence = dependence
        self.trace = dependence.trace
        self.stop = stop
        self._data: dict[Node, list[Edge]] = {}
        self._potential: dict[Node, list[Edge]] = {}

    def backward(
        self,
        roots: Iterable[Node],
        kind: str = "relevant",
        anchor: Node | None = None,
        limit: int | None = None,
        possible_roots: Iterable[Node] = (),
    ) -> Slice:
        """The slice from these instances.

        A data slice follows values and addresses, a control slice also control dependences, a relevant slice also
        potential dependences. `anchor` is where the failure shows: it matters why it was reached, not what it computed.
        `possible_roots` are further roots of relevant slices.
        """
        result = Slice()
        limit = MAX_INSTANCES[kind] if limit is None else limit
        fold = _LoopFolding(self.trace, MAX_INSTANCES_PER_INSTRUCTION[kind])
        heap: list[tuple[float, int, int, Node]] = []
        best: dict[Node, float] = {}
        for root in (*roots, *(() if anchor is None else (anchor,))):
            heapq.heappush(heap, (0.0, -root[0], -root[1], root))
            best[root] = 0.0
        for root in possible_roots if kind == "relevant" else ():
            heapq.heappush(heap, (COSTS["potential"], -root[0], -root[1], root))
            best.setdefault(root, COSTS["potential"])
        while heap:
            cost, _, _, node = heapq.heappop(heap)
            if node in result.distance:
                continue
            if len(result.distance) >= limit or self._is_stopped(len(result.distance)):
                result.complete = False
                break
            result.distance[node] = cost
            for edge, target in self._edges(node, kind, node == anchor):
                if edge in ("initial", "uninit"):
                    (result.initial if edge == "initial" else result.uninit).setdefault(target[0], node)
                    continue
                new_cost = cost + self._cost(edge, target)
                target = fold(target)
                if target not in result.distance and new_cost < best.get(target, float("inf")):
                    best[target] = new_cost
                    result.reached[target] = (edge, node)
                    heapq.heappush(heap, (new_cost, -target[0], -target[1], target))
        result.complete = result.complete and not fold.folded
        return result

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
            more = self._potential.get(node)
            if more is None:
                self._potential[node] = more = self.dependence.potential(node)
            edges = edges + more
        return edges

    def _cost(self, edge: str, target: Node) -> float:
        """The cost of an edge: nearly nothing within an expression, that of its kind from statement to statement."""
        op = self.trace.instr(target).op if target[1] >= 0 else ""
        if edge == "data" and op and op not in _STATEMENTS:
            return 0.1 if op == "call" else 0.01
        if edge == "address" and op in ("gep", "alloca"):
            return COSTS["address"] - 1.0
        if edge == "control" and self.dependence.is_guard(target):
            return COSTS["guard"]
        return COSTS[edge]


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
