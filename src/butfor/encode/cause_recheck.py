"""The independent check of a cause: do its instances alone force what it explains?"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from butfor.encode.statement_groups import Links, groups
from butfor.encode.trace_formula import encode
from butfor.logic.solvers import Limit, Solver, Verdict, default_solver
from butfor.logic.solvers.solver import Problem
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.trace import Node, Trace


def recheck(
    trace: Trace,
    nodes: Iterable[Node],
    roots: Iterable[Node],
    seconds: float,
    *,
    dependence: Dependence | None = None,
    is_cancelled: Callable[[], bool] | None = None,
    solver: Solver | None = None,
) -> Verdict:
    """UNSAT when the instances alone force the roots to be as recorded (the cause is proved), SAT when they do not.

    UNKNOWN when the time did not suffice, or when the recording does not say enough about one of the instances.
    """
    problem = encode(trace, nodes, roots, dependence)
    return _verdict(problem, _limit(seconds, is_cancelled), solver or default_solver())


def minimise(
    trace: Trace,
    nodes: Iterable[Node],
    roots: Iterable[Node],
    seconds: float,
    *,
    dependence: Dependence | None = None,
    is_cancelled: Callable[[], bool] | None = None,
    solver: Solver | None = None,
) -> tuple[Node, ...]:
    """The instances of a smaller set of statement instances that still forces the roots, re-checked; all of them when none was found in time."""
    chosen, wanted = tuple(nodes), tuple(roots)
    shared = dependence or Dependence(trace)
    engine = solver or default_solver()
    limit = _limit(seconds, is_cancelled)
    result = engine.core(encode(trace, chosen, wanted, shared), limit)
    if result.verdict is not Verdict.UNSAT:
        return chosen
    members = groups(Links(shared, chosen), wanted)
    needed = {node for name in result.core for node in members[name]}
    kept = tuple(n for n in chosen if n in needed)
    if len(kept) == len(chosen) or _verdict(encode(trace, kept, wanted, shared), limit, engine) is not Verdict.UNSAT:
        return chosen
    return kept


def _limit(seconds: float, is_cancelled: Callable[[], bool] | None) -> Limit:
    return Limit.after(seconds) if is_cancelled is None else Limit.after(seconds, is_cancelled)


def _verdict(problem: Problem[Node], limit: Limit, solver: Solver) -> Verdict:
    """The solver's verdict; a model of a formula with gaps says nothing."""
    verdict = solver.check(problem, limit).verdict
    return Verdict.UNKNOWN if verdict is Verdict.SAT and problem.gaps else verdict
