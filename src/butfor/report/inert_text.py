"""Text that a terminal shows but never obeys: control and invisible characters are spelled out."""

from __future__ import annotations

from dataclasses import dataclass

_NAMED_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}


def inert(text: str, encoding: str = "utf-8") -> str:
    """The text on one line; what is not a visible character of `encoding` is written as an escape such as `\\x1b`."""
    if text.isascii() and text.isprintable():
        return text
    visible = "".join(c if c.isprintable() else escaped_character(c) for c in text)
    return visible.encode(encoding, "backslashreplace").decode(encoding)


def escaped_character(char: str) -> str:
    """The escape that stands for one character; a surrogate escape stands for the byte it came from."""
    if char in _NAMED_ESCAPES:
        return _NAMED_ESCAPES[char]
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:
        code -= 0xDC00
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def one_line(text: str, encoding: str = "utf-8") -> str:
    """The text, inert, with each run of white space as one space, so that a statement of many lines fits on one."""
    return inert(" ".join(text.split()), encoding)


def inert_line(raw: str) -> str:
    """A line of source in visible characters; tabs stay."""
    if raw.isprintable():
        return raw
    return "".join(c if c == "\t" or c.isprintable() else escaped_character(c) for c in raw)


def shortened(text: str, most: int) -> str:
    """The text, or its beginning and an ellipsis: at most so many characters."""
    return text if len(text) <= most else text[: most - 1] + "…"


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The decoration of a report, in characters that its encoding has."""

    bar: str = "|"
    dot: str = "-"
    bullet: str = "-"
    cut: str = "..."


_LINE_DRAWING = Glyphs(bar="│", dot="·", bullet="•", cut="…")


def glyphs_for(encoding: str) -> Glyphs:
    """Line-drawing glyphs where the encoding has them, else ASCII."""
    try:
        (_LINE_DRAWING.bar + _LINE_DRAWING.dot + _LINE_DRAWING.bullet + _LINE_DRAWING.cut).encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return Glyphs()
    return _LINE_DRAWING
