"""Sorts of terms as plain numbers, and the values that terms of each sort have.

A sort is the number of bits of a bit-vector, 0 for a boolean, INT and REAL for unbounded numbers, and a number of its own for each kind of map.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

Sort = int
INT: Sort = -1
REAL: Sort = -2

Value = Any
"""An int for bit-vectors, booleans (0 and 1) and INT, a Fraction for REAL, a MapValue for maps. The sort says which, so it is not a union."""

_maps: list[tuple[Sort, Sort]] = []
_numbers: dict[tuple[Sort, Sort], Sort] = {}


def map_sort(index: Sort, value: Sort) -> Sort:
    """The sort of maps from one sort to another; the same number each time."""
    if is_map(index):
        raise ValueError("a map is no index of a map")
    number = _numbers.get((index, value))
    if number is None:
        _maps.append((index, value))
        number = _numbers[index, value] = REAL - len(_maps)
    return number


def is_map(sort: Sort) -> bool:
    """Whether terms of the sort are maps."""
    return sort < REAL


def is_sort(sort: Sort) -> bool:
    """Whether the number stands for a sort."""
    return sort >= REAL - len(_maps)


def parts(sort: Sort) -> tuple[Sort, Sort]:
    """The sorts of the index and the value of a map."""
    return _maps[REAL - sort - 1]


def sort_name(sort: Sort) -> str:
    """The sort as SMT-LIB writes it."""
    if sort > 0:
        return f"(_ BitVec {sort})"
    if is_map(sort):
        index, value = parts(sort)
        return f"(Array {sort_name(index)} {sort_name(value)})"
    return {0: "Bool", INT: "Int", REAL: "Real"}[sort]


@dataclass(frozen=True, slots=True)
class MapValue:
    """A map: the values at some indexes, and one value for all others."""

    default: Value
    others: Mapping[Value, Value] = field(default_factory=dict)

    def __getitem__(self, index: Value) -> Value:
        return self.others.get(index, self.default)

    def __hash__(self) -> int:
        return hash((self.default, frozenset(self.others.items())))

    def having(self, index: Value, value: Value) -> MapValue:
        """The map with another value at one index."""
        others = {k: v for k, v in self.others.items() if k != index}
        return MapValue(self.default, others if value == self.default else {**others, index: value})


def default_value(sort: Sort) -> Value:
    """A value for a term that may have any."""
    if is_map(sort):
        return MapValue(default_value(parts(sort)[1]))
    return Fraction(0) if sort == REAL else 0


def same_value(sort: Sort, x: Value, y: Value) -> bool:
    """Whether two values of a sort are equal; maps are when they agree at every index."""
    if not is_map(sort):
        return bool(x == y)
    index, value = parts(sort)
    named = x.others.keys() | y.others.keys()
    if not all(same_value(value, x[k], y[k]) for k in named):
        return False
    covered = index >= 0 and len(named) >= 1 << max(index, 1)
    return covered or same_value(value, x.default, y.default)
