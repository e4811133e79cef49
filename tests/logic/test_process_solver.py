"""A solver that is a program gives the same answers as the one in this process."""

from __future__ import annotations

import os
import shutil
import sys
import time
from pathlib import Path

import pytest

from butfor.errors import ToolMissing
from butfor.logic.solvers import Limit, Verdict, default_solver
from butfor.logic.solvers.process_solver import ProcessSolver
from butfor.logic.solvers.solver import Problem
from butfor.logic.terms import binary, const, equal, negate, variable

Z3 = Path(sys.executable).parent / "z3"  # the package of z3 brings its program
COMMAND = [str(Z3), "-in"]
X, Y, Z = (variable(name, 32) for name in "xyz")
GROUPS = (
    ((1, 0), (equal(X, const(2, 32)),)),
    ((2, 0), (equal(Y, binary("add", X, const(1, 32))),)),
    ((3, 0), (equal(Z, const(7, 32)),)),
)
CVC5 = ["cvc5", "--incremental"]
needs_cvc5 = pytest.mark.skipif(shutil.which("cvc5") is None, reason="cvc5 is not installed")
needs_z3 = pytest.mark.skipif(not Z3.exists(), reason="the z3 program is not installed")


@pytest.mark.parametrize(
    "command", [pytest.param(COMMAND, marks=needs_z3), pytest.param(CVC5, marks=needs_cvc5)], ids=["z3", "cvc5"]
)
def test_verdicts_cores_and_models(command: list[str]) -> None:
    ours, theirs = ProcessSolver(command), default_solver()
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
    slow = ProcessSolver([sys.executable, "-c", "import time; time.sleep(600)"])
    assert slow.check(Problem(GROUPS, equal(Y, const(4, 32))), Limit.after(0.3)).verdict is Verdict.UNKNOWN
    assert time.monotonic() - start < 100


def test_a_script_around_a_solver_that_does_not_end_is_stopped_with_it(tmp_path: Path) -> None:
    start = time.monotonic()
    noted = tmp_path / "pid"
    slow = ProcessSolver(["sh", "-c", f"sleep 600 & echo $! > {noted}; wait"])
    assert slow.check(Problem(GROUPS, equal(Y, const(4, 32))), Limit.after(2.0)).verdict is Verdict.UNKNOWN
    assert time.monotonic() - start < 100
    with pytest.raises(ProcessLookupError):
        os.kill(int(noted.read_text()), 0)


def test_a_solver_that_crashes_has_no_answer() -> None:
    broken = ProcessSolver(["sh", "-c", "echo sat; kill -SEGV $$"])
    assert broken.check(Problem(GROUPS, equal(Y, const(4, 32))), Limit.after(20.0)).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("answer", ["sat", "sat\n(error)", "sat\n((x #x00000002))", "", "what?"])
def test_an_answer_that_is_not_understood_is_unknown(answer: str) -> None:
    solver = ProcessSolver([sys.executable, "-c", f"import sys; sys.stdin.read(); print({answer!r})"])
    assert solver.check(Problem(GROUPS[:2], equal(Y, const(3, 32))), Limit.after(20.0)).verdict is Verdict.UNKNOWN
