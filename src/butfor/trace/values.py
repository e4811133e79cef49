"""Values in the words of C."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from butfor.program.debug import CType
from butfor.program.types import Kind, Type
from butfor.trace.objects import Objects


def _float(bits: int, width: int) -> str:
    if width == 32:
        return f"{np.frombuffer(struct.pack('<I', bits), np.float32)[0]!s}"
    if width == 64:
        return repr(struct.unpack("<d", struct.pack("<Q", bits))[0])
    if width == 80:
        return str(np.frombuffer(bits.to_bytes(16, "little"), np.longdouble)[0])
    return hex(bits)


def _char(value: int) -> str:
    if 32 <= value < 127 and value not in (39, 92):
        return f" '{chr(value)}'"
    return {0: " '\\0'", 9: " '\\t'", 10: " '\\n'", 13: " '\\r'", 39: " '\\''", 92: " '\\\\'"}.get(value, "")


def signed(value: int, bits: int) -> int:
    """The signed reading of an unsigned number."""
    return value - (1 << bits) if bits and value >> (bits - 1) else value


def show(value: Any, t: Type, ctype: CType | None, objects: Objects, i: int) -> str:
    """The value as a C programmer would write it; `i` is when it was seen."""
    match t.kind:
        case Kind.INT:
            return _integer(value, t.bits, ctype)
        case Kind.FLOAT:
            return _float(value, t.bits)
        case Kind.PTR:
            return objects.pointer_text(value, i)
        case Kind.STRUCT | Kind.ARRAY | Kind.VECTOR:
            parts = t.elems if t.kind is Kind.STRUCT else t.elems * min(t.count, 8)
            inner = ", ".join(show(v, e, None, objects, i) for v, e in zip(value, parts, strict=False))
            return "{" + inner + ("" if len(parts) == len(value) else ", ...") + "}"
        case _:
            return str(value)


def _integer(value: int, bits: int, ctype: CType | None) -> str:
    kind = ctype.kind if ctype is not None else "signed"
    if kind == "enum" and ctype is not None:
        for number, name in ctype.names:
            if number & ((1 << bits) - 1) == value:
                return name
    if kind == "bool" or bits == 1:
        return "true" if value else "false"
    if kind in ("unsigned", "uchar"):
        return str(value) + (_char(value) if kind == "uchar" or bits == 8 else "")
    number = signed(value, bits)
    return str(number) + (_char(number) if bits == 8 else "")
