"""Solvers: problems in, verdicts, cores and models out. Each solver is seen by one file only."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence

from butfor.errors import UsageError
from butfor.logic.solvers import z3_solver
from butfor.logic.solvers.process_solver import ProcessSolver, ProcessStack
from butfor.logic.solvers.solver import Limit, Problem, Solver, SolverResult, Stack, Verdict
from butfor.logic.sorts import Value
from butfor.logic.terms import Term

__all__ = [
    "Limit",
    "Problem",
    "Solver",
    "SolverResult",
    "Stack",
    "Verdict",
    "default_solver",
    "default_stack",
    "impossible_each",
    "no_values_exist",
]


def _solver_command() -> list[str]:
    """The command of the solver that the environment names; empty for z3."""
    text = os.environ.get("BUTFOR_SOLVER", "")
    try:
        return shlex.split(text)
    except ValueError as error:
        raise UsageError(f"BUTFOR_SOLVER={text}: {str(error).lower()}", hint="it is quoted as in a shell") from error


def default_solver(in_series: bool = False) -> Solver:
    """z3, or the program that the environment names. `in_series`: for many checks one after another."""
    command = _solver_command()
    return ProcessSolver(command) if command else z3_solver.Z3Solver(in_series)


def default_stack(only_bits: bool = False) -> Stack:
    """A solver that keeps assertions between questions: z3, or the program that the environment names, asked anew.

    `only_bits`: all assertions will be about bit-vectors and booleans.
    """
    command = _solver_command()
    return ProcessStack(command) if command else z3_solver.Z3Stack(only_bits)


def impossible_each(terms: Sequence[Term], limit: Limit, seconds: float) -> Iterator[bool]:
    """Whether each term by itself cannot hold, as the solver says that has some seconds for each; False if unknown."""
    command = _solver_command()
    if not command:
        yield from z3_solver.impossible_each(terms, limit, seconds)
        return
    solver = ProcessSolver(command)
    for term in terms:
        each = Limit.after(min(seconds, limit.left), limit.is_cancelled)
        problem: Problem[None] = Problem((), term)
        yield solver.check(problem, each).verdict is Verdict.UNSAT


def no_values_exist(
    base: Sequence[Term], condition: Term, names: Sequence[str], wanted: Sequence[Term], limit: Limit
) -> tuple[Verdict, Mapping[str, Value]]:
    """Whether the base can hold so that no values of the named variables fulfil the condition.

    With values of the wanted variables. Only z3 is asked: for another solver the answer is unknown.
    """
    if _solver_command():
        return Verdict.UNKNOWN, {}
    return z3_solver.no_values_exist(base, condition, names, wanted, limit)
