"""Values of the run as a C programmer would write them."""

from __future__ import annotations

import struct
from itertools import islice, pairwise
from typing import Any

import numpy as np

from butfor.ir.debug_types import CType
from butfor.ir.machine_types import Kind, Type
from butfor.trace.semantics.integers import signed
from butfor.trace.view.object_parts import ObjectPart, is_scalar, parts
from butfor.trace.view.run_objects import RunObjects

_MAX_ELEMENTS_SHOWN = 8  # of an array or struct; more do not fit a line
_INTEGERS = ("signed", "unsigned", "char", "uchar", "bool", "enum")


def float_text(bits: int, width: int) -> str:
    """A float of a width as decimal text, from its raw bits."""
    if width == 32:
        return f"{np.frombuffer(struct.pack('<I', bits), np.float32)[0]!s}"
    if width == 64:
        return repr(struct.unpack("<d", struct.pack("<Q", bits))[0])
    if width == 80:
        return str(np.frombuffer(bits.to_bytes(16, "little"), np.longdouble)[0])
    return hex(bits)


def _char(value: int) -> str:
    """The character literal to append to a number, if there is one."""
    if 32 <= value < 127 and value not in (39, 92):
        return f" '{chr(value)}'"
    return {0: " '\\0'", 9: " '\\t'", 10: " '\\n'", 13: " '\\r'", 39: " '\\''", 92: " '\\\\'"}.get(value, "")


def value_text(value: Any, t: Type, ctype: CType | None, objects: RunObjects, i: int) -> str:
    """A register value as C text; `i` is the segment instance that saw it."""
    match t.kind:
        case Kind.INT:
            return _integer(value, t.bits, ctype)
        case Kind.FLOAT:
            return float_text(value, t.bits)
        case Kind.PTR:
            return objects.value_of_pointer(value, i, ctype)
        case Kind.STRUCT | Kind.ARRAY | Kind.VECTOR:
            inner_types = t.elems if t.kind is Kind.STRUCT else t.elems * min(t.count, _MAX_ELEMENTS_SHOWN)
            inner = ", ".join(value_text(v, e, None, objects, i) for v, e in zip(value, inner_types, strict=False))
            return "{" + inner + ("" if len(inner_types) == len(value) else ", ...") + "}"
        case _:
            return str(value)


def holds_scalar(t: Type, ctype: CType) -> bool:
    """Whether a register of this type holds a scalar of that C type without conversion."""
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


def scalar_text(data: bytes, p: ObjectPart, objects: RunObjects, i: int) -> str:
    """A scalar or bit field as C text, from the bytes of the object that it is part of."""
    value = int.from_bytes(data, "little") >> p.bit & ((1 << p.bits) - 1)
    match p.type.kind:
        case "float":
            return float_text(value, {4: 32, 8: 64, 16: 80}.get(p.type.size, 0))
        case "pointer":
            return objects.value_of_pointer(value, i, p.type)
        case _:
            return _integer(value, p.bits, p.type)


def bytes_text(data: bytes, t: CType, offset: int, objects: RunObjects, i: int) -> str:
    """Bytes of an object from an offset on, as an initialiser; `...` stands for the bytes not given."""
    return _initialiser(bytes(offset) + data, t, offset, objects, i) or "{...}"


def _initialiser(known: bytes, t: CType, since: int, objects: RunObjects, i: int) -> str | None:
    """The members and elements all of whose bytes are known: those of `known` from `since` on."""
    low, high = max(since, 0), min(len(known), t.size)
    if low >= high:
        return None
    if is_scalar(t):
        return scalar_text(known, ObjectPart("", t, 0, 8 * t.size), objects, i) if low == 0 and high == t.size else None
    text = _string(known, t, since)
    if text is not None:
        return text
    shown = ["..."] if any(parts(t, 0, low)) else []
    inner = list(islice(parts(t, low, high - low), _MAX_ELEMENTS_SHOWN + 1))
    for p in inner[:_MAX_ELEMENTS_SHOWN]:
        value = _part(known, p, since, objects, i)
        name = p.path.removeprefix(".") if t.kind != "array" else ""
        shown.append("..." if value is None else f"{name} = {value}" if name else value)
    if len(inner) > _MAX_ELEMENTS_SHOWN or any(parts(t, high, t.size - high)):
        shown.append("...")
    if all(text == "..." for text in shown):
        return None
    return "{" + ", ".join(text for text, after in pairwise([*shown, ""]) if not text == after == "...") + "}"


def _part(known: bytes, p: ObjectPart, since: int, objects: RunObjects, i: int) -> str | None:
    if p.is_bits:
        return scalar_text(known, p, objects, i) if p.bit >= 8 * since and p.bit + p.bits <= 8 * len(known) else None
    return _initialiser(known[p.start : p.start + p.type.size], p.type, since - p.start, objects, i)


def _string(known: bytes, t: CType, since: int) -> str | None:
    """The string literal for an array of characters that holds text."""
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
