"""Whether a path fails whatever comes from outside."""

from __future__ import annotations

from butfor.logic.fold import is_literal
from butfor.logic.solvers import Limit, Verdict, default_stack
from butfor.logic.terms import TRUE, conjunction, negate
from butfor.path.execute.symbolic_execution import Execution
from butfor.path.path_model import Path


def inevitable(path: Path, limit: Limit) -> Verdict:
    """UNSAT when no input that the precondition allows leaves the path or makes the check hold."""
    execution = Execution(path, pinned=False)
    whole = conjunction(c for c in execution.conditions)
    if is_literal(whole):
        return Verdict.UNSAT if whole is TRUE else Verdict.SAT
    return default_stack().check([(execution.pre, negate(whole))], limit).verdict
