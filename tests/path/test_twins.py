"""Each example exists in C and in Boogie, and both give paths of one shape, up to how inputs come in."""

from __future__ import annotations

import pytest

from butfor.path.lift.chosen_effects import LiftableRun
from butfor.path.lift.lift_run import lift
from butfor.path.path_model import Kind, Path
from tests.frontends.boogie.helpers import explored
from tests.path.made import EXAMPLES, example

NAMES = sorted(file.stem for file in EXAMPLES.glob("*.c"))
OTHERWISE = {
    "s1_unrelated_branch": (
        "assign",
        "assign",
        "branch",
        "assign",
    ),  # the run takes the other arm, which changes nothing of the answer
    "s2_control": ("assign", "branch", "branch", "assign"),  # C declares and sets its variable first
    "s2_flow_nested": ("assign", "assign", "assign", "branch", "assign", "branch", "assign"),  # C gives x a first value
    "s2_security": (
        "assign",
        "branch",
        "assign",
    ),  # `int y = nondet();` is one statement, a parameter and its copy are two
}


def whole(name: str) -> Path:
    """The path of the C program with every statement, not only those that the failure depended on."""
    c = example(name)
    run = LiftableRun(
        c.recording, c.point, c.dependence, c.places, c.objects, c.slices["relevant"], c.is_check, c.budget.is_over
    )
    return lift(run, free_inputs=True, whole=True)


def kinds(path: Path) -> tuple[str, ...]:
    """Kinds of the instances without inputs, assumptions about them, and what only C has: parameters and addresses."""
    return tuple(
        i.kind.value
        for i in path.instances
        if i.kind in (Kind.ASSIGN, Kind.BRANCH) and not i.place.text.startswith("check(")
    )


def test_every_example_has_a_twin() -> None:
    assert [file.stem for file in sorted(EXAMPLES.glob("*.bpl"))] == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_twins_have_the_same_shape(name: str) -> None:
    (failure,) = explored((EXAMPLES / f"{name}.bpl").read_text()).failures
    assert kinds(whole(name)) == OTHERWISE.get(name, kinds(failure.path))
