"""The answer of a batch as text: the groups, the largest first."""

from __future__ import annotations

from collections.abc import Iterator

from butfor.batch.batch_result import BatchResult, Group
from butfor.batch.examine_item import NOT_EXAMINED
from butfor.batch.reports.group_words import counted, failing_place, first_cause, message, totals, what_helps
from butfor.report.inert_text import inert, one_line

_MAX_NAMES = 5  # of runs in one line
_MAX_GROUPS = 30  # on one screen or two; the page has all


def render(result: BatchResult) -> str:
    """The text, ending in a newline."""
    return "\n".join(_lines(result)) + "\n"


def _lines(result: BatchResult) -> Iterator[str]:
    yield totals(result)
    for group in result.groups[:_MAX_GROUPS]:
        yield ""
        yield from _group(result, group)
    rest = len(result.groups) - _MAX_GROUPS
    if rest > 0:
        yield ""
        yield f"{counted(rest, 'smaller group')} not shown here; index.html has all"
    unexamined = [item for item in result.items if item.status == NOT_EXAMINED]
    if unexamined:
        yield ""
        yield f"{counted(len(unexamined), 'run')} not examined:"
        yield from (f"  {inert(item.item.title)}: {one_line(item.message)}" for item in unexamined[:_MAX_GROUPS])
        if len(unexamined) > _MAX_GROUPS:
            yield f"  and {len(unexamined) - _MAX_GROUPS} more"
    if result.notes:
        yield ""
        yield from (f"note: {one_line(note)}" for note in result.notes)


def _group(result: BatchResult, group: Group) -> Iterator[str]:
    yield f"{counted(len(group.members), 'run')}  {inert(group.name)}  {inert(group.program)}"
    yield f"  {failing_place(group)}: {message(group)}" if failing_place(group) else f"  {message(group)}"
    cause = first_cause(group)
    if cause is not None:
        yield f"  cause: {inert(cause['file'])}:{cause['line']}  {one_line(cause['text'])} · {cause['evidence']}"
    if what_helps(group):
        yield f"  {what_helps(group)}"
    names = [inert(result.items[number].item.name) for number in group.members]
    shown = ", ".join(names[:_MAX_NAMES]) + (f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else "")
    yield f"  shortest input first: {shown}" if len(names) > 1 else f"  run: {shown}"
    if group.page:
        yield f"  {group.page}"
    yield from (f"  note: {one_line(note)}" for note in group.notes)
