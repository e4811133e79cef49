"""Solvers: problems in, verdicts, cores and models out. Each solver is seen by one file only."""

from __future__ import annotations

from butfor.solve.base import Limit, Solver, SolverResult, Verdict

__all__ = ["Limit", "Solver", "SolverResult", "Verdict", "default_solver"]


def default_solver() -> Solver:
    """The solver that is used when none is asked for; it is imported now, not before."""
    from butfor.solve.z3_solver import Z3Solver

    return Z3Solver()
