"""Text that a terminal shows but never obeys: control characters, escape sequences and invisible characters are spelled out."""

from __future__ import annotations

from dataclasses import dataclass

_NAMED = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}


def inert(text: str, encoding: str = "utf-8") -> str:
    """The text on one line, with everything that is not a visible character of `encoding` as an escape such as `\\x1b`."""
    if text.isascii() and text.isprintable():
        return text
    visible = "".join(c if c.isprintable() else escaped_character(c) for c in text)
    return visible.encode(encoding, "backslashreplace").decode(encoding)


def escaped_character(char: str) -> str:
    """The escape that stands for one character; a surrogate escape stands for the byte it came from."""
    if char in _NAMED:
        return _NAMED[char]
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:
        code -= 0xDC00
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def one_line(text: str, encoding: str = "utf-8") -> str:
    """The text, inert, with each run of white space as one space: a statement of many lines on one line."""
    return inert(" ".join(text.split()), encoding)


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The decoration of a report, in characters that its encoding has."""

    bar: str = "|"
    dot: str = "-"
    bullet: str = "-"
    cut: str = "..."


_FANCY = Glyphs(bar="│", dot="·", bullet="•", cut="…")


def glyphs_for(encoding: str) -> Glyphs:
    """Line-drawing glyphs where the encoding has them, else ASCII."""
    try:
        (_FANCY.bar + _FANCY.dot + _FANCY.bullet + _FANCY.cut).encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return Glyphs()
    return _FANCY
