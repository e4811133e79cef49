"""Solvers: problems in, verdicts, cores and models out. Each solver is seen by one file only."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence

from butfor.logic.solvers.solver import Limit, Solver, SolverResult, Stack, Verdict
from butfor.logic.sorts import Value
from butfor.logic.terms import Term

__all__ = ["Limit", "Solver", "SolverResult", "Stack", "Verdict", "default_solver", "default_stack", "no_values_exist"]


def default_solver(in_series: bool = False) -> Solver:
    """z3, or the program that BUTFOR_SOLVER names; it is imported now, not before. `in_series`: for many checks one after another."""
    command = os.environ.get("BUTFOR_SOLVER")
    if command:
        from butfor.logic.solvers.process_solver import ProcessSolver

        return ProcessSolver(shlex.split(command))
    from butfor.logic.solvers.z3_solver import Z3Solver

    return Z3Solver(in_series)


def default_stack(only_bits: bool = False) -> Stack:
    """A solver that keeps assertions between questions: z3, or the program that BUTFOR_SOLVER names, asked anew each time.

    `only_bits`: all assertions will be about bit-vectors and booleans.
    """
    command = os.environ.get("BUTFOR_SOLVER")
    if command:
        from butfor.logic.solvers.process_solver import ProcessStack

        return ProcessStack(shlex.split(command))
    from butfor.logic.solvers.z3_solver import Z3Stack

    return Z3Stack(only_bits)


def no_values_exist(
    base: Sequence[Term], condition: Term, names: Sequence[str], wanted: Sequence[Term], limit: Limit
) -> tuple[Verdict, Mapping[str, Value]]:
    """Whether the base can hold so that no values of the named variables fulfil the condition, with values of the wanted variables.

    Only z3 is asked: for another solver the answer is unknown.
    """
    if os.environ.get("BUTFOR_SOLVER"):
        return Verdict.UNKNOWN, {}
    from butfor.logic.solvers.z3_solver import no_values_exist as ask

    return ask(base, condition, names, wanted, limit)
