"""A changed run as text: the changes, how it ended, what it wrote differently, and whether the failure is avoided."""

from __future__ import annotations

import json
from collections.abc import Iterator
from difflib import unified_diff

from butfor.counterfactual.user_changes import ChangedRun
from butfor.report.text_page import Page, make_page

_MOST_LINES = 40  # of the difference: about a screen
_MOST_COMPARED = 2000  # lines of each output, from the first that differs


def render(run: ChangedRun, *, color: bool = False, width: int = 100, encoding: str = "utf-8") -> str:
    """The report, ending in a newline."""
    page = make_page(width, color, encoding)
    blocks = [list(_changes(page, run)), list(_difference(page, run)), list(_verdict(page, run))]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def render_json(run: ChangedRun) -> str:
    """The report as one JSON object, ending in a newline."""
    return json.dumps(run.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _changes(page: Page, run: ChangedRun) -> Iterator[str]:
    for change in run.changes:
        yield from page.wrap(change.text)
        yield from (page.style(line, "faint") for line in page.wrap(change.spelled, first="  "))
        if change.others:
            more = f" and {len(change.others) - 4} more" if len(change.others) > 4 else ""
            yield from page.wrap(f"could also have been: {'; '.join(change.others[:4])}{more}", first="  ")
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
    skip = max(0, start - 3)  # lines of context
    before, after = (lines[skip : skip + _MOST_COMPARED] for lines in (old, new))
    rows = list(unified_diff(before, after, "recorded output", "output of the changed run", lineterm=""))
    for number, row in enumerate(rows[:_MOST_LINES]):
        shown = _moved(row, skip) if row.startswith("@@") else page.show(row)
        style = "strong" if number < 2 else {"-": "error", "+": "good", "@": "line"}.get(row[:1], "")
        text = page.window(shown, 0, page.width)[0]
        yield page.style(text, style) if style else text
    if len(rows) > _MOST_LINES:
        yield from page.wrap(f"{len(rows) - _MOST_LINES} more lines of difference; --json has both outputs")


def _lines(data: bytes) -> list[str]:
    """The lines of an output; a last one without its end says so."""
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    if lines[-1]:
        lines[-1] += " (no end of line)"
        return lines
    return lines[:-1]


def _moved(row: str, by: int) -> str:
    """The head of a part of the difference, with line numbers of the whole outputs."""
    old, new = row.split()[1:3]

    def shifted(part: str) -> str:
        number, comma, count = part[1:].partition(",")
        return f"{part[0]}{int(number) + by}{comma}{count}"

    return f"@@ {shifted(old)} {shifted(new)} @@"


def _verdict(page: Page, run: ChangedRun) -> Iterator[str]:
    """One line to search for."""
    if run.has_failed:
        yield page.style(
            f"the failure is {'avoided' if run.avoids else 'not avoided'}: {page.flat(run.why)}",
            "good" if run.avoids else "error",
        )
    else:
        yield page.flat(run.why)
