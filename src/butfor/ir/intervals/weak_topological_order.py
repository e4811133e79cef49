"""The order in which blocks are visited: a weak topological order, loops as nested components (Bourdoncle)."""

from __future__ import annotations

from dataclasses import dataclass

from butfor.ir.flow_graphs import Graph, components, reverse_post_order


@dataclass(frozen=True, slots=True)
class Component:
    """A loop: its head, what is visited after the head, and all of its blocks."""

    head: int
    body: tuple[Element, ...]
    blocks: frozenset[int]


Element = int | Component


def weak_topological_order(succs: Graph) -> tuple[Element, ...]:
    """The blocks that block 0 leads to, each after all that lead to it but for edges to the head of a component it is in."""
    rank = {block: i for i, block in enumerate(reverse_post_order(succs))}
    return _ordered(succs, sorted(rank, key=rank.__getitem__), rank)


def _ordered(succs: Graph, blocks: list[int], rank: dict[int, int]) -> tuple[Element, ...]:
    number = {block: i for i, block in enumerate(blocks)}
    inner = [[number[t] for t in succs[block] if t in number] for block in blocks]
    found: list[Element] = []
    for members in components(inner):
        if len(members) == 1 and members[0] not in inner[members[0]]:
            found.append(blocks[members[0]])
            continue
        loop = sorted((blocks[m] for m in members), key=rank.__getitem__)
        head, *others = loop
        found.append(Component(head, _ordered(succs, others, rank), frozenset(loop)))
    return tuple(found)
