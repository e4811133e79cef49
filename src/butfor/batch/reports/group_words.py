"""What the reports of a batch say about a group in a line or two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from butfor.batch.batch_result import NOT_RUN, BatchResult, Group
from butfor.batch.examine_item import FAILED, NOT_EXAMINED, PASSED
from butfor.report.inert_text import inert, one_line

_STATUS_WORDS = ((FAILED, "failed"), (PASSED, "passed"), (NOT_EXAMINED, "not examined"), (NOT_RUN, "not begun"))


def counted(number: int, one: str, many: str = "") -> str:
    """`1 run`, `2 runs`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def totals(result: BatchResult) -> str:
    """`40 runs: 12 failed, 28 passed; 3 groups`."""
    counts = result.counts
    parts = [f"{counts[status]:,} {words}" for status, words in _STATUS_WORDS if counts.get(status)]
    groups = f"; {counted(len(result.groups), 'cause')}" if result.groups else ""
    return f"{counted(len(result.items), 'run')}: {', '.join(parts) or 'none'}{groups}"


def failing_place(group: Group) -> str:
    """`file.c:12 in f`, as far as it is known."""
    failure = group.failure
    place = f"{inert(failure['file'])}:{failure['line']}" if failure["file"] else ""
    inside = f"in {inert(failure['function'])}" if failure["function"] else ""
    return " ".join(part for part in (place, inside) if part)


def message(group: Group) -> str:
    """What went wrong in the runs of the group."""
    return one_line(str(group.failure["message"]))


def first_cause(group: Group) -> Mapping[str, Any] | None:
    """The first row of the ranking, if the group was explained."""
    return group.causes[0] if group.causes else None


def what_helps(group: Group) -> str:
    """How many of the runs the changes help, as a sentence without a full stop; "" where that was not tried."""
    if not group.is_checked or not group.roots:
        return ""
    size = len(group.members)
    first = group.roots[0]
    said = f"changes at {inert(first.file)}:{first.line}"
    rest = len(group.roots) - 1
    said += f" and {counted(rest, 'other place')}" if rest else ""
    return f"{said} avoid {'the failure' if size == 1 else f'{group.helped} of {size} failures'}"
