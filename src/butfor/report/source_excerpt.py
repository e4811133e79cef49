"""A source line with its number and an underline, and where a statement stands in its line."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rich.cells import cell_len

from butfor.report.inert_text import inert_line
from butfor.report.text_page import MIN_ROOM_CELLS, Page

_TAB_CELLS = 4  # as in the style of most C programs that indent with spaces


def excerpt(
    page: Page, source: str, line: int, column: int, text: str = "", label: str = "", before: int = 0, indent: str = ""
) -> list[str]:
    """The lines that show source line `line` with `text` at byte `column` underlined; none if there is no such line.

    Without `text` the underline goes to the end of the statement; with column 0 the whole line is underlined. `label`
    stands after the underline, or below it where there is no room; `before` lines are shown above.
    """
    lines = source_lines(source)
    if not 1 <= line <= len(lines):
        return []
    start, end = span_in_line(lines[line - 1], column, text)
    context = [(n, lines[n - 1]) for n in range(max(1, line - before), line) if lines[n - 1].strip()]
    return _drawn(page, lines[line - 1], line, start, end, label, context, indent)


def source_lines(source: str) -> list[str]:
    """The lines of a source as a compiler counts them; str.splitlines() also splits at form feeds and others."""
    return source.replace("\r\n", "\n").split("\n")


def span_in_line(raw: str, column: int, text: str) -> tuple[int, int]:
    """Start and end, in characters, of `text` at byte `column` of a line."""
    start = _character(raw, column)
    first = text.split("\n", 1)[0].rstrip()
    if first and not raw.startswith(first, start) and first in raw:
        start = raw.index(first)
    if first and raw.startswith(first, start):
        return start, start + len(first)
    semicolon = raw.find(";", start) if column > 0 else -1
    return start, max(start + 1, semicolon if semicolon > start else len(raw.rstrip()))


class StatementSpans:
    """Where statements stand in their lines, in the characters that a page shows, or in those of the source."""

    def __init__(self, sources: Mapping[str, str], *, as_shown: bool) -> None:
        self._sources = sources
        self._as_shown = as_shown
        self._lines: dict[str, list[str]] = {}

    def of(self, file: str, line: int, column: int, text: str) -> tuple[int, int]:
        """Start and end of a statement in its line; the same number twice where that is not known."""
        if file not in self._lines:
            self._lines[file] = source_lines(self._sources.get(file, ""))
        lines = self._lines[file]
        if not 1 <= line <= len(lines):
            return 0, 0
        raw = lines[line - 1]
        start, end = span_in_line(raw, column, text)
        if not self._as_shown:
            return start, end
        return len(inert_line(raw[:start])), len(inert_line(raw[:end]))


def _character(raw: str, column: int) -> int:
    """The index of the character at a byte column; the first visible one for column 0."""
    if column < 1:
        return len(raw) - len(raw.lstrip())
    data = raw.encode("utf-8", "surrogateescape")[: column - 1]
    return min(len(data.decode("utf-8", "surrogateescape")), max(0, len(raw) - 1))


def _drawn(
    page: Page, raw: str, line: int, start: int, end: int, label: str, context: list[tuple[int, str]], indent: str
) -> list[str]:
    digits = len(str(line))
    gutter = f"{indent}{' ' * digits} {page.glyphs.bar}"
    room = max(MIN_ROOM_CELLS, page.width - len(gutter) - 1)
    begin = cell_len(_expanded(page, raw[:start]))
    length = max(1, cell_len(_expanded(page, raw[:end])) - begin)
    code, offset = page.window(_expanded(page, raw).rstrip(), begin, room)
    mark = "^" + "~" * min(length - 1, max(0, cell_len(code) - (begin - offset) - 1))
    under = f"{page.style(gutter, 'line')} {' ' * (begin - offset)}{page.style(mark, 'error')}"
    drawn = [page.style(gutter, "line")]
    for number, above in context if offset == 0 else ():
        shown = page.window(_expanded(page, above).rstrip(), 0, room)[0]
        drawn.append(f"{page.style(f'{indent}{number:>{digits}} {page.glyphs.bar}', 'line')} {shown}".rstrip())
    drawn.append(f"{page.style(f'{indent}{line} {page.glyphs.bar}', 'line')} {code}".rstrip())
    said = page.flat(label)
    if not said:
        return [*drawn, under]
    if begin - offset + cell_len(mark) + 1 + cell_len(said) <= room:
        return [*drawn, f"{under} {page.style(said, 'error')}"]
    head = f"{indent}{' ' * digits} = "
    return [*drawn, under, *page.wrap(said, first=head)]


def _expanded(page: Page, raw: str) -> str:
    """The line, inert, with tabs as spaces. A prefix of the line gives a prefix of the result."""
    parts: list[str] = []
    cells = 0
    for piece in re.split("(\t)", raw):
        shown = " " * (_TAB_CELLS - cells % _TAB_CELLS) if piece == "\t" else page.show(piece)
        cells += cell_len(shown)
        parts.append(shown)
    return "".join(parts)
