"""The C types that generated programs use, and C's rules for converting between them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Int:
    """An integer type."""

    name: str
    bits: int
    signed: bool
    rank: int


@dataclass(frozen=True, slots=True)
class Float:
    """A floating-point type."""

    name: str
    rank: int


Scalar = Int | Float

BOOL = Int("_Bool", 1, False, 0)
INT, UINT = Int("int", 32, True, 3), Int("unsigned", 32, False, 3)
LONG, ULONG = Int("long", 64, True, 4), Int("unsigned long", 64, False, 4)
LLONG, ULLONG = Int("long long", 64, True, 5), Int("unsigned long long", 64, False, 5)
CHAR, UCHAR = Int("signed char", 8, True, 1), Int("unsigned char", 8, False, 1)
SHORT, USHORT = Int("short", 16, True, 2), Int("unsigned short", 16, False, 2)
INTS = (INT, UINT, CHAR, UCHAR, SHORT, USHORT, LONG, ULONG, LLONG, ULLONG, BOOL, Int("char", 8, True, 1))
FLOAT, DOUBLE, EXTENDED = Float("float", 6), Float("double", 7), Float("long double", 8)
FLOATS = (FLOAT, DOUBLE, EXTENDED)

_UNSIGNED = {INT: UINT, LONG: ULONG, LLONG: ULLONG}


def promoted(t: Int) -> Int:
    """The type after C's integer promotions."""
    return INT if t.rank < INT.rank else t


def unsigned(t: Int) -> Int:
    """The unsigned partner of a promoted type."""
    return _UNSIGNED.get(t, t)


def usual(a: Scalar, b: Scalar) -> Scalar:
    """The type in which two operands meet: C's usual arithmetic conversions."""
    if isinstance(a, Float) or isinstance(b, Float):
        return max((t for t in (a, b) if isinstance(t, Float)), key=lambda t: t.rank)
    a, b = promoted(a), promoted(b)
    if a.signed == b.signed:
        return a if a.rank >= b.rank else b
    plain, other = (a, b) if b.signed else (b, a)  # unsigned and signed
    if plain.rank >= other.rank:
        return plain
    return other if other.bits > plain.bits else unsigned(other)


@dataclass(frozen=True, slots=True)
class Bits:
    """A bit-field; width 0 only ends a storage unit."""

    type: Int
    width: int


@dataclass(frozen=True, slots=True)
class Array:
    """An array; the lengths are powers of two, so that any index can be masked."""

    elem: Scalar | Struct
    lengths: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Struct:
    """A struct or union with named members."""

    name: str
    members: tuple[tuple[str, Member], ...]
    keyword: str = "struct"
    packed: bool = False

    @property
    def tag(self) -> str:
        """The type as it is written in declarations."""
        return f"{self.keyword} {self.name}"

    def text(self) -> str:
        """The definition."""
        lines = []
        for name, t in self.members:
            if isinstance(t, Bits):
                lines.append(f"{t.type.name} {name if t.width else ''}: {t.width};")
            else:
                lines.append(declare(t, name) + ";")
        return f"{self.tag} {{ {' '.join(lines)} }}{' __attribute__((packed))' if self.packed else ''};"


Member = Scalar | Struct | Array | Bits
Type = Scalar | Struct | Array
Part = str | int  # of the text of a place: text, or the mask of an index


def declare(t: Type, name: str) -> str:
    """The declarator of a variable or member."""
    if isinstance(t, Array):
        return f"{spelled(t.elem)} {name}{''.join(f'[{n}]' for n in t.lengths)}"
    return f"{spelled(t)} {name}"


def spelled(t: Scalar | Struct) -> str:
    """The name of a type without declarators."""
    return t.tag if isinstance(t, Struct) else t.name


def leaves(t: Member, path: tuple[Part, ...] = ()) -> Iterator[tuple[tuple[Part, ...], Scalar | Bits]]:
    """Every scalar in a value of the type, with the way to it."""
    if isinstance(t, Struct):
        for name, member in t.members:
            if not (isinstance(member, Bits) and member.width == 0):
                yield from leaves(member, (*path, f".{name}"))
    elif isinstance(t, Array):
        yield from leaves(t.elem, (*path, *(n - 1 for n in t.lengths)))
    else:
        yield path, t


def random_struct(
    rng: random.Random, name: str, nested: list[Struct], bits: bool = False, packed: bool = False
) -> Struct:
    """A struct of one to six members."""
    members: list[tuple[str, Member]] = []
    for k in range(rng.randint(1, 6)):
        members.append((f"m{k}", _random_member(rng, nested, bits, last=members[-1][1] if members else None)))
    if all(isinstance(t, Bits) and t.width == 0 for _, t in members):
        members.append(("z", INT))
    return Struct(name, tuple(members), packed=packed)


def _random_member(rng: random.Random, nested: list[Struct], bits: bool, last: Member | None) -> Member:
    if bits and rng.random() < 0.7:
        t = rng.choice((INT, UINT, ULLONG, LLONG, UCHAR, USHORT, BOOL))
        if isinstance(last, Bits) and last.width and rng.random() < 0.1:
            return Bits(UINT, 0)
        return Bits(t, rng.randint(1, t.bits))
    choice = rng.random()
    if choice < 0.15 and nested:
        return rng.choice(nested)
    if choice < 0.35:
        return Array(rng.choice((*INTS, *FLOATS)), (rng.choice((2, 4)),))
    return rng.choice((*INTS, *INTS, *FLOATS))
