"""The cause tree for the page: nodes in writing order, each with where its list begins and ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from butfor.explanation import Explanation
from butfor.report.cause_tree import VIA_REMARKS, Cause, causes_of, children_by_parent
from butfor.report.inert_text import inert, one_line


@dataclass(frozen=True, slots=True)
class CauseStatement:
    """A statement of a cause: where it is, its text and the values it had."""

    file: str
    line: int
    at: str
    text: str
    values: str


@dataclass(frozen=True, slots=True)
class CauseNode:
    """A cause: the decision, its outcome, the statements that made it so.

    `opens`: its children follow in a list of their own; `closes`: how many lists end after it.
    """

    id: int
    level: int
    file: str
    line: int
    at: str
    text: str
    outcome: str
    remark: str
    is_proved: bool
    rounds: int
    statements: tuple[CauseStatement, ...]
    opens: bool
    closes: int

    @property
    def others(self) -> tuple[CauseStatement, ...]:
        """The statements besides the decision itself."""
        return tuple(s for s in self.statements if s.at != self.at)


def cause_nodes(explanation: Explanation) -> tuple[CauseNode, ...]:
    """The causes, each before those that explain it."""
    return tuple(_laid_out(causes_of(explanation)))


def _laid_out(causes: Sequence[Cause]) -> Iterator[CauseNode]:
    children = children_by_parent(causes)
    # (cause, lists that end after it if it has no children, and after its last descendant otherwise)
    stack = [(cause, 0) for cause in reversed(children.get(None, []))]
    while stack:
        cause, ends = stack.pop()
        own = children.get(cause["id"], [])
        yield _node(cause, bool(own), 0 if own else ends)
        stack += [(child, ends + 1 if k == 0 else 0) for k, child in enumerate(reversed(own))]


def mark_place(file: str, line: int) -> str:
    """A place as --benign and --guilty take it."""
    return f"{inert(file)}:{line}"


def _node(cause: Cause, opens: bool, closes: int) -> CauseNode:
    condition = cause["condition"] or {"file": "", "line": 0, "text": ""}
    return CauseNode(
        cause["id"],
        cause["level"],
        condition["file"],
        condition["line"],
        mark_place(condition["file"], condition["line"]) if condition["file"] else "",
        one_line(condition["text"]),
        one_line(cause.get("outcome", "")),
        VIA_REMARKS.get(cause.get("via", ""), ""),
        bool(cause.get("proved")),
        int(cause.get("rounds", 0)),
        tuple(
            CauseStatement(
                s["file"],
                s["line"],
                mark_place(s["file"], s["line"]),
                one_line(s["text"]),
                one_line(s.get("values", "")),
            )
            for s in cause["statements"]
        ),
        opens,
        closes,
    )
