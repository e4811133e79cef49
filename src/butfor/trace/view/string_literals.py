"""Texts of the run as string literals of C."""

from __future__ import annotations

from butfor.ir.instructions import Const
from butfor.ir.machine_types import Kind

MAX_CHARACTERS_SHOWN = 40  # of a text that a pointer points into; more do not fit a line
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def string_literal(data: bytes) -> str:
    """The text up to the first zero byte, quoted; what is no visible character is written as an escape."""
    return _quoted(data.split(b"\0")[0].decode("utf-8", "surrogateescape"))


def wide_literal(init: Const, offset: int) -> str | None:
    """The literal of an array of wide characters from a byte offset on; None if that is no text."""
    if init.kind != "agg" or not init.value or any(c.kind not in ("int", "zero") for c in init.value):
        return None
    size = init.type.elem.bits // 8 if init.type.elem.kind is Kind.INT else 0
    if size not in (2, 4) or offset % size:
        return None
    codes = [int(c.value or 0) for c in init.value][offset // size :]
    codes = codes[: codes.index(0)] if 0 in codes else codes
    if any(code > 0x10FFFF or 0xD800 <= code < 0xE000 for code in codes):
        return None
    return ("L" if size == 4 else "u") + _quoted("".join(map(chr, codes)))


def _quoted(text: str) -> str:
    shown = "".join(_character(c) for c in text[:MAX_CHARACTERS_SHOWN])
    return f'"{shown}' + ('..."' if len(text) > MAX_CHARACTERS_SHOWN else '"')


def _character(c: str) -> str:
    if c in _ESCAPES:
        return _ESCAPES[c]
    if c.isprintable():
        return c
    return "".join(f"\\x{byte:02x}" for byte in c.encode("utf-8", "surrogateescape"))
