"""Repairs of the seeded faults: with all tests of a program, the first five repairs hold one that passes them."""

from __future__ import annotations

import pytest
from bench.repair import Found, measure, sample

from tests.families import some_of
from tests.seeded_corpus import Fault

FEW = ("bank-first-account", "dates-borrow-from-same-month")


@pytest.mark.parametrize(
    "fault", some_of((f for f in sample() if f.id in FEW), lambda _, f: f.id == FEW[0], lambda f: f.id)
)
def test_the_text_of_the_correct_program_is_found(fault: Fault) -> None:
    found = measure(fault, budget=90.0)
    assert found.complete == 1
    assert found.exact


@pytest.mark.slow
def test_most_faults_of_one_line_are_repaired() -> None:
    chosen = sample()
    found: list[Found] = [measure(fault, budget=90.0) for fault in chosen]
    assert len(chosen) >= 30
    assert all(f.shown <= 5 for f in found)
    assert sum(f.complete > 0 for f in found) >= 24
    assert sum(f.exact > 0 for f in found) >= 15
