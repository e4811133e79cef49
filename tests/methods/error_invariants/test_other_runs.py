"""Shortcuts for long paths agree with the solver: other runs that avoid a failure, and cores by folding constants."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, given, settings

from butfor.logic.solvers import Limit, Verdict, default_solver
from butfor.logic.solvers.solver import Problem
from butfor.logic.terms import TRUE
from butfor.methods.error_invariants import core_trace
from butfor.methods.error_invariants.core_trace import CoreTrace, core_trace_of
from butfor.methods.error_invariants.explained_path import Localized, localized
from butfor.methods.error_invariants.other_runs import OtherRuns
from butfor.path.path_model import Path
from tests.methods.error_invariants.random_paths import failing_paths

RANDOM = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
LIMIT = 20.0


@RANDOM
@given(failing_paths())
def test_a_run_that_avoids_the_failure_is_one(path: Path) -> None:
    found = localized(path, Limit.after(LIMIT))
    assert isinstance(found, Localized)
    core, rows = found.chain, found.invariants.atoms
    runs = OtherRuns(core)
    for p, enough in enumerate(rows):
        for atoms in {(), enough[:1], rows[max(p - 1, 0)]}:
            if all(core.held(p, a) for a in atoms) and runs.avoids(p, atoms, enough):
                layers = core.suffix(p)
                terms = (*(core.at(p, a) for a in atoms), *(t for layer in layers for t in layer))
                verdict = default_solver().check(Problem((("all", terms),), TRUE), Limit.after(LIMIT)).verdict
                assert verdict is Verdict.SAT


@RANDOM
@given(failing_paths())
def test_the_core_of_a_long_path_is_as_small_as_that_of_a_short_one(path: Path) -> None:
    short = core_trace_of(path, True, default_solver(), Limit.after(LIMIT))
    assume(isinstance(short, CoreTrace))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(core_trace, "MAX_STEPS_FOR_SOLVER", 0)
        long = core_trace_of(path, True, default_solver(), Limit.after(LIMIT))
    assert isinstance(long, CoreTrace)
    assert long.minimal
    groups = {s.name: s.terms for s in long.steps}
    for left_out in (None, *groups):
        terms = [t for name, ts in groups.items() if name != left_out for t in ts]
        problem = Problem((("all", (long.pre, *terms, long.check)),), TRUE)
        verdict = default_solver().check(problem, Limit.after(LIMIT)).verdict
        assert verdict is (Verdict.UNSAT if left_out is None else Verdict.SAT)
