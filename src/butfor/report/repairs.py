"""Repairs as text: what each changes and what the tests say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from butfor.explanation import Explanation
from butfor.report.page import Page

_STYLES = {"-": "error", "+": "good", "@": "line"}


def repairs_block(page: Page, explanation: Explanation) -> Iterator[str]:
    """The repairs that were found, each with its difference; nothing when none were looked for."""
    found = explanation.methods.get("repair")
    if not isinstance(found, Mapping) or explanation.failure is None:
        return
    repairs = found.get("repairs", ())
    if not repairs:
        yield page.style("repairs: none found", "strong")
        return
    yield page.style("repairs, best first:", "strong")
    for number, repair in enumerate(repairs, 1):
        yield from _repair(page, number, repair)


def _repair(page: Page, number: int, repair: Mapping[str, Any]) -> Iterator[str]:
    head = f"{number}  "
    where = f"{page.show(repair['file'])}:{repair['line']}"
    lines = page.wrap(f"{where}  {repair['why']}", first=head)
    yield lines[0].replace(where, page.style(where, "line"), 1)
    yield from lines[1:]
    yield from (page.style(line, "faint") for line in page.wrap(repair["label"], first=" " * len(head)))
    for row in repair["diff"].split("\n")[2:]:
        if row:
            text = page.window("   " + page.show(row.rstrip("\r").expandtabs(4)), 0, page.width)[0]
            yield page.style(text, _STYLES[row[0]]) if row[0] in _STYLES else text


def best_repair(page: Page, explanation: Explanation) -> str:
    """One line to search for; empty when there is no repair."""
    found = explanation.methods.get("repair")
    repairs = found.get("repairs", ()) if isinstance(found, Mapping) else ()
    if not repairs:
        return ""
    best = repairs[0]
    return f"{page.show(best['file'])}:{best['line']}: repair: {page.flat(best['after'])} [{page.flat(best['label'])}]"
