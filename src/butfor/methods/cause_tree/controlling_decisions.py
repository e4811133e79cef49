"""The decisions that let a statement run: the one right over it, and those of the blocks that it stands in."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from butfor.encode.justification import Justifier
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.trace import Node

MAX_DECISIONS_WALKED = 1_000  # around the instances of one cause: what is farther out is found from the nearest ones
MAX_SEGMENTS_BETWEEN = 16  # from one decision to the evaluation of the next: where there are more, something else ran


class ControllingDecisions:
    """Decisions over the instances of one run.

    Branches of an expression such as `x = a && b` whose value is among the `values` of a cause are data: what they let
    run is let run by what is over them.
    """

    def __init__(self, dependence: Dependence, justifier: Justifier) -> None:
        self.dependence = dependence
        self.trace = dependence.trace
        self._justifier = justifier

    def over(self, i: int, values: Collection[Node] = ()) -> tuple[Node | None, list[Node]]:
        """The closest decision that let a segment instance run, and the calls on the way to it."""
        calls = []
        parent = self.dependence.control(i)
        while parent is not None:
            if self.trace.instr(parent).op == "call":
                calls.append(parent)
            elif not self._is_data(parent, values):
                break
            parent = self.dependence.control(parent[0])
        return parent, calls

    def around(self, decision: Node, values: Collection[Node], seen: set[Node]) -> Iterator[Node]:
        """The decisions of the blocks around a decision in its function, inside out, of each the nearest instance.

        A decision that led straight to the evaluation of the next one is left to that one: of a row of `else if`, the
        last condition is explained by the one before it. The walk ends at what was `seen`, and adds to it.
        """
        met = {self._static(decision)}
        inner = decision
        while len(seen) < MAX_DECISIONS_WALKED:
            outer = self.dependence.control(inner[0])
            if outer is None or outer in seen or self.trace.instr(outer).op == "call":
                return
            seen.add(outer)
            if self._static(outer) not in met:
                met.add(self._static(outer))
                if not self._is_data(outer, values) and not self._leads_straight_to(outer, inner):
                    yield outer
            inner = outer

    def _static(self, node: Node) -> tuple[int, int]:
        return self.trace.log.segment(node[0]), node[1]

    def _is_data(self, branch: Node, values: Collection[Node]) -> bool:
        return branch in values or any(v in values for v in self.dependence.merged_values(branch))

    def _leads_straight_to(self, outer: Node, inner: Node) -> bool:
        """Whether nothing ran between two decisions but the evaluation of the second, and that assigned nothing."""
        first = self._justifier.decision_of(inner)[1][0][0]
        at = self.trace.next_in_frame(outer[0])
        for _ in range(MAX_SEGMENTS_BETWEEN):
            if not 0 <= at <= first:
                return False
            s = self.trace.at(at)
            if any(instr.op == "store" for instr in s.fn.instrs[s.seg.start : s.seg.end]):
                return False
            if at == first:
                return True
            at = self.trace.next_in_frame(at)
        return False
