"""The jumps that were executed between a decision and what it let run, and the case labels that led there."""

from __future__ import annotations

from collections.abc import Iterator

from butfor.source.source_model import Role
from butfor.trace.trace import Node, Trace
from butfor.trace.view.source_places import Place, Places

MAX_SEGMENTS_WALKED = 64  # back from an instance to the decision over it; jumps farther away are those of loops


class ExecutedJumps:
    """Jumps between decisions and what they control: a wrong label, an early return, a `break` that is missing."""

    def __init__(self, trace: Trace, places: Places) -> None:
        self.trace = trace
        self.places = places

    def between(self, decision: Node, i: int) -> Iterator[tuple[Place, Node]]:
        """The jumps from a branch instance to segment instance i of the same frame, each with its instance.

        Of a switch also the labels it went to, and where control fell into another case: the statement that it fell
        from and the label.
        """
        switch = self.trace.instr(decision).op == "switch"
        if switch:
            following = self.trace.next_in_frame(decision[0])
            yield from self._labels(following, decision)
        at = i
        for _ in range(MAX_SEGMENTS_WALKED):
            before = self.trace.log.previous_in_frame(at)
            if before <= decision[0]:
                return
            yield from self._jump(before)
            if switch and self._falls(decision, before, at):
                yield from self._labels(at, decision)
                yield from self._last_statement(before)
            at = before

    def in_arm(self, decision: Node) -> Iterator[tuple[Place, Node]]:
        """The jump that ended the arm that a branch instance took, if its first block ends in one."""
        following = self.trace.next_in_frame(decision[0])
        if following >= 0:
            yield from self._jump(following)

    def _jump(self, i: int) -> Iterator[tuple[Place, Node]]:
        """The jump that ends a segment."""
        s = self.trace.at(i)
        if s.last.op == "br" and not s.last.is_conditional:
            place = self.places.of_instr(s.fn, s.last)
            if place is not None and place.role in (Role.JUMP, Role.RETURN):
                yield place, (i, s.last.index)

    def _falls(self, switch: Node, before: int, at: int) -> bool:
        """Whether control came to a case of the switch from the code of another case."""
        s, there = self.trace.at(before), self.trace.at(at)
        targets = self.trace.at(switch[0]).fn.blocks[self.trace.at(switch[0]).seg.block].succs
        return (
            s.last.op == "br"
            and not s.last.is_conditional
            and there.seg.block in targets
            and s.seg.block != there.seg.block
            and not any(True for _ in self._jump(before))
        )

    def _labels(self, i: int, node: Node) -> Iterator[tuple[Place, Node]]:
        """The case labels at which a segment instance begins."""
        if i < 0:
            return
        fn = self.trace.at(i).fn
        tree = self.places.tree_of(fn)
        for line in self.places.labels_above(i) if tree is not None else ():
            statement = tree.statement_at(line, 1 + _indent(tree.source.line(line))) if tree is not None else None
            if statement is not None and statement.role == Role.CASE:
                yield self.places.of_statement(statement, fn.name), node

    def _last_statement(self, i: int) -> Iterator[tuple[Place, Node]]:
        s = self.trace.at(i)
        for instr in reversed(s.fn.instrs[s.seg.start : s.seg.end - 1]):
            place = self.places.of_instr(s.fn, instr)
            if place is not None:
                yield place, (i, instr.index)
                return


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
