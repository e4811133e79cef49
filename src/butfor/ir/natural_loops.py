"""Loops of a control-flow graph: natural loops, how they nest, and irreducible regions."""

from __future__ import annotations

from dataclasses import dataclass

from butfor.ir.flow_graphs import DominatorTree, Graph, components, dominators, reverse_post_order, reversed_graph


@dataclass(frozen=True, slots=True)
class Loop:
    """A natural loop: `exits` are the (inside, outside) edges, `parent` the enclosing loop's number or -1."""

    header: int
    body: frozenset[int]
    latches: tuple[int, ...]
    exits: tuple[tuple[int, int], ...]
    parent: int


@dataclass(frozen=True, slots=True)
class Loops:
    """The loops of a function, outer before inner.

    `innermost[block]` is a loop number or -1, `depth[block]` counts the natural loops around the block. `irreducible`
    are cyclic regions entered at more than one block (a goto into a loop): they are not natural loops and do not count
    as depth.
    """

    loops: tuple[Loop, ...]
    innermost: tuple[int, ...]
    depth: tuple[int, ...]
    irreducible: tuple[frozenset[int], ...]


def _loop_body(header: int, latches: list[int], preds: list[list[int]], reachable: set[int]) -> frozenset[int]:
    """The blocks that reach a latch without passing the header."""
    body = {header}
    work = list(latches)
    while work:
        node = work.pop()
        if node not in body:
            body.add(node)
            work.extend(pred for pred in preds[node] if pred in reachable)
    return frozenset(body)


def _irreducible_regions(succs: Graph, order: list[int], tree: DominatorTree) -> tuple[frozenset[int], ...]:
    """The cycles that remain without the back edges of natural loops."""
    forward: list[list[int]] = [[] for _ in succs]
    for node in order:
        forward[node] = [target for target in succs[node] if not tree.dominates(target, node)]
    return tuple(frozenset(members) for members in components(forward) if len(members) > 1)


def _exit_edges(body: frozenset[int], succs: Graph) -> tuple[tuple[int, int], ...]:
    """The edges that leave the body."""
    return tuple(sorted({(node, target) for node in body for target in succs[node] if target not in body}))


def natural_loops(succs: Graph) -> Loops:
    """The natural loops reachable from block 0; loops that share a header are one loop."""
    order = reverse_post_order(succs)
    tree = dominators(succs)
    preds = reversed_graph(succs)
    latches: dict[int, list[int]] = {}
    for node in order:
        for target in set(succs[node]):
            if tree.dominates(target, node):
                latches.setdefault(target, []).append(node)
    reachable = set(order)
    bodies = {header: _loop_body(header, ends, preds, reachable) for header, ends in latches.items()}
    innermost = [-1] * len(succs)
    depth = [0] * len(succs)
    loops: list[Loop] = []
    for header in sorted(bodies, key=lambda node: (-len(bodies[node]), node)):
        body = bodies[header]
        loops.append(Loop(header, body, tuple(latches[header]), _exit_edges(body, succs), innermost[header]))
        for node in body:
            innermost[node] = len(loops) - 1
            depth[node] += 1
    return Loops(tuple(loops), tuple(innermost), tuple(depth), _irreducible_regions(succs, order, tree))
