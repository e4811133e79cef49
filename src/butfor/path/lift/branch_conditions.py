"""Which condition of the source a branch instance is a part of, and where its evaluation went."""

from __future__ import annotations

from dataclasses import dataclass

from butfor.encode.justification import Justifier
from butfor.path.lift.condition_terms import Stretch, stretch_since
from butfor.trace.trace import Node, Trace


@dataclass(frozen=True, slots=True)
class ConditionEvaluation:
    """One evaluation of a condition: its branch instances in order, all its blocks, and the block it left to.

    `joins`: its outcome is a value. `gates` are those branch instances that only chose an operand, by `?:`.
    """

    nodes: tuple[Node, ...]
    head: int
    blocks: frozenset[int]
    taken: int
    joins: bool
    stretch: Stretch
    gates: frozenset[Node] = frozenset()

    @property
    def last(self) -> Node:
        """Where it was decided."""
        return self.nodes[-1]


class ConditionEvaluations:
    """Evaluations of conditions, each found once."""

    def __init__(self, trace: Trace, justifier: Justifier) -> None:
        self.trace = trace
        self.justifier = justifier
        self._known: dict[Node, ConditionEvaluation | None] = {}

    def of(self, node: Node) -> ConditionEvaluation | None:
        """The evaluation that a branch instance is a part of; None when the run ended in it."""
        if node not in self._known:
            found = self._find(node)
            self._known[node] = found
            if found is not None:
                self._known.update(dict.fromkeys(found.nodes, found))
        return self._known[node]

    def alone(self, node: Node) -> ConditionEvaluation | None:
        """The branch instance by itself, also where it is a part of a condition."""
        return self._made(
            (node,), self.trace.at(node[0]).seg.block, frozenset((self.trace.at(node[0]).seg.block,)), False
        )

    def _find(self, node: Node) -> ConditionEvaluation | None:
        decision, _ = self.justifier.decision_of(node)
        if decision is None:
            return self.alone(node)
        nodes = tuple(self.justifier.evaluation(node, decision))
        if self.trace.at(nodes[0][0]).seg.block != decision.head:
            return self.alone(node)
        gates = frozenset(node for node in nodes if self.trace.at(node[0]).seg.block in decision.gates)
        return self._made(nodes, decision.head, frozenset(decision.blocks), decision.joins, gates)

    def _made(
        self,
        nodes: tuple[Node, ...],
        head: int,
        blocks: frozenset[int],
        joins: bool,
        gates: frozenset[Node] = frozenset(),
    ) -> ConditionEvaluation | None:
        i = nodes[-1][0]
        while True:
            i = self.trace.next_in_frame(i)
            if i < 0:
                return None
            if self.trace.at(i).seg.block not in blocks or self.trace.at(i).seg.block == head or len(blocks) == 1:
                break
        stretch = stretch_since(self.trace, i, head)
        return (
            None
            if stretch is None
            else ConditionEvaluation(nodes, head, blocks, self.trace.at(i).seg.block, joins, stretch, gates)
        )
