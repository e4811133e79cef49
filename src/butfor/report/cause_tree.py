"""The cause tree as reports show it: which cause explains which, and the tree as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from butfor.explanation import Explanation
from butfor.report.text_page import Page

MAX_DECISIONS_SHOWN = 7  # about as many as fit on a screen beside the causes; --verbose shows all
VIA_REMARKS = {
    "address": "the pointer or index used there",
    "potential": "decided otherwise, another value could have been assigned",
}
_VIA_CLAUSES = {
    "potential": "; otherwise another value could have been assigned",
    "elsewhere": "; it wrote elsewhere",
}

Cause = Mapping[str, Any]


def causes_of(explanation: Explanation) -> Sequence[Cause]:
    """The causes of the tree as the JSON report has them; none where the method did not run."""
    found: Sequence[Cause] = explanation.methods.get("cascade", {}).get("causes", ())
    return found


def children_by_parent(causes: Sequence[Cause]) -> dict[Any, list[Cause]]:
    """The causes below each cause, by its id; those whose parent is not among them are below None."""
    known = {cause["id"] for cause in causes}
    children: dict[Any, list[Cause]] = {}
    for cause in causes:
        children.setdefault(cause["parent"] if cause["parent"] in known else None, []).append(cause)
    return children


def tree_block(page: Page, explanation: Explanation, verbose: bool) -> Iterator[str]:
    """The lines of the tree: the decisions that led to the failure, each below the one it explains."""
    decisions = [c for c in causes_of(explanation) if c["condition"] is not None and c["via"] != "address"]
    if not decisions:
        return
    yield "why it was reached:"
    shown = decisions if verbose else decisions[:MAX_DECISIONS_SHOWN]
    children = children_by_parent(shown)
    stack = [(cause, 0) for cause in reversed(children.get(None, []))]
    while stack:
        cause, depth = stack.pop()
        yield from page.wrap(_line(page, cause), first="  " * (depth + 1), rest="  " * (depth + 2))
        stack += [(child, depth + 1) for child in reversed(children.get(cause["id"], []))]
    if len(decisions) > len(shown):
        yield f"  {len(decisions) - len(shown)} more decisions; --verbose shows them"


def _line(page: Page, cause: Cause) -> str:
    condition = cause["condition"]
    text = f"line {condition['line']}: {page.flat(condition['text'])}"
    outcome = f" was {page.flat(cause['outcome'])}" if cause.get("outcome") else ""
    return text + outcome + _VIA_CLAUSES.get(cause["via"], "")
