"""A solver that is a program gives the same answers as the one in this process."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from butfor.encode.problem import Problem
from butfor.encode.terms import binary, const, equal, negate, variable
from butfor.errors import ToolMissing
from butfor.solve import Limit, Verdict, default_solver
from butfor.solve.process_solver import ProcessSolver

Z3 = Path(sys.executable).parent / "z3"  # the package of z3 brings its program
COMMAND = [str(Z3), "-in"]
X, Y, Z = (variable(name, 32) for name in "xyz")
GROUPS = (
    ((1, 0), (equal(X, const(2, 32)),)),
    ((2, 0), (equal(Y, binary("add", X, const(1, 32))),)),
    ((3, 0), (equal(Z, const(7, 32)),)),
)
needs_z3 = pytest.mark.skipif(not Z3.exists(), reason="the z3 program is not installed")


@needs_z3
def test_verdicts_cores_and_models() -> None:
    ours, theirs = ProcessSolver(COMMAND), default_solver()
    wrong = Problem(GROUPS, negate(equal(Y, const(3, 32))))
    for solver in (ours, theirs):
        found = solver.core(wrong, Limit.after(20.0))
        assert (found.verdict, set(found.core), found.minimal) == (Verdict.UNSAT, {(1, 0), (2, 0)}, True)
        assert solver.check(wrong, Limit.after(20.0)).verdict is Verdict.UNSAT
    possible = ours.check(Problem(GROUPS[:2], equal(Y, const(3, 32))), Limit.after(20.0))
    assert (possible.verdict, possible.model["x"], possible.model["y"]) == (Verdict.SAT, 2, 3)


@needs_z3
def test_the_environment_chooses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BUTFOR_SOLVER", f"{Z3} -in")
    solver = default_solver()
    assert isinstance(solver, ProcessSolver)
    assert solver.check(Problem(GROUPS, equal(Y, const(4, 32))), Limit.after(20.0)).verdict is Verdict.UNSAT


def test_a_missing_program_is_said() -> None:
    with pytest.raises(ToolMissing, match="no-such-solver"):
        ProcessSolver(["no-such-solver"]).check(Problem(GROUPS, equal(Y, const(4, 32))), Limit.after(5.0))


def test_a_solver_that_does_not_end_is_stopped() -> None:
    start = time.monotonic()
    slow = ProcessSolver([sys.executable, "-c", "import time; time.sleep(60)"])
    assert slow.check(Problem(GROUPS, equal(Y, const(4, 32))), Limit.after(0.3)).verdict is Verdict.UNKNOWN
    assert time.monotonic() - start < 30
