"""Random programs: what is found fails in an independent interpreter, along the same way; what fails there is found."""

from __future__ import annotations

import itertools

from hypothesis import HealthCheck, assume, given, settings

from butfor.frontends.boogie.explore_paths import explore
from butfor.path.path_model import Kind, Path
from tests.frontends.boogie.helpers import check_path, unit_of
from tests.frontends.boogie.programs import NAMES, Run, Tree, programs, rendered

BOUND = 2
SMALL = (-2, 0, 1, 3)


def outside(path: Path) -> list[int]:
    """The values from outside, in the order in which they were asked for."""
    return [i.recorded[c.name] for i in path.instances if i.kind is Kind.HAVOC for c, _ in i.writes]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(programs)
def test_exploration_agrees_with_an_interpreter(program: list[Tree]) -> None:
    source, tree = rendered(program)
    unit = unit_of(source)
    found = explore(unit, unit.entry(None), BOUND, 10.0)
    for failure in found.failures:
        path = failure.path
        check_path(path)
        elements = path.start.get("m")
        start = {name: path.start.get(name, 0) for name in NAMES}
        run = Run(
            start, elements.others if elements else {}, elements.default if elements else 0, iter(outside(path))
        ).go(tree)
        assert run.failed == path.place.line
        assert run.steps == [(i.kind.value, i.place.line) for i in path.instances]
    assume(found.in_time and not found.unknown)
    lines = {f.path.place.line for f in found.failures}
    for p, q, x, choices in itertools.product(SMALL, SMALL, SMALL, ((0, 1), (1, 0), (1, 1))):
        run = Run(
            {"p": p, "q": q, "x": x, "y": 1 - x}, {0: 2}, q, itertools.islice(itertools.cycle(choices), 12), BOUND
        ).go(tree)
        assert run.failed is None or run.failed in lines
