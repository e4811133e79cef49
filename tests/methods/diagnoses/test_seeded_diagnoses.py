"""Diagnoses of the seeded faults of one line: a set of the smallest size has the faulty statement."""

from __future__ import annotations

import pytest
from bench.diagnoses import measure
from bench.repair import sample

from tests.seeded_corpus import Fault

FEW = ("stock-item-not-made", "poly-tail-lost")


@pytest.mark.parametrize(
    "fault", [pytest.param(f, marks=() if f.id in FEW else pytest.mark.slow) for f in sample()], ids=lambda f: f.id
)
def test_the_faulty_statement_is_in_a_smallest_set(fault: Fault) -> None:
    found = measure(fault, budget=90.0)
    assert found.size == found.smallest == 1
