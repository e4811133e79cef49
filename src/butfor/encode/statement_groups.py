"""Statement instances: which instructions belong to the same store, branch, call or return."""

from __future__ import annotations

from collections.abc import Iterable

from butfor.encode.instance_values import InstanceValues
from butfor.trace.dependence.dependence import Dependence, Edge
from butfor.trace.trace import Node

_STATEMENT_OPS = frozenset(("store", "br", "switch", "indirectbr", "ret", "atomicrmw", "cmpxchg"))
_EDGES_WITHIN_STATEMENTS = frozenset(("data", "address", "call"))


class Links:
    """The dependences between chosen instances, computed once."""

    def __init__(self, dependence: Dependence, nodes: Iterable[Node]) -> None:
        self.dependence = dependence
        self.trace = dependence.trace
        self.values = InstanceValues(self.trace)
        self.nodes = dict.fromkeys(nodes)
        self._edges: dict[Node, list[Edge]] = {}

    def edges(self, node: Node) -> list[Edge]:
        """The dependences of an instance other than on control."""
        known = self._edges.get(node)
        if known is None:
            known = self._edges[node] = self.dependence.edges(node)
        return known

    def sources(self, node: Node) -> list[Node]:
        """The instances that the value of an instance came from, addresses left out."""
        return [target for kind, target in self.edges(node) if kind in ("data", "call")]


def statement_groups(links: Links, roots: Iterable[Node]) -> dict[Node, dict[Node, None]]:
    """The instances of each statement instance by the one that names it; what feeds two statements belongs to both."""
    found: dict[Node, dict[Node, None]] = {}
    placed: set[Node] = set()
    owners = {node: owner for node in links.nodes if (owner := _owner(links, node)) is not None}
    heads = {node: owners.get(node, node) for node in (*owners, *(r for r in roots if r in links.nodes))}
    for node, name in heads.items():
        _collect(links, node, found.setdefault(name, {}), heads, placed)
    for node in links.nodes:
        if node not in placed:
            _collect(links, node, found.setdefault(node, {}), heads, placed)
    return found


def _owner(links: Links, node: Node) -> Node | None:
    """The statement instance that an instance stands for; None for a part of an expression."""
    if node[1] < 0:
        return links.trace.call_of(node[0]) or node
    instr = links.trace.instr(node)
    if instr.op == "store" and links.trace.at(node[0]).fn.is_parameter(instr.args[0]):
        return links.trace.call_of(node[0]) or node  # the callee puts its parameter into a variable
    if instr.op in _STATEMENT_OPS or links.values.is_act(node):
        return node
    if instr.op == "call":  # the result of library code belongs to the call
        acts = [t for t in links.sources(node) if t in links.nodes and t[1] == node[1] and links.values.is_act(t)]
        return acts[0] if acts else None
    return None


def _collect(links: Links, start: Node, group: dict[Node, None], heads: dict[Node, Node], placed: set[Node]) -> None:
    work = [start]
    while work:
        node = work.pop()
        if node in group:
            continue
        group[node] = None
        placed.add(node)
        work += [
            t
            for kind, t in links.edges(node)
            if kind in _EDGES_WITHIN_STATEMENTS and t in links.nodes and t not in heads
        ]
