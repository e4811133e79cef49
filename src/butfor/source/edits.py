"""Edits of source text: byte ranges of a file and their replacements; all other bytes stay."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from butfor.source.source_text import SourceFile, decode

_LINE = re.compile(rb"[^\n]*\n|[^\n]+")


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """The bytes from `start` to `end` become `new`. `path` is the file as the compiler knows it."""

    path: str
    start: int
    end: int
    new: bytes


def apply_edits(data: bytes, edits: Sequence[Edit]) -> bytes:
    """The text of a file after edits that do not overlap."""
    out, at = [], 0
    for e in sorted(edits):
        if not at <= e.start <= e.end <= len(data):
            raise ValueError("edits overlap, or are not of this text")
        out += [data[at : e.start], e.new]
        at = e.end
    return b"".join([*out, data[at:]])


def unified_diff(old: bytes, new: bytes, name: str) -> str:
    """The difference of two texts as `patch` reads it; bytes that are not UTF-8 become surrogate escapes."""
    rows = difflib.unified_diff(_lines(old), _lines(new), _label("a", name), _label("b", name), n=3)
    return "".join(row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n" for row in rows)


def _lines(data: bytes) -> list[str]:
    """Lines with their ends; only a newline ends one."""
    return [m[0].decode("utf-8", "surrogateescape") for m in _LINE.finditer(data)]


def _label(side: str, name: str) -> str:
    """A file name for the head of a diff, with line ends and tabs escaped, as they would end it."""
    plain = name.lstrip("/")
    if re.search(r'[\x00-\x1f"\\\x7f]', plain):
        escaped = "".join(
            c
            if c.isprintable() and c not in '"\\'
            else "".join(f"\\{b:03o}" for b in c.encode("utf-8", "surrogateescape"))
            for c in plain
        )
        return f'"{side}/{escaped}"'
    return f"{side}/{plain}" + ("\t" if " " in plain else "")  # the tab ends the name


def lines_touched(data: bytes, edit: Edit) -> tuple[int, str, str]:
    """The first line of an edit, and the lines it touches before and after it, without what surrounds them."""
    source = SourceFile(edit.path, data)
    first = source.position(edit.start)[0]
    last = source.position(max(edit.start, edit.end))[0]
    start, end = source.line_span(first)[0], source.line_span(last)[1]
    before = decode(data[start:end]).strip()
    after = decode(data[start : edit.start] + edit.new + data[edit.end : end]).strip()
    return first, before, after
