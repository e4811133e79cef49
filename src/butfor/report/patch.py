"""The best repair as a unified diff for `patch -p1`."""

from __future__ import annotations

from butfor.explanation import Explanation


def render(explanation: Explanation) -> str:
    """The diff, ending in a newline; empty when there is no repair."""
    repairs = explanation.methods.get("repair", {}).get("repairs", [])
    return str(repairs[0]["diff"]) if repairs else ""
