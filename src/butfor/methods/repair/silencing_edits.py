"""Edits that only silence a failed check: they leave its block before it, move it, or keep it from ever running."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tree_sitter import Node

from butfor.methods.case import FailingRun
from butfor.methods.repair.propose_edits import Proposer
from butfor.methods.repair.repair_model import Proposal
from butfor.methods.repair.statement_edits import enclosing_statement
from butfor.source.edits import Edit

_LEAVES = re.compile(rb"(?:return|break|continue|goto)\b|(?:exit|_exit|_Exit|quick_exit|abort)\s*\(")


@dataclass(frozen=True, slots=True)
class FailedStatement:
    """The statement at which a run failed, in the syntax tree of its file; `is_check`: it is there to check."""

    path: str
    node: Node
    is_check: bool

    def is_silenced_by(self, proposal: Proposal) -> bool:
        """Whether all that an edit does is that the statement no longer runs, or runs at another time."""
        return any(self._is_silenced(proposal.family, e) for e in proposal.edits if e.path == self.path)

    def _is_silenced(self, family: str, edit: Edit) -> bool:
        if family == "move":
            return self.is_check and edit.start < self.node.end_byte and self.node.start_byte < edit.end
        if family == "never":
            return any(
                n.start_byte <= edit.start and edit.end <= n.end_byte and n.end_byte <= self.node.start_byte
                for above in _above(self.node)
                if (n := above.child_by_field_name("condition")) is not None
            )
        return (
            edit.start == edit.end <= self.node.start_byte
            and _LEAVES.match(edit.new.lstrip()) is not None
            and self._is_in_block_of(edit.start)
        )

    def _is_in_block_of(self, position: int) -> bool:
        """Whether the innermost block around a position holds the statement."""
        root = self.node
        while root.parent is not None:
            root = root.parent
        here = root.descendant_for_byte_range(position, position)
        while here is not None and not (
            here.type in ("compound_statement", "case_statement") and here.start_byte < position < here.end_byte
        ):
            here = here.parent
        return here is not None and here.start_byte <= self.node.start_byte and self.node.end_byte <= here.end_byte


def _above(node: Node) -> list[Node]:
    found: list[Node] = []
    here = node.parent
    while here is not None:
        found.append(here)
        here = here.parent
    return found


def failed_statement(case: FailingRun, proposer: Proposer) -> FailedStatement | None:
    """The statement at which a run failed; None for failures without one, such as wrong output."""
    place = case.places.of(case.point.node) if case.point.node is not None else None
    tree = case.places.tree(place.path) if place is not None else None
    span = proposer.span(tree, place) if tree is not None and place is not None else None
    if tree is None or place is None or span is None:
        return None
    node = tree.root.descendant_for_byte_range(span[0], max(span[0], span[1] - 1))
    statement = enclosing_statement(node) if node is not None else None
    return None if statement is None else FailedStatement(place.path, statement, case.is_check(place))
