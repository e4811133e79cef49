"""Lines of text for a given width and encoding, with or without colour; always inert."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass

from rich.cells import cell_len, chop_cells, get_character_cell_size

from butfor.report.inert_text import Glyphs, glyphs_for, inert, one_line

MIN_WIDTH_CELLS = 24  # nothing can be laid out in less: lines are then longer than the terminal is wide
MIN_ROOM_CELLS = 8  # left of a line after its indentation

DIFF_STYLES = {"-": "error", "+": "good", "@": "line"}  # by the first character of a line
_CODES = {"strong": "1", "error": "1;31", "good": "32", "weak": "33", "line": "34", "faint": "2"}


@dataclass(frozen=True, slots=True)
class Page:
    """What lines are laid out for: a width in cells, an encoding, colour or none."""

    width: int
    color: bool
    encoding: str
    glyphs: Glyphs

    def style(self, text: str, name: str) -> str:
        """The text in one of the styles of a report."""
        return f"\x1b[{_CODES[name]}m{text}\x1b[0m" if self.color and text else text

    def show(self, text: str) -> str:
        """The text, inert."""
        return inert(text, self.encoding)

    def flat(self, text: str) -> str:
        """The text, inert, on one line."""
        return one_line(text, self.encoding)

    def wrap(self, text: str, first: str = "", rest: str | None = None) -> list[str]:
        """Lines no wider than the page; `first` starts the first line, `rest` (else as many spaces) the others."""
        rest = " " * cell_len(first) if rest is None else rest
        rooms = (max(MIN_ROOM_CELLS, self.width - cell_len(first)), max(MIN_ROOM_CELLS, self.width - cell_len(rest)))
        lines = list(_filled(self.flat(text), *rooms)) or [""]
        return [(first if number == 0 else rest) + line for number, line in enumerate(lines)]

    def window(self, text: str, start: int, room: int) -> tuple[str, int]:
        """At most `room` cells of an inert text that show cell `start`, and the cell the window begins at."""
        if cell_len(text) <= room:
            return text, 0
        cut = self.glyphs.cut
        begin = 0 if start < room - 2 * len(cut) else start - room // 3
        head = cut if begin > 0 else ""
        inner = room - len(head) - len(cut)
        body = _cells(text, begin + len(head), inner)
        tail = cut if cell_len(text) > begin + len(head) + cell_len(body) else ""
        return head + body + tail, begin


def make_page(width: int, color: bool, encoding: str) -> Page:
    """A page; an encoding that Python does not know counts as ASCII."""
    try:
        name = codecs.lookup(encoding).name
    except LookupError:
        name = "ascii"
    return Page(max(MIN_WIDTH_CELLS, width), color, name, glyphs_for(name))


def _filled(text: str, room: int, later_room: int) -> Iterator[str]:
    line = ""
    for word in text.split(" "):
        joined = f"{line} {word}" if line else word
        if cell_len(joined) <= room:
            line = joined
            continue
        if line:
            yield line
            room = later_room
        # A word wider than a line is cut; where the lines differ, the pieces fit the narrower one.
        *full, line = chop_cells(word, min(room, later_room)) or [""]
        yield from full
        room = later_room if full else room
    if line:
        yield line


def _cells(text: str, begin: int, room: int) -> str:
    taken: list[str] = []
    position = 0
    for char in text:
        if position >= begin:
            room -= get_character_cell_size(char)
            if room < 0:
                break
            taken.append(char)
        position += get_character_cell_size(char)
    return "".join(taken)
