"""Values in registers and their images in memory.

Ints and pointers are unsigned Python ints below 2**bits, floats their raw bits, structs, arrays and vectors tuples of
values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from butfor.errors import ButforError
from butfor.ir.machine_types import Kind, Type, alloc_size, store_size, struct_layout

Value: TypeAlias = "int | tuple[Value, ...]"
Closure: TypeAlias = Callable[[list[Value]], Value]
Pure: TypeAlias = Callable[..., Any]  # a function of operand values: ints for scalars, tuples for aggregates


class SemanticsError(ButforError):
    """An operation whose result cannot be computed here."""


class TrapError(SemanticsError):
    """An operation that stops the processor: a division by zero or one whose quotient does not fit."""


def zero_value(t: Type) -> Value:
    """The value whose bits are all zero."""
    if t.kind is Kind.STRUCT:
        return tuple(zero_value(e) for e in t.elems)
    if t.kind in (Kind.ARRAY, Kind.VECTOR):
        return (zero_value(t.elem),) * t.count
    return 0


def to_bits(value: Any, t: Type) -> int:
    """The raw bits of a scalar or vector as one int, element 0 lowest."""
    if t.kind is not Kind.VECTOR:
        return int(value)
    bits = 0
    for element in reversed(value):
        bits = bits << t.elem.bits | element
    return bits


def from_bits(bits: int, t: Type) -> Value:
    """The scalar or vector with these raw bits."""
    if t.kind is not Kind.VECTOR:
        return bits & (1 << t.bits) - 1
    width, mask = t.elem.bits, (1 << t.elem.bits) - 1
    return tuple(bits >> width * i & mask for i in range(t.count))


def _field_offsets(t: Type) -> tuple[int, ...]:
    """Where the elements of a struct or array lie."""
    if t.kind is Kind.STRUCT:
        return struct_layout(t)[0]
    return tuple(i * alloc_size(t.elem) for i in range(t.count))


def _field_types(t: Type) -> tuple[Type, ...]:
    """The types of the elements of a struct or array."""
    return t.elems if t.kind is Kind.STRUCT else (t.elem,) * t.count


def _is_byte_array(t: Type) -> bool:
    """Whether the image of the array is its elements."""
    return t.kind is Kind.ARRAY and t.elem.kind is Kind.INT and t.elem.bits == 8


def to_bytes(value: Any, t: Type) -> bytes:
    """The image of a value in memory: little endian, padding zero."""
    if t.kind not in (Kind.STRUCT, Kind.ARRAY):
        return to_bits(value, t).to_bytes(store_size(t), "little")
    if _is_byte_array(t):
        return bytes(value)
    image = bytearray(store_size(t))
    for element, kind, offset in zip(value, _field_types(t), _field_offsets(t), strict=True):
        image[offset : offset + store_size(kind)] = to_bytes(element, kind)
    return bytes(image)


def from_bytes(data: bytes, t: Type) -> Value:
    """The value whose image in memory starts the data."""
    if len(data) < store_size(t):
        raise SemanticsError(f"{len(data)} bytes are too few for a value of {store_size(t)} bytes")
    if t.kind not in (Kind.STRUCT, Kind.ARRAY):
        return from_bits(int.from_bytes(data[: store_size(t)], "little"), t)
    if _is_byte_array(t):
        return tuple(data[: t.count])
    pairs = zip(_field_types(t), _field_offsets(t), strict=True)
    return tuple(from_bytes(data[offset : offset + store_size(kind)], kind) for kind, offset in pairs)
