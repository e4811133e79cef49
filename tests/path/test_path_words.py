"""Values as people read them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from butfor.logic.sorts import INT, REAL, MapSort, MapValue, Value
from butfor.path.path_words import boogie_text


@pytest.mark.parametrize(
    ("value", "sort", "text"),
    [
        (-3, INT, "-3"),
        (1, 0, "true"),
        (5, 8, "5bv8"),
        (Fraction(-1, 2), REAL, "-0.5"),
        (Fraction(3), REAL, "3.0"),
        (Fraction(1, 3), REAL, "1/3"),
        (Fraction(1, 40), REAL, "0.025"),
        (MapValue(0, {3: 1, 1: 2}), MapSort(INT, INT), "[1: 2, 3: 1, else 0]"),
        (
            MapValue(0, dict.fromkeys(range(12), 1)),
            MapSort(INT, 0),
            f"[{', '.join(f'{k}: true' for k in range(8))}, 4 more, else false]",
        ),
    ],
)
def test_values(value: Value, sort: int, text: str) -> None:
    assert boogie_text(value, sort) == text
