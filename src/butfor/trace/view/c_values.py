"""Values in the words of C."""

from __future__ import annotations

import struct
from itertools import islice, pairwise
from typing import Any

import numpy as np

from butfor.ir.debug_types import CType
from butfor.ir.machine_types import Kind, Type
from butfor.trace.view.object_parts import ObjectPart, is_scalar, parts
from butfor.trace.view.run_objects import RunObjects

_MOST_ELEMENTS = 8
_INTEGERS = ("signed", "unsigned", "char", "uchar", "bool", "enum")


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


def show(value: Any, t: Type, ctype: CType | None, objects: RunObjects, i: int) -> str:
    """The value as a C programmer would write it; `i` is when it was seen."""
    match t.kind:
        case Kind.INT:
            return _integer(value, t.bits, ctype)
        case Kind.FLOAT:
            return _float(value, t.bits)
        case Kind.PTR:
            return objects.pointer_text(value, i)
        case Kind.STRUCT | Kind.ARRAY | Kind.VECTOR:
            inner_types = t.elems if t.kind is Kind.STRUCT else t.elems * min(t.count, _MOST_ELEMENTS)
            inner = ", ".join(show(v, e, None, objects, i) for v, e in zip(value, inner_types, strict=False))
            return "{" + inner + ("" if len(inner_types) == len(value) else ", ...") + "}"
        case _:
            return str(value)


def fits(t: Type, ctype: CType) -> bool:
    """Whether a register of this type holds a C scalar as what it is."""
    return {
        Kind.INT: ctype.kind in _INTEGERS,
        Kind.FLOAT: ctype.kind == "float",
        Kind.PTR: ctype.kind == "pointer",
    }.get(t.kind, False)


def _integer(value: int, bits: int, ctype: CType | None) -> str:
    kind = ctype.kind if ctype is not None else "signed"
    if kind == "enum" and ctype is not None:
        for number, name in ctype.names:
            if number & ((1 << bits) - 1) == value:
                return name
    if kind == "bool" or (bits == 1 and ctype is None):
        return "true" if value else "false"
    if kind in ("unsigned", "uchar"):
        return str(value) + (_char(value) if kind == "uchar" or bits == 8 else "")
    number = signed(value, bits)
    return str(number) + (_char(number) if bits == 8 else "")


def show_bits(data: bytes, p: ObjectPart, objects: RunObjects, i: int) -> str:
    """A scalar or bit field in words, given the bytes of the object that it is a part of."""
    value = int.from_bytes(data, "little") >> p.bit & ((1 << p.bits) - 1)
    match p.type.kind:
        case "float":
            return _float(value, {4: 32, 8: 64, 16: 80}.get(p.type.size, 0))
        case "pointer":
            return objects.pointer_text(value, i)
        case _:
            return _integer(value, p.bits, p.type)


def show_bytes(data: bytes, t: CType, offset: int, objects: RunObjects, i: int) -> str:
    """Bytes of an object, from an offset on, as an initialiser of it; `...` stands for what is not among them."""
    return _known(bytes(offset) + data, t, offset, objects, i) or "{...}"


def _known(known: bytes, t: CType, since: int, objects: RunObjects, i: int) -> str | None:
    """The members and elements of which all bytes are known, those of `known` from `since` on."""
    low, high = max(since, 0), min(len(known), t.size)
    if low >= high:
        return None
    if is_scalar(t):
        return show_bits(known, ObjectPart("", t, 0, 8 * t.size), objects, i) if low == 0 and high == t.size else None
    text = _string(known, t, since)
    if text is not None:
        return text
    shown = ["..."] if any(parts(t, 0, low)) else []
    inner = list(islice(parts(t, low, high - low), _MOST_ELEMENTS + 1))
    for p in inner[:_MOST_ELEMENTS]:
        value = _part(known, p, since, objects, i)
        name = p.path.removeprefix(".") if t.kind != "array" else ""
        shown.append("..." if value is None else f"{name} = {value}" if name else value)
    if len(inner) > _MOST_ELEMENTS or any(parts(t, high, t.size - high)):
        shown.append("...")
    if all(text == "..." for text in shown):
        return None
    return "{" + ", ".join(text for text, after in pairwise([*shown, ""]) if not text == after == "...") + "}"


def _part(known: bytes, p: ObjectPart, since: int, objects: RunObjects, i: int) -> str | None:
    if p.is_bits:
        return show_bits(known, p, objects, i) if p.bit >= 8 * since and p.bit + p.bits <= 8 * len(known) else None
    return _known(known[p.start : p.start + p.type.size], p.type, since - p.start, objects, i)


def _string(known: bytes, t: CType, since: int) -> str | None:
    """An array of characters that holds text."""
    if (
        t.kind != "array"
        or t.element is None
        or t.element.kind not in ("char", "uchar")
        or t.element.size != 1
        or since > 0
        or len(known) < t.size
    ):
        return None
    text, end, rest = known[: t.size].partition(b"\0")
    is_text = all(32 <= c < 127 and c not in b'"\\' for c in text) and (end or text) and not rest.strip(b"\0")
    return f'"{text.decode("ascii")}"' if is_text else None
