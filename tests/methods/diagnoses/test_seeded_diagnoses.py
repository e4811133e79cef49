"""Diagnoses of the seeded faults of one line: a set of the smallest size has the faulty statement."""

from __future__ import annotations

import pytest
from bench.diagnoses import measure
from bench.repair import sample

from tests.seeded_corpus import Fault

FEW = ("stock-item-not-made", "poly-tail-lost")
MISSED = {"rrobin-ring-too-small": "the path of a run that does not end has only the loop, not what damaged its data"}


def _marks(fault: Fault) -> list[pytest.MarkDecorator]:
    slow = [] if fault.id in FEW else [pytest.mark.slow]
    return [*slow, pytest.mark.xfail(reason=MISSED[fault.id], strict=True)] if fault.id in MISSED else slow


@pytest.mark.parametrize("fault", [pytest.param(f, marks=_marks(f)) for f in sample()], ids=lambda f: f.id)
def test_the_faulty_statement_is_in_a_smallest_set(fault: Fault) -> None:
    found = measure(fault, budget=90.0)
    assert found.size == found.smallest == 1
