"""Whether a path fails whatever comes in: a solver is given its statements, none of them is executed before."""

from __future__ import annotations

from butfor.logic.solvers import Limit, Problem, Solver, Verdict, default_solver
from butfor.logic.terms import disjunction, negate
from butfor.path.lift.cell_names import UNKNOWN
from butfor.path.path_model import Path
from butfor.path.ssa_form import ssa_form


def fails_with_any_inputs(path: Path, limit: Limit, since: int = 0, solver: Solver | None = None) -> bool:
    """Whether no values that come in from a position on leave the path or make its check hold, as a solver says.

    It is asked about the statements as they are: nothing is executed or simplified before.
    """
    ssa = ssa_form(path)
    known = {cell.name for cell in path.cells if cell.type != UNKNOWN}
    start = {name: value for name, value in {**path.start, **path.initial}.items() if name in known}
    early = (t for k in range(since) for t in ssa.recorded_inputs(k))
    terms = (ssa.pre, *ssa.starts_with(start), *early, *(t for s in ssa.instances for t in s.assigned))
    avoided = disjunction((*(negate(s.condition) for s in ssa.instances), ssa.check))
    problem = Problem((("path", terms),), avoided)
    return (solver or default_solver()).check(problem, limit).verdict is Verdict.UNSAT
