"""A summary in Markdown for a comment on a pull request: a table of the groups."""

from __future__ import annotations

import re
from collections.abc import Iterator

from butfor.batch.batch_result import BatchResult, Group
from butfor.batch.examine_item import NOT_EXAMINED
from butfor.batch.reports.group_words import counted, failing_place, first_cause, message, totals, what_helps
from butfor.report.inert_text import inert, one_line, shortened

_MAX_GROUPS = 20  # a comment that people read
_MAX_TEXT_CHARS = 160
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|~>@-])")


def render(result: BatchResult) -> str:
    """The summary, ending in a newline."""
    return "\n".join(_lines(result)) + "\n"


def _lines(result: BatchResult) -> Iterator[str]:
    yield f"### {totals(result)}"
    if result.groups:
        yield ""
        yield "| runs | group | failure | most likely cause |"
        yield "|---:|---|---|---|"
        yield from (_row(group) for group in result.groups[:_MAX_GROUPS])
    rest = len(result.groups) - _MAX_GROUPS
    if rest > 0:
        yield ""
        yield f"{counted(rest, 'smaller group')} in the full report."
    unexamined = sum(item.status == NOT_EXAMINED for item in result.items)
    if unexamined:
        yield ""
        yield f"{counted(unexamined, 'run')} could not be examined."
    if result.notes:
        yield ""
        yield from (f"- {_plain(note)}" for note in result.notes)


def _row(group: Group) -> str:
    cause = first_cause(group)
    place = failing_place(group)
    failure = _plain(message(group)) + (f" ({_code(place)})" if place else "")
    said = "not explained"
    if cause is not None:
        where = f"{inert(cause['file'])}:{cause['line']}"
        said = f"{_code(where)} {_code(one_line(cause['text']))}, {cause['evidence']}"
    helps = what_helps(group)
    return f"| {len(group.members)} | {_code(group.name)} | {failure} | {said}{'; ' + _plain(helps) if helps else ''} |"


def _code(text: str) -> str:
    shown = shortened(inert(text), _MAX_TEXT_CHARS)
    fence = "`" * (max((len(run) for run in re.findall("`+", shown)), default=0) + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{pad}{shown}{pad}{fence}".replace("|", "\\|")


def _plain(text: str) -> str:
    shown = one_line(shortened(text, _MAX_TEXT_CHARS)).replace("&", "&amp;").replace("<", "&lt;")
    return _SPECIAL.sub(r"\\\1", shown)
