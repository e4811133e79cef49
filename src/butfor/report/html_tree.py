"""The cause tree for the page: nodes in the order in which they are written, each with where its list begins and ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from butfor.explanation import Explanation
from butfor.report.inert_text import inert, one_line

_VIA = {
    "address": "the pointer or index used there",
    "potential": "decided otherwise, another value could have been assigned",
}


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
    """A cause: the decision, how it went, the statements that made it so. `opens`: children follow; `closes`: so many lists end after it."""

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
    causes = explanation.methods.get("cascade", {}).get("causes", ())
    return tuple(_laid_out(causes))


def _laid_out(causes: Any) -> Iterator[CauseNode]:
    known = {c["id"] for c in causes}
    children: dict[Any, list[Mapping[str, Any]]] = {}
    for cause in causes:
        children.setdefault(cause["parent"] if cause["parent"] in known else None, []).append(cause)
    # (cause, lists that end after it if it has no children, and after its last descendant otherwise)
    stack = [(cause, 0) for cause in reversed(children.get(None, []))]
    while stack:
        cause, ends = stack.pop()
        own = children.get(cause["id"], [])
        yield _node(cause, bool(own), 0 if own else ends)
        stack += [(child, ends + 1 if k == 0 else 0) for k, child in enumerate(reversed(own))]


def mark_place(file: str, line: int) -> str:
    """A place as the options for marks take it."""
    return f"{inert(file)}:{line}"


def _node(cause: Mapping[str, Any], opens: bool, closes: int) -> CauseNode:
    condition = cause["condition"] or {"file": "", "line": 0, "text": ""}
    return CauseNode(
        cause["id"],
        cause["level"],
        condition["file"],
        condition["line"],
        mark_place(condition["file"], condition["line"]) if condition["file"] else "",
        one_line(condition["text"]),
        one_line(cause.get("outcome", "")),
        _VIA.get(cause.get("via", ""), ""),
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
