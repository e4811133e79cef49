"""Source text of one file: lines, byte positions as a compiler counts them, and text fit for display."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import Path

Position = tuple[int, int]
"""A line and a column, both from 1; columns count bytes, as in clang's debug info."""

_NEWLINE = re.compile(rb"\r\n|\n|\r")
_LITERAL_OR_SPACE = re.compile(
    r"""(?P<literal> "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' )
      | (?: \s | \\\r?\n | /\*.*?(?:\*/|\Z) | //(?:\\\r?\n|[^\n])* )+""",
    re.VERBOSE | re.DOTALL,
)


def decode(raw: bytes) -> str:
    """The text of `raw`: UTF-8, or Latin-1 where it is not valid UTF-8, so that it can always be printed."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def on_one_line(text: str) -> str:
    """The text on one line: each run of blanks, newlines and comments outside literals becomes one blank."""
    return _LITERAL_OR_SPACE.sub(lambda match: match["literal"] or " ", text).strip()


@dataclass(frozen=True, slots=True)
class SourceFile:
    """The bytes of one source file, addressable by line and column; it never raises, whatever the position or byte."""

    path: str
    data: bytes = field(repr=False)
    _starts: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        starts = (0, *(match.end() for match in _NEWLINE.finditer(self.data)))
        object.__setattr__(self, "_starts", starts)

    @classmethod
    def read(cls, path: str | Path) -> SourceFile:
        """The file at `path`."""
        return cls(str(path), Path(path).read_bytes())

    @property
    def line_count(self) -> int:
        """The number of lines; a newline at the end of the file starts no further line."""
        return len(self._starts) - (self._starts[-1] == len(self.data))

    @property
    def lines(self) -> tuple[str, ...]:
        """The text of every line, without line ends."""
        return tuple(self.line(number) for number in range(1, self.line_count + 1))

    def line(self, number: int) -> str:
        """The text of line `number` without its line end, empty when there is no such line."""
        start, end = self.line_span(number)
        return decode(self.data[start:end])

    def line_span(self, number: int) -> tuple[int, int]:
        """The byte offsets of the start and end of line `number`, without its line end."""
        if not 1 <= number <= len(self._starts):
            edge = 0 if number < 1 else len(self.data)
            return edge, edge
        start = self._starts[number - 1]
        end = self._starts[number] if number < len(self._starts) else len(self.data)
        while end > start and self.data[end - 1] in b"\r\n":
            end -= 1
        return start, end

    def offset(self, line: int, column: int) -> int:
        """The byte offset of a position, moved to the nearest place that exists."""
        start, end = self.line_span(line)
        return min(start + max(column - 1, 0), end)

    def position(self, offset: int) -> Position:
        """The line and column of a byte offset."""
        bounded = min(max(offset, 0), len(self.data))
        line = bisect_right(self._starts, bounded)
        return line, bounded - self._starts[line - 1] + 1

    def anchor(self, line: int, column: int) -> int | None:
        """The offset of the non-blank byte at the position or nearest to it on its line, None on a blank line.

        Column 0 is clang's "no column": it stands for the start of the line.
        """
        start, end = self.line_span(line)
        text = self.data[start:end]
        if not text.strip():
            return None
        index = min(max(column - 1, 0), len(text))
        rest = text[index:].lstrip()
        return end - len(rest) if rest else start + len(text.rstrip()) - 1

    def slice_text(self, start: int, end: int) -> str:
        """The text between two byte offsets, exactly as written."""
        return decode(self.data[max(start, 0) : max(end, 0)])
