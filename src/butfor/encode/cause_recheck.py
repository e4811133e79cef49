"""The independent check of a cause: do its instances alone force what it explains?"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from butfor.encode.trace_formula import encode
from butfor.logic.solvers import Limit, Solver, Verdict, default_solver
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
    limit = Limit.after(seconds) if is_cancelled is None else Limit.after(seconds, is_cancelled)
    verdict = (solver or default_solver()).check(problem, limit).verdict
    return Verdict.UNKNOWN if verdict is Verdict.SAT and problem.gaps else verdict  # with gaps, a model proves nothing
