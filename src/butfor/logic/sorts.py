"""Sorts of terms as numbers, and the values that terms of each sort have.

The sort of a bit-vector is its width; 0 stands for booleans, INT and REAL for unbounded numbers. The sort of a map is a
`MapSort`, a number below REAL that knows the sorts of its index and of its value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Self, TypeGuard

Sort = int
INT: Sort = -1
REAL: Sort = -2

Value = Any
"""An int for bit-vectors, booleans (0 and 1) and INT, a Fraction for REAL, a MapValue for maps.

It is not a union because the sort says which.
"""


class MapSort(int):
    """The sort of maps from one sort to another. Its number is computed from the two: equal sorts are equal numbers."""

    index: Sort
    value: Sort

    def __new__(cls, index: Sort, value: Sort) -> Self:
        if is_map(index):
            raise ValueError("a map cannot be the index of a map")
        # Each number has one such factorization into a power of two and an odd number, so no two pairs share it.
        sort = super().__new__(cls, REAL - (1 << _natural(index)) * (2 * _natural(value) + 1))
        sort.index = index
        sort.value = value
        return sort

    def __reduce__(self) -> tuple[type[MapSort], tuple[Sort, Sort]]:  # pickle and copy make a sort from its parts
        return MapSort, (self.index, self.value)


def _natural(sort: Sort) -> int:
    """The sort as a natural number: 0, -1, 1, -2, 2 … become 0, 1, 2, 3, 4 …."""
    return 2 * sort if sort >= 0 else -2 * int(sort) - 1


def is_map(sort: Sort) -> TypeGuard[MapSort]:
    """Whether terms of the sort are maps."""
    return isinstance(sort, MapSort)


def is_sort(number: int) -> bool:
    """Whether the number stands for a sort."""
    return number >= REAL or is_map(number)


def sort_name(sort: Sort) -> str:
    """The sort as SMT-LIB writes it."""
    if sort > 0:
        return f"(_ BitVec {sort})"
    if is_map(sort):
        return f"(Array {sort_name(sort.index)} {sort_name(sort.value)})"
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
    """The value chosen for a term that may have any."""
    if is_map(sort):
        return MapValue(default_value(sort.value))
    return Fraction(0) if sort == REAL else 0


def same_value(sort: Sort, x: Value, y: Value) -> bool:
    """Whether two values of a sort are equal; two maps are when they agree at every index."""
    if not is_map(sort):
        return bool(x == y)
    named = x.others.keys() | y.others.keys()
    if not all(same_value(sort.value, x[k], y[k]) for k in named):
        return False
    every_index_is_named = sort.index >= 0 and len(named) >= 1 << max(sort.index, 1)
    return every_index_is_named or same_value(sort.value, x.default, y.default)
