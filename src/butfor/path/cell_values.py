"""Values of cells as people read them."""

from __future__ import annotations

from fractions import Fraction

from butfor.logic.sorts import REAL, Sort, Value, is_map
from butfor.path.path_model import Cell

_MOST = 8  # elements of a map that are shown


def shown(value: Value, sort: Sort) -> str:
    """A value in the way Boogie writes it; a map by its elements."""
    if is_map(sort):
        known = sorted(value.others.items(), key=lambda pair: pair[0])
        words = [f"{shown(k, sort.index)}: {shown(v, sort.value)}" for k, v in known[:_MOST]]
        more = [f"{len(known) - _MOST} more"] if len(known) > _MOST else []
        return f"[{', '.join((*words, *more, f'else {shown(value.default, sort.value)}'))}]"
    if sort > 0:
        return f"{value}bv{sort}"
    if sort == 0:
        return "true" if value else "false"
    return _real(value) if sort == REAL else str(value)


def _real(value: Fraction) -> str:
    """A decimal number where that is exact."""
    below = value.denominator
    for prime in (2, 5):
        while below % prime == 0:
            below //= prime
    if below != 1:
        return str(value)
    digits = 0
    while (value * 10**digits).denominator != 1:
        digits += 1
    whole = abs(int(value * 10**digits))
    sign = "-" if value < 0 else ""
    return f"{sign}{whole // 10**digits}.{str(whole % 10**digits).zfill(digits) if digits else 0}"


def shown_in(cell: Cell, value: Value) -> str:
    """The value of a cell."""
    return shown(value, cell.sort)
