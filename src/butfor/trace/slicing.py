"""Backward slices, nearest first: instances in the order in which they matter to the root, within a bound."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from butfor.trace.dependence import Dependence
from butfor.trace.trace import Node

COSTS = {"data": 1.0, "call": 1.0, "control": 1.0, "address": 2.0, "potential": 3.0, "initial": 1.0, "uninit": 1.0}
KINDS = ("data", "control", "relevant")
_INNER = frozenset(("load", "gep", "phi", "select", "icmp", "fcmp", "zext", "sext", "trunc"))


@dataclass(slots=True)
class Slice:
    """Instances with their distance from the root and the edge by which each was first reached; leaves by kind; whether a bound cut it off."""

    distance: dict[Node, float] = field(default_factory=dict)
    reached: dict[Node, tuple[str, Node]] = field(default_factory=dict)
    initial: dict[int, Node] = field(default_factory=dict)  # address of initial data -> who read it
    uninit: dict[int, Node] = field(default_factory=dict)
    complete: bool = True


def backward(
    dependence: Dependence, roots: Iterable[Node], kind: str = "relevant", limit: int = 20_000, stop: Callable[[], bool] = lambda: False
) -> Slice:
    """The slice from these instances. kind: data (values and addresses), control (and decisions), relevant (and potential dependences)."""
    result = Slice()
    heap: list[tuple[float, int, int, Node]] = []
    best: dict[Node, float] = {}
    for root in roots:
        heapq.heappush(heap, (0.0, -root[0], -root[1], root))
        best[root] = 0.0
    while heap:
        cost, _, _, node = heapq.heappop(heap)
        if node in result.distance:
            continue
        if len(result.distance) >= limit or (len(result.distance) % 256 == 0 and stop()):
            result.complete = False
            break
        result.distance[node] = cost
        for edge, target in _edges(dependence, node, kind):
            if edge in ("initial", "uninit"):
                (result.initial if edge == "initial" else result.uninit).setdefault(target[0], node)
                continue
            price = cost + _price(dependence, edge, target)
            if target not in result.distance and price < best.get(target, float("inf")):
                best[target] = price
                result.reached[target] = (edge, node)
                heapq.heappush(heap, (price, -target[0], -target[1], target))
    return result


def _edges(dependence: Dependence, node: Node, kind: str) -> list[tuple[str, Node]]:
    edges = dependence.edges(node)
    if kind != "data":
        parent = dependence.control(node[0])
        if parent is not None:
            edges = [*edges, ("control", parent)]
        if kind == "relevant" and node[1] >= 0:
            edges = edges + dependence.potential(node)
    return edges


def _price(dependence: Dependence, edge: str, target: Node) -> float:
    """Inside one expression a step is nearly free; from statement to statement it costs what its kind costs."""
    if edge == "data" and target[1] >= 0 and dependence.trace.instr(target).op in _INNER:
        return 0.01
    if edge == "address" and target[1] >= 0 and dependence.trace.instr(target).op in ("gep", "alloca"):
        return COSTS["address"] - 1.0
    return COSTS[edge]
