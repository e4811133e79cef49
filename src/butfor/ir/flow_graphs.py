"""Algorithms over control-flow graphs: orders, components, (post-)dominators, control dependence.

A graph is a sequence of successor sequences; nodes are ints and a duplicate edge is harmless. Everything is iterative.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from butfor.ir.instructions import Function

Graph = Sequence[Sequence[int]]


def successors(function: Function) -> Graph:
    """The control-flow graph of a function: one tuple of successors per block."""
    return tuple(block.succs for block in function.blocks)


def reversed_graph(succs: Graph) -> list[list[int]]:
    """The graph with every edge reversed."""
    preds: list[list[int]] = [[] for _ in succs]
    for node, targets in enumerate(succs):
        for target in targets:
            preds[target].append(node)
    return preds


def _depth_first(succs: Graph, root: int) -> tuple[list[int], list[int], list[int]]:
    """Preorder, postorder and the parent of every node in a depth-first tree (-1: the root, or not reached)."""
    parent = [-1] * len(succs)
    seen = bytearray(len(succs))
    seen[root] = 1
    preorder, postorder = [root], []
    stack = [(root, iter(succs[root]))]
    while stack:
        node, targets = stack[-1]
        for target in targets:
            if not seen[target]:
                seen[target] = 1
                parent[target] = node
                preorder.append(target)
                stack.append((target, iter(succs[target])))
                break
        else:
            stack.pop()
            postorder.append(node)
    return preorder, postorder, parent


def reverse_post_order(succs: Graph, root: int = 0) -> list[int]:
    """The nodes reachable from the root, each before its successors but for retreating edges."""
    return _depth_first(succs, root)[1][::-1] if succs else []


def components(succs: Graph) -> list[list[int]]:
    """The strongly connected components, each before those it leads to (Kosaraju)."""
    everything = [*succs, range(len(succs))]
    preds = reversed_graph(succs)
    placed = bytearray(len(succs))
    found: list[list[int]] = []
    for start in reverse_post_order(everything, len(succs))[1:]:
        if placed[start]:
            continue
        placed[start] = 1
        members = [start]
        for node in members:  # grows while it is walked
            for pred in preds[node]:
                if not placed[pred]:
                    placed[pred] = 1
                    members.append(pred)
        found.append(members)
    return found


class _Forest:
    """Link and evaluate with path compression, as Lengauer and Tarjan define it."""

    def __init__(self, size: int) -> None:
        self.semi = list(range(size))
        self.ancestor = [-1] * size
        self.label = list(range(size))

    def evaluate(self, node: int) -> int:
        """The node of least semidominator between `node` and the root of its tree, the root excluded."""
        semi, ancestor, label = self.semi, self.ancestor, self.label
        if ancestor[node] < 0:
            return node
        path = []
        top = node
        while ancestor[ancestor[top]] >= 0:
            path.append(top)
            top = ancestor[top]
        for below in reversed(path):
            above = ancestor[below]
            if semi[label[above]] < semi[label[below]]:
                label[below] = label[above]
            ancestor[below] = ancestor[above]
        return label[node]


def _numbered_idoms(parent: list[int], preds: list[list[int]]) -> list[int]:
    """Immediate dominators where every node is its own depth-first number (Lengauer and Tarjan)."""
    size = len(parent)
    forest = _Forest(size)
    semi = forest.semi
    idom = [0] * size
    bucket: list[list[int]] = [[] for _ in range(size)]
    for node in range(size - 1, 0, -1):
        for pred in preds[node]:
            semi[node] = min(semi[node], semi[forest.evaluate(pred)])
        bucket[semi[node]].append(node)
        forest.ancestor[node] = parent[node]
        for waiting in bucket[parent[node]]:
            best = forest.evaluate(waiting)
            idom[waiting] = best if semi[best] < semi[waiting] else parent[node]
        bucket[parent[node]] = []
    for node in range(1, size):
        if idom[node] != semi[node]:
            idom[node] = idom[idom[node]]
    return idom


def immediate_dominators(succs: Graph, root: int = 0) -> tuple[int, ...]:
    """The immediate dominator of every node; -1 for the root and for nodes it does not reach."""
    result = [-1] * len(succs)
    if not succs:
        return ()
    preorder, _, parent = _depth_first(succs, root)
    number = {node: i for i, node in enumerate(preorder)}
    preds: list[list[int]] = [[] for _ in preorder]
    for node in preorder:
        for target in succs[node]:
            preds[number[target]].append(number[node])
    parents = [-1] + [number[parent[node]] for node in preorder[1:]]
    for i, dominator in enumerate(_numbered_idoms(parents, preds)):
        result[preorder[i]] = preorder[dominator] if i else -1
    return tuple(result)


@dataclass(frozen=True, slots=True)
class DominatorTree:
    """A tree of immediate (post-)dominators that answers dominance queries in constant time."""

    parent: tuple[int, ...]
    enter: tuple[int, ...]
    leave: tuple[int, ...]

    def dominates(self, above: int, below: int) -> bool:
        """Whether `above` (post-)dominates `below`, itself included; False when either is outside the tree."""
        return 0 < self.enter[above] <= self.enter[below] and self.leave[below] <= self.leave[above]


def dominator_tree(parent: tuple[int, ...], root: int = 0) -> DominatorTree:
    """The tree of the given immediate dominators."""
    children: list[list[int]] = [[] for _ in parent]
    for node, above in enumerate(parent):
        if above >= 0:
            children[above].append(node)
    if not parent:
        return DominatorTree((), (), ())
    enter, leave = [0] * len(parent), [0] * len(parent)
    preorder, postorder, _ = _depth_first(children, root)
    for i, node in enumerate(preorder):
        enter[node] = i + 1
    for node in postorder:
        leave[node] = max((leave[child] for child in children[node]), default=enter[node])
    return DominatorTree(parent, tuple(enter), tuple(leave))


def dominators(succs: Graph) -> DominatorTree:
    """The dominator tree from block 0; unreachable blocks are outside of it."""
    return dominator_tree(immediate_dominators(succs))


def with_virtual_exit(succs: Graph) -> list[list[int]]:
    """The graph plus node `len(succs)`, which every node reaches.

    Nodes without successors lead there; so does one node of every component that nothing leaves: the last in reverse
    post-order, which in an endless loop is its end, where the extra edge splits no branch.
    """
    size = len(succs)
    place = {node: i for i, node in enumerate(reverse_post_order(succs))}
    result = [list(targets) for targets in succs]
    for members in components(succs):
        inside = set(members)
        if all(target in inside for node in members for target in succs[node]):
            result[max(members, key=lambda node: (place.get(node, -1), node))].append(size)
    result.append([])
    return result


def immediate_postdominators(succs: Graph) -> tuple[int, ...]:
    """The immediate post-dominator of every block; the virtual exit is `len(succs)`, whose own entry is -1."""
    return immediate_dominators(reversed_graph(with_virtual_exit(succs)), len(succs))


def control_dependence(succs: Graph, ipdom: tuple[int, ...] | None = None) -> tuple[tuple[tuple[int, int], ...], ...]:
    """The (branch block, successor index) pairs that decide whether each block runs (Ferrante, Ottenstein, Warren).

    Only blocks with two different successors decide; the edges to the virtual exit are not decisions.
    """
    above = immediate_postdominators(succs) if ipdom is None else ipdom
    result: list[list[tuple[int, int]]] = [[] for _ in succs]
    for branch, targets in enumerate(succs):
        if len(set(targets)) < 2:
            continue
        for index, target in enumerate(targets):
            node = target
            while node != above[branch]:
                result[node].append((branch, index))
                node = above[node]
    return tuple(map(tuple, result))


@dataclass(frozen=True, slots=True)
class Component:
    """A loop of a weak topological order: its head, the elements after the head, and all of its blocks."""

    head: int
    body: tuple[OrderElement, ...]
    blocks: frozenset[int]


OrderElement = int | Component


def weak_topological_order(succs: Graph) -> tuple[OrderElement, ...]:
    """The blocks reachable from block 0, loops as nested components (Bourdoncle).

    Every edge leads forward, or to the head of a component that contains its source.
    """
    rank = {block: i for i, block in enumerate(reverse_post_order(succs))}
    return _nested_order(succs, sorted(rank, key=rank.__getitem__), rank)


def _nested_order(succs: Graph, blocks: list[int], rank: dict[int, int]) -> tuple[OrderElement, ...]:
    number = {block: i for i, block in enumerate(blocks)}
    inner = [[number[t] for t in succs[block] if t in number] for block in blocks]
    found: list[OrderElement] = []
    for members in components(inner):
        if len(members) == 1 and members[0] not in inner[members[0]]:
            found.append(blocks[members[0]])
            continue
        loop = sorted((blocks[m] for m in members), key=rank.__getitem__)
        head, *others = loop
        found.append(Component(head, _nested_order(succs, others, rank), frozenset(loop)))
    return tuple(found)
