"""A changed run as text or JSON: its changes, ending, output, and what became of the failure."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import unified_diff

from butfor.counterfactual.user_changes import ChangedRun
from butfor.report.json_report import json_text
from butfor.report.text_page import DIFF_STYLES, Page, make_page

_MAX_DIFF_LINES = 40  # about a screen
_MAX_COMPARED_LINES = 2000  # of each output, from the first that differs; comparing takes quadratic time
_CONTEXT_LINES = 3  # before the first difference, as in a unified diff
_MAX_ALTERNATIVES = 4  # named for each change


def render(run: ChangedRun, *, color: bool = False, width: int = 100, encoding: str = "utf-8") -> str:
    """The report, ending in a newline."""
    page = make_page(width, color, encoding)
    blocks = [list(_changes(page, run)), list(_difference(page, run)), list(_verdict(page, run))]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def render_json(run: ChangedRun) -> str:
    """The report as one JSON object, ending in a newline."""
    return json_text(run.to_dict())


def _changes(page: Page, run: ChangedRun) -> Iterator[str]:
    for change in run.changes:
        yield from page.wrap(change.text)
        yield from (page.style(line, "faint") for line in page.wrap(change.spelled, first="  "))
        if change.others:
            left = len(change.others) - _MAX_ALTERNATIVES
            more = f" and {left} more" if left > 0 else ""
            named = "; ".join(change.others[:_MAX_ALTERNATIVES])
            yield from page.wrap(f"could also have been: {named}{more}", first="  ")
    what = "the changes" if len(run.changes) > 1 else "the change"
    times = (
        "never made a difference"
        if not run.changed
        else f"made a difference {'once' if run.changed == 1 else f'{run.changed} times'}"
    )
    yield from page.wrap(f"the changed run {run.ending}; {what} {times}")


def _difference(page: Page, run: ChangedRun) -> Iterator[str]:
    if run.stdout == run.recorded_stdout:
        yield from page.wrap("the output is the same" if run.stdout else "there is no output, as before")
        return
    old, new = _lines(run.recorded_stdout), _lines(run.stdout)
    start = next((k for k, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    skip = max(0, start - _CONTEXT_LINES)
    before, after = (lines[skip : skip + _MAX_COMPARED_LINES] for lines in (old, new))
    rows = list(unified_diff(before, after, "recorded output", "output of the changed run", lineterm=""))
    for number, row in enumerate(rows[:_MAX_DIFF_LINES]):
        shown = _with_line_numbers(row, skip) if row.startswith("@@") else page.show(row)
        style = "strong" if number < 2 else DIFF_STYLES.get(row[:1], "")
        text = page.window(shown, 0, page.width)[0]
        yield page.style(text, style) if style else text
    if len(rows) > _MAX_DIFF_LINES:
        yield from page.wrap(f"{len(rows) - _MAX_DIFF_LINES} more lines of difference; --json has both outputs")


def _lines(data: bytes) -> list[str]:
    """The lines of an output; the last one says so if it has no end of line."""
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    if lines[-1]:
        lines[-1] += " (no end of line)"
        return lines
    return lines[:-1]


def _with_line_numbers(row: str, skipped: int) -> str:
    """The head of a hunk with the line numbers of the whole outputs, of which the first lines were skipped."""
    old, new = row.split()[1:3]

    def shifted(part: str) -> str:
        number, comma, count = part[1:].partition(",")
        return f"{part[0]}{int(number) + skipped}{comma}{count}"

    return f"@@ {shifted(old)} {shifted(new)} @@"


def _verdict(page: Page, run: ChangedRun) -> Iterator[str]:
    """What became of the failure, in one line that can be searched for."""
    if run.has_failed:
        yield page.style(
            f"the failure is {'avoided' if run.avoids else 'not avoided'}: {page.flat(run.why)}",
            "good" if run.avoids else "error",
        )
    else:
        yield page.flat(run.why)
