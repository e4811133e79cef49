"""Abstract values: linear terms, pointers into objects, and symbol-free summaries of many cells."""

from __future__ import annotations

from typing import NamedTuple

from butfor.ir.intervals.abstract_arithmetic import Arithmetic, signed_range
from butfor.ir.intervals.linear_terms import ONE, ZERO, Linear, Range
from butfor.ir.intervals.symbol_facts import SymbolFacts

MAX_TARGETS = 12  # of one pointer: one that may point to more objects is treated as unknown
OFFSET_RANGE: Range = (-(1 << 63), (1 << 63) - 1)  # of a pointer into its object


class Pointer(NamedTuple):
    """A pointer: the objects it may point to, with offsets.

    `nonnull` is 1 unless the pointer is NULL; `unknown`: it may also point to something the analysis does not know.
    """

    targets: tuple[tuple[int, Linear], ...]
    nonnull: Linear
    unknown: bool


NULL = Pointer((), ZERO, False)
Value = Linear | Pointer | None  # None: nothing is known; the type decides whether it is an integer or a pointer


class SummaryPointer(NamedTuple):
    """A pointer without symbols: objects with ranges of offsets, and whether it may be NULL as a range."""

    targets: tuple[tuple[int, Range], ...]
    nonnull: Range
    unknown: bool


SummaryValue = Range | SummaryPointer | None  # covers the values of several cells, which may differ


def unknown_pointer(arithmetic: Arithmetic) -> Pointer:
    """A pointer of which nothing is known."""
    return Pointer((), arithmetic.fresh_in(0, 1), True)


def to_object(obj: int, offset: Linear = ZERO) -> Pointer:
    """The pointer to an object."""
    return Pointer(((obj, offset),), ONE, False)


def summarised(value: Value, numbers: SymbolFacts) -> SummaryValue:
    """The value with ranges instead of symbols."""
    if value is None:
        return None
    if isinstance(value, Linear):
        return numbers.range(value)
    return SummaryPointer(
        tuple((o, numbers.range(e)) for o, e in value.targets), numbers.range(value.nonnull), value.unknown
    )


def instantiated(value: SummaryValue, arithmetic: Arithmetic) -> Value:
    """A value with fresh symbols in the ranges of the summary."""
    if value is None:
        return None
    if isinstance(value, SummaryPointer):
        targets = tuple((o, arithmetic.fresh_in(*r)) for o, r in value.targets)
        return Pointer(targets, arithmetic.fresh_in(*value.nonnull), value.unknown)
    return arithmetic.fresh_in(*value)


def hull(a: Range, b: Range) -> Range:
    """The smallest range that contains both."""
    return min(a[0], b[0]), max(a[1], b[1])


def joined(a: SummaryValue, b: SummaryValue) -> SummaryValue:
    """The join of two summaries; the number 0 counts as NULL beside a pointer."""
    if a is None or b is None:
        return None
    if isinstance(a, SummaryPointer) != isinstance(b, SummaryPointer):
        a, b = _as_pointer(a), _as_pointer(b)
        if a is None or b is None:
            return None
    if isinstance(a, SummaryPointer) and isinstance(b, SummaryPointer):
        targets = dict(a.targets)
        for o, r in b.targets:
            targets[o] = hull(targets[o], r) if o in targets else r
        unknown = a.unknown or b.unknown or len(targets) > MAX_TARGETS
        kept = () if len(targets) > MAX_TARGETS else tuple(sorted(targets.items()))
        return SummaryPointer(kept, hull(a.nonnull, b.nonnull), unknown)
    assert not isinstance(a, SummaryPointer)
    assert not isinstance(b, SummaryPointer)
    return hull(a, b)


def _as_pointer(value: SummaryValue) -> SummaryPointer | None:
    if isinstance(value, SummaryPointer):
        return value
    return SummaryPointer((), (0, 0), False) if value == (0, 0) else None


def widened(old: SummaryValue, new: SummaryValue, size: int) -> SummaryValue:
    """The widening of the old summary by the new one; `size` is the width of the cell in bytes."""
    both = joined(old, new)
    if both is None or both == old:
        return both
    if isinstance(both, SummaryPointer):
        before = dict(old.targets) if isinstance(old, SummaryPointer) else {}
        targets = tuple(
            (o, r if o not in before else _widened_range(before[o], r, OFFSET_RANGE)) for o, r in both.targets
        )
        return SummaryPointer(targets, both.nonnull, both.unknown)
    if isinstance(old, tuple) and not isinstance(old, SummaryPointer):
        limits = signed_range(8 * size)
        return _widened_range(old, both, (limits[0], limits[1] if both[1] <= limits[1] else 2 * limits[1] + 1))
    return both


def _widened_range(old: Range, new: Range, limits: Range) -> Range:
    low = old[0] if new[0] >= old[0] else 0 if new[0] >= 0 else limits[0]
    high = old[1] if new[1] <= old[1] else limits[1]
    return min(low, new[0]), max(high, new[1])
