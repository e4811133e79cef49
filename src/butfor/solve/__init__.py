"""Solvers: problems in, verdicts, cores and models out. Each solver is seen by one file only."""

from __future__ import annotations

import os
import shlex

from butfor.solve.base import Limit, Solver, SolverResult, Verdict

__all__ = ["Limit", "Solver", "SolverResult", "Verdict", "default_solver"]


def default_solver(in_series: bool = False) -> Solver:
    """z3, or the program that BUTFOR_SOLVER names; it is imported now, not before. `in_series`: for many checks one after another."""
    command = os.environ.get("BUTFOR_SOLVER")
    if command:
        from butfor.solve.process_solver import ProcessSolver

        return ProcessSolver(shlex.split(command))
    from butfor.solve.z3_solver import Z3Solver

    return Z3Solver(in_series)
