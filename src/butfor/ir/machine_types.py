"""Types of values in memory and registers, with their sizes on x86-64."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache


class Kind(enum.Enum):
    """What a type is."""

    VOID = "void"
    INT = "int"
    FLOAT = "float"
    PTR = "ptr"
    ARRAY = "array"
    STRUCT = "struct"
    VECTOR = "vector"
    OTHER = "other"  # labels, metadata, tokens, function types: never a value in memory


@dataclass(frozen=True, slots=True)
class Type:
    """One type: `bits` for ints and floats, `elems`/`count` for aggregates."""

    kind: Kind
    bits: int = 0
    elems: tuple[Type, ...] = ()
    count: int = 0
    packed: bool = False
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.kind.value, self.bits, self.elems, self.count, self.packed)))

    def __hash__(self) -> int:
        return self._hash  # structs nest deeply and are looked up often

    @property
    def elem(self) -> Type:
        """The element type of an array or vector."""
        return self.elems[0]

    @property
    def is_aggregate(self) -> bool:
        """Whether registers of this type hold a tuple of values."""
        return self.kind in (Kind.ARRAY, Kind.STRUCT, Kind.VECTOR)


VOID = Type(Kind.VOID)
PTR = Type(Kind.PTR, 64)
OTHER = Type(Kind.OTHER)


@cache
def int_type(bits: int) -> Type:
    """The integer type of that many bits."""
    return Type(Kind.INT, bits)


@cache
def float_type(bits: int) -> Type:
    """The floating-point type of that many bits (80 is x87 extended)."""
    return Type(Kind.FLOAT, bits)


@cache
def store_size(t: Type) -> int:
    """The number of bytes that a store of this type writes."""
    match t.kind:
        case Kind.INT | Kind.FLOAT | Kind.PTR:
            return (t.bits + 7) // 8
        case Kind.ARRAY:
            return t.count * alloc_size(t.elem)
        case Kind.VECTOR:
            return (t.count * t.elem.bits + 7) // 8
        case Kind.STRUCT:
            return struct_layout(t)[1]
        case _:
            return 0


@cache
def align_of(t: Type) -> int:
    """The ABI alignment in bytes."""
    match t.kind:
        case Kind.INT:
            size = (t.bits + 7) // 8
            return min(16, 1 << max(0, (size - 1).bit_length()))
        case Kind.FLOAT:
            return 16 if t.bits >= 80 else t.bits // 8
        case Kind.PTR:
            return 8
        case Kind.ARRAY:
            return align_of(t.elem)
        case Kind.VECTOR:
            return 1 << max(0, (store_size(t) - 1).bit_length())
        case Kind.STRUCT:
            return 1 if t.packed else max((align_of(e) for e in t.elems), default=1)
        case _:
            return 1


@cache
def alloc_size(t: Type) -> int:
    """The distance in bytes between two elements of this type in an array."""
    size, align = store_size(t), align_of(t)
    return (size + align - 1) // align * align


@cache
def struct_layout(t: Type) -> tuple[tuple[int, ...], int]:
    """The byte offset of every field and the size of the whole."""
    offset = 0
    offsets = []
    for e in t.elems:
        align = 1 if t.packed else align_of(e)
        offset = (offset + align - 1) // align * align
        offsets.append(offset)
        offset += alloc_size(e)
    align = align_of(t)
    return tuple(offsets), (offset + align - 1) // align * align


def signed_value(value: int, bits: int) -> int:
    """The low bits of an integer, read as a signed number of that width."""
    half = 1 << (bits - 1)
    return (value + half) % (2 * half) - half


def element_at(t: Type, indices: Sequence[int]) -> tuple[int, Type]:
    """The byte offset and the type of an element of an aggregate."""
    offset = 0
    for index in indices:
        if t.kind is Kind.STRUCT:
            offset += struct_layout(t)[0][index]
            t = t.elems[index]
        else:
            offset += index * alloc_size(t.elem)
            t = t.elem
    return offset, t


def mask_width(t: Type) -> int:
    """The bits of a mask over a value: those of a number or pointer, else those of all its bytes; 0 without a value."""
    return t.bits if t.kind in (Kind.INT, Kind.PTR) else 8 * store_size(t)
