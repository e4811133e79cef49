"""Repairs as text: what each changes and what the tests say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from butfor.explanation import Explanation
from butfor.report.text_page import DIFF_STYLES, Page

_MAX_SOLUTIONS_SHOWN = 5  # as many as repairs


def repairs_block(page: Page, explanation: Explanation) -> Iterator[str]:
    """The repairs that were found, each with its difference; nothing when none were looked for."""
    found = explanation.methods.get("repair")
    if not isinstance(found, Mapping) or explanation.failure is None:
        return
    repairs = found.get("repairs", ())
    if not repairs:
        solutions = found.get("solutions", ())
        if not any(s.get("standing") == "holds" for s in solutions):
            yield page.style("repairs: none found", "strong")
        yield from _solutions(page, solutions)
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
            yield page.style(text, DIFF_STYLES[row[0]]) if row[0] in DIFF_STYLES else text


def _solutions(page: Page, solutions: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Changes that would avoid the failure along its path: statements rewritten, or values they would have to give."""
    if not solutions:
        return
    yield page.style("changes that would avoid the failure along its path, best first:", "strong")
    for number, s in enumerate(solutions[:_MAX_SOLUTIONS_SHOWN], 1):
        head = f"{number}  "
        yield from page.wrap("; and ".join(_changed(page, row) for row in s["statements"]), first=head)
        if s.get("label"):
            yield from (page.style(line, "faint") for line in page.wrap(s["label"], first=" " * len(head)))
    if len(solutions) > _MAX_SOLUTIONS_SHOWN:
        yield f"   {len(solutions) - _MAX_SOLUTIONS_SHOWN} more in --json"


def _changed(page: Page, row: Mapping[str, Any]) -> str:
    where = f"{page.show(row['file'])}:{row['line']}"
    if row.get("after"):
        return f"{where}  `{page.flat(row['after'])}` instead of `{page.flat(row['text'])}`"
    values = ", ".join(row.get("values", ()))
    needed = f"would have to give {values}" if values else "would have to come out otherwise"
    return f"{where}  `{page.flat(row['text'])}` {needed}"


def best_repair_line(page: Page, explanation: Explanation) -> str:
    """The best repair in one line that can be searched for; empty when there is none."""
    found = explanation.methods.get("repair")
    repairs = found.get("repairs", ()) if isinstance(found, Mapping) else ()
    if not repairs:
        return ""
    best = repairs[0]
    return f"{page.show(best['file'])}:{best['line']}: repair: {page.flat(best['after'])} [{page.flat(best['label'])}]"
