"""Verification: paths that are not what they claim to be are found out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from butfor.logic.solvers import Limit, Verdict
from butfor.logic.terms import FALSE, TRUE, const, equal, variable
from butfor.path.path_model import Cell, Instance, Kind, Path
from butfor.path.verify_path import verify
from butfor.trace.view.source_places import Place

AT = Place("a.c", 1, 1, "main", "x", "expression", "/a.c")
X, Y = Cell("x", 32, "x"), Cell("y", 32, "y")
RIGHT = Path(
    cells=(X, Y),
    instances=(
        Instance(Kind.HAVOC, AT, ((Y, None),), recorded={"y": 3}),
        Instance(Kind.BRANCH, AT, condition=equal(Y.term, const(3, 32)), end=3),
        Instance(Kind.ASSIGN, AT, ((X, Y.term),), scope=(1,), recorded={"x": 3}),
    ),
    check=equal(X.term, const(0, 32)),
    place=AT,
    initial={"x": 0},
)


def with_instance(k: int, **changes: object) -> Path:
    """The right path with one instance changed."""
    changed = list(RIGHT.instances)
    changed[k] = replace(changed[k], **changes)  # type: ignore[arg-type]  # fields of an instance
    return replace(RIGHT, instances=tuple(changed))


def test_a_right_path_is_right_and_forces_its_failure() -> None:
    verdict = verify(RIGHT, Limit.after(10))
    assert verdict.is_right
    assert verdict.forced is Verdict.UNSAT


def test_a_failure_that_an_input_can_avoid_is_not_forced() -> None:
    path = with_instance(1, condition=TRUE)
    assert verify(path, Limit.after(10)).forced is Verdict.SAT


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: with_instance(0, recorded={}), "none is recorded"),
        (lambda: with_instance(1, condition=FALSE), "condition does not hold"),
        (lambda: with_instance(1, end=2), "whose arm ends at 2"),
        (lambda: with_instance(1, end=9), "ends at 9"),
        (lambda: with_instance(2, scope=()), "do not stand under it"),
        (lambda: with_instance(2, scope=(0,)), "no branch"),
        (lambda: with_instance(2, recorded={"x": 4}), "recorded 4"),
        (lambda: with_instance(2, writes=((X, variable("z", 32)),)), "not declared"),
        (lambda: replace(RIGHT, check=TRUE), "check holds"),
        (lambda: replace(RIGHT, pre=FALSE), "precondition"),
        (lambda: replace(RIGHT, scope=(2,)), "check stands under 2"),
    ],
)
def test_a_wrong_path_is_found_out(make: Callable[[], Path], word: str) -> None:
    verdict = verify(make(), Limit.after(10))
    assert not verdict.is_right
    assert any(word in text for text in verdict.wrong)
    assert verdict.forced is Verdict.UNKNOWN
