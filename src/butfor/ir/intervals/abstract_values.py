"""Abstract values: terms for integers, pointers as objects with offsets, and values without symbols for what stands for many cells."""

from __future__ import annotations

from typing import NamedTuple

from butfor.ir.intervals.abstract_arithmetic import Arithmetic, type_range
from butfor.ir.intervals.linear_terms import ONE, ZERO, Linear, Range
from butfor.ir.intervals.symbol_facts import Numbers

MOST_TARGETS = 12
_FAR = 1 << 63


class Pointer(NamedTuple):
    """Objects with offsets it may point to; `exists` is 1 unless it is NULL; `unknown`: or it points to something that is not known."""

    targets: tuple[tuple[int, Linear], ...]
    exists: Linear
    unknown: bool


NULL = Pointer((), ZERO, False)
Value = Linear | Pointer | None  # None: nothing is known, and it is no integer or pointer as far as that matters


class Loose(NamedTuple):
    """A pointer without symbols: objects with ranges of offsets, a range for whether it exists."""

    targets: tuple[tuple[int, Range], ...]
    exists: Range
    unknown: bool


General = Range | Loose | None  # a value that may be another one in each cell it stands for


def unknown_pointer(arithmetic: Arithmetic) -> Pointer:
    """A pointer of which nothing is known."""
    return Pointer((), arithmetic.new(0, 1), True)


def to_object(obj: int, offset: Linear = ZERO) -> Pointer:
    """The pointer to an object."""
    return Pointer(((obj, offset),), ONE, False)


def generalised(value: Value, numbers: Numbers) -> General:
    """The value without symbols."""
    if value is None:
        return None
    if isinstance(value, Linear):
        return numbers.range(value)
    return Loose(tuple((o, numbers.range(e)) for o, e in value.targets), numbers.range(value.exists), value.unknown)


def instantiated(value: General, arithmetic: Arithmetic) -> Value:
    """Some value of that kind."""
    if value is None:
        return None
    if isinstance(value, Loose):
        targets = tuple((o, arithmetic.new(*r)) for o, r in value.targets)
        return Pointer(targets, arithmetic.new(*value.exists), value.unknown)
    return arithmetic.new(*value)


def hull(a: Range, b: Range) -> Range:
    """The least range around both."""
    return min(a[0], b[0]), max(a[1], b[1])


def joined(a: General, b: General) -> General:
    """A value that covers both; NULL as the number 0 is a pointer beside pointers."""
    if a is None or b is None:
        return None
    if isinstance(a, Loose) != isinstance(b, Loose):
        a, b = _as_pointer(a), _as_pointer(b)
        if a is None or b is None:
            return None
    if isinstance(a, Loose) and isinstance(b, Loose):
        targets = dict(a.targets)
        for o, r in b.targets:
            targets[o] = hull(targets[o], r) if o in targets else r
        unknown = a.unknown or b.unknown or len(targets) > MOST_TARGETS
        kept = () if len(targets) > MOST_TARGETS else tuple(sorted(targets.items()))
        return Loose(kept, hull(a.exists, b.exists), unknown)
    assert not isinstance(a, Loose)
    assert not isinstance(b, Loose)
    return hull(a, b)


def _as_pointer(value: General) -> Loose | None:
    if isinstance(value, Loose):
        return value
    return Loose((), (0, 0), False) if value == (0, 0) else None


def widened(old: General, new: General, size: int) -> General:
    """A value that covers both and is reached after few steps; `size` in bytes."""
    both = joined(old, new)
    if both is None or both == old:
        return both
    if isinstance(both, Loose):
        before = dict(old.targets) if isinstance(old, Loose) else {}
        targets = tuple((o, r if o not in before else _wide(before[o], r, (-_FAR, _FAR - 1))) for o, r in both.targets)
        return Loose(targets, both.exists, both.unknown)
    if isinstance(old, tuple) and not isinstance(old, Loose):
        limits = type_range(8 * size)
        return _wide(old, both, (limits[0], limits[1] if both[1] <= limits[1] else 2 * limits[1] + 1))
    return both


def _wide(old: Range, new: Range, limits: Range) -> Range:
    low = old[0] if new[0] >= old[0] else 0 if new[0] >= 0 else limits[0]
    high = old[1] if new[1] <= old[1] else limits[1]
    return min(low, new[0]), max(high, new[1])
