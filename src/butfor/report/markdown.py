"""A summary in Markdown for a comment on a pull request: what failed, why, what would have avoided it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from butfor.explanation import Explanation, RankedStatement, Status
from butfor.origin_ladder import Ladder
from butfor.report.fixes import Avoidance, Fix, best_avoidance, fixes
from butfor.report.inert_text import inert, one_line, shortened
from butfor.report.ladder_text import rung_place, rung_sentence
from butfor.report.shared_words import failure_message, rows_to_show, what_happened

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|~>-])")
_MAX_TEXT_CHARS = 300  # of one statement or message: a few lines of a comment


def render(explanation: Explanation) -> str:
    """The summary, ending in a newline."""
    return "\n\n".join(_blocks(explanation)) + "\n"


def _blocks(e: Explanation) -> Iterator[str]:
    failure = e.failure
    if failure is None:
        said = (
            "This program cannot be explained"
            if e.status is Status.UNSUPPORTED
            else f"No failure: the program {e.run.ending}"
        )
        yield f"### {_plain(said)}"
        yield from (f"- {_prose(note)}" for note in e.notes)
        return
    head, colon, rest = failure_message(failure).partition(": ")
    yield f"### {_plain(_capital(head))}{': ' + _code(rest) if colon else ''}"
    if failure.file:
        yield _code(f"{inert(failure.file)}:{failure.line}") + (
            f" in {_code(inert(failure.function))}" if failure.function else ""
        )
    if e.ladder is not None and e.ladder.rungs:
        yield "\n".join(_story(e.ladder))
    yield _cause(e.ranking[0]) if e.ranking else "**No cause was found.**"
    yield from _avoidance(next(iter(fixes(e)), None), best_avoidance(e))
    if len(e.ranking) > 1:
        yield "\n".join(_table(e))
    if e.status is Status.PARTIAL:
        yield "Partial: a limit was reached."
    if e.notes:
        yield "\n".join(f"- {_prose(note)}" for note in e.notes)


def _story(ladder: Ladder) -> Iterator[str]:
    """The story as a nested list, what went wrong first."""
    home = ladder.rungs[0].file
    level = -1
    for rung in ladder.rungs:
        level = min(rung.level, level + 1)  # a list in Markdown may not skip a level
        place = f"{_code(rung_place(rung, home))} " if rung.file else ""
        yield f"{'  ' * level}- {place}{_prose(rung_sentence(rung, home))}"


def _cause(row: RankedStatement) -> str:
    reason = what_happened(row)
    why = f"  \n{_prose(_capital(reason.text))}." if reason is not None else ""
    statement, where = _code(one_line(row.text)), _code(f"{inert(row.file)}:{row.line}")
    return f"**Most likely cause** ({row.evidence.value}): {statement} in {where}{why}"


def _avoidance(fix: Fix | None, change: Avoidance | None) -> Iterator[str]:
    if fix is not None and fix.is_validated:
        yield f"**{fix.title}**: {_plain(fix.tests)}."
        yield _fenced("diff", fix.diff)
    elif change is not None:
        yield f"**What would have avoided it**: {_prose(_capital(change.text))}."


def _table(e: Explanation) -> Iterator[str]:
    shown = rows_to_show(e)
    yield f"<details><summary>{len(shown)} cause{'' if len(shown) == 1 else 's'}, most likely first</summary>"
    yield ""
    yield "| | statement | where | known |"
    yield "|---|---|---|---|"
    for row in shown:
        where = f"{inert(row.file)}:{row.line}"
        yield f"| {row.rank} | {_cell(one_line(row.text))} | {_cell(where)} | {row.evidence.value} |"
    yield ""
    rest = len(e.ranking) - len(shown)
    if rest > 0:
        yield f"{rest} more statement{'' if rest == 1 else 's'} in the full report."
        yield ""
    yield "</details>"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _code(text: str) -> str:
    """A code span, whatever the text holds."""
    shown = shortened(text, _MAX_TEXT_CHARS)
    fence = "`" * (max((len(run) for run in re.findall(r"`+", shown)), default=0) + 1)
    return f"{fence} {shown} {fence}" if shown.startswith("`") or shown.endswith("`") else f"{fence}{shown}{fence}"


def _cell(text: str) -> str:
    return _code(text).replace("|", "\\|")


def _plain(text: str) -> str:
    """Text that is neither markup nor HTML nor the name of a user."""
    shown = _SPECIAL.sub(r"\\\1", inert(shortened(text, _MAX_TEXT_CHARS)).replace("&", "&amp;").replace("<", "&lt;"))
    return shown.replace("@", "<span>@</span>")


def _prose(text: str) -> str:
    """A sentence, with what stands between backticks as code."""
    parts = one_line(text).split("`")
    if len(parts) % 2 == 0:
        return _plain("`".join(parts))
    return "".join(_code(part) if k % 2 and part else _plain(part) for k, part in enumerate(parts))


def _fenced(language: str, text: str) -> str:
    lines = [inert(line.replace("\t", "    ")) for line in text.rstrip("\n").split("\n")]
    longest = max((len(run) for line in lines for run in re.findall(r"`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}{language}", *lines, fence])
