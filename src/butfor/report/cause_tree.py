"""The cause tree as text: which decisions led to the failure, each below the one it explains."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from butfor.explanation import Explanation
from butfor.report.text_page import Page

MOST = 7
_TOLD = {
    "potential": "; otherwise another value could have been assigned",
    "elsewhere": "; it wrote to another part of what was read",
}


def tree_block(page: Page, explanation: Explanation, verbose: bool) -> Iterator[str]:
    """The lines of the tree, most of them left out unless `verbose`."""
    causes = explanation.methods.get("cascade", {}).get("causes", ())
    decisions = [c for c in causes if c["condition"] is not None and c["via"] != "address"]
    if not decisions:
        return
    yield "why it was reached:"
    shown = decisions if verbose else decisions[:MOST]
    known = {c["id"] for c in shown}
    children: dict[Any, list[Mapping[str, Any]]] = {}
    for cause in shown:
        children.setdefault(cause["parent"] if cause["parent"] in known else None, []).append(cause)
    stack = [(cause, 0) for cause in reversed(children.get(None, []))]
    while stack:
        cause, depth = stack.pop()
        yield from page.wrap(_line(page, cause), first="  " * (depth + 1), rest="  " * (depth + 2))
        stack += [(child, depth + 1) for child in reversed(children.get(cause["id"], []))]
    if len(decisions) > len(shown):
        yield f"  {len(decisions) - len(shown)} more decisions; --verbose shows them"


def _line(page: Page, cause: Mapping[str, Any]) -> str:
    condition = cause["condition"]
    text = f"line {condition['line']}: {page.flat(condition['text'])}"
    outcome = f" was {page.flat(cause['outcome'])}" if cause.get("outcome") else ""
    return text + outcome + _TOLD.get(cause["via"], "")
