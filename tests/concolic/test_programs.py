"""Every program of `programs/` has a failure that the search finds, and says which; the inputs found reproduce it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from butfor.explanation import Explanation, Status
from butfor.find import FindOptions, find
from butfor.options import make_options

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.c"))
# Found within a few seconds, one of each kind of input and failure; the others are slow tests.
QUICK = {"magic_argv", "magic_strcmp", "overflow", "out_of_bounds", "divisor", "safe_small"}
BUDGET = 90.0  # for machines that do something else besides


def found(path: Path, **knobs: object) -> Explanation:
    """What the search says about a program; one failure is enough."""
    return find(make_options(path, budget=BUDGET, methods=["slice"], **knobs), FindOptions(failures=1))


def head(path: Path, key: str) -> str:
    """An entry of the comment at the head of a program."""
    match = re.search(rf"^ \* {key}: (.*)$", path.read_text(), re.MULTILINE)
    assert match is not None
    return match[1]


@pytest.mark.parametrize(
    "path", [pytest.param(p, marks=() if p.stem in QUICK else pytest.mark.slow, id=p.stem) for p in PROGRAMS]
)
def test_the_failure_is_found(path: Path) -> None:
    kind = head(path, "failure")
    answer = found(path)
    if kind == "none":
        assert answer.status is Status.NO_FAILURE
        assert answer.extra["search"]["all_paths"]
        return
    assert answer.failure is not None
    assert answer.failure.kind == kind
    marked = [number for number, line in enumerate(path.read_text().splitlines(), 1) if "@fail" in line]
    assert answer.failure.line in marked


def test_there_are_enough_programs() -> None:
    assert len(PROGRAMS) > 20
    assert all(head(p, "what") for p in PROGRAMS)
