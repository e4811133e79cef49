"""Whether a path is right: the run satisfies its instances and violates its check, as any run must."""

from __future__ import annotations

from dataclasses import dataclass

from butfor.logic.evaluate import Evaluator
from butfor.logic.solvers import Limit, Solver, Verdict, default_solver
from butfor.logic.terms import variables
from butfor.path.path_formula import plain_formula
from butfor.path.path_model import Instance, Kind, Path


@dataclass(frozen=True, slots=True)
class PathVerdict:
    """`wrong`: what contradicts the path, in words. `forced`: UNSAT when the check cannot hold along the path."""

    wrong: tuple[str, ...]
    forced: Verdict = Verdict.UNKNOWN

    @property
    def is_right(self) -> bool:
        """Whether the recorded values are an execution of the path that fails."""
        return not self.wrong


def verify(path: Path, limit: Limit | None = None, solver: Solver | None = None) -> PathVerdict:
    """The verdict on a path by its recorded values, and by a solver within the limit, if there is one."""
    wrong = (*run_along(path), *_shape(path))
    if limit is None or wrong:
        return PathVerdict(wrong)
    return PathVerdict(
        wrong,
        (solver or default_solver()).check(plain_formula(path, with_recorded_addresses=True).problem(), limit).verdict,
    )


def run_along(path: Path) -> tuple[str, ...]:
    """What goes wrong when the path is executed with the recorded values; a value that nothing says is 0."""
    now = {c.name: path.initial.get(c.name, 0) for c in path.cells}
    wrong = [f"the cell {name} is not declared" for name in _undeclared(path)]
    if wrong:
        return tuple(wrong)
    if not Evaluator(now)(path.pre):
        wrong.append("the precondition does not hold")
    for k, instance in enumerate(path.instances):
        wrong += _step(k, instance, now)
    if Evaluator(now)(path.check):
        wrong.append("the check holds at the end")
    return tuple(wrong)


def _step(k: int, instance: Instance, now: dict[str, int]) -> list[str]:
    value = Evaluator(now)
    where = f"instance {k} at {instance.place.file}:{instance.place.line}"
    wrong = [] if value(instance.condition) else [f"{where}: its condition does not hold"]
    given = [
        (cell, instance.recorded.get(cell.name) if term is None else value(term)) for cell, term in instance.writes
    ]
    for cell, new in given:
        recorded = instance.recorded.get(cell.name)
        if new is None:
            wrong.append(f"{where}: {cell.name} gets any value, and none is recorded")
        elif recorded is not None and recorded != new:
            wrong.append(f"{where}: {cell.name} is {new}, recorded {recorded}")
        now[cell.name] = new or 0
    return wrong


def _undeclared(path: Path) -> list[str]:
    terms = [path.check, path.pre]
    for instance in path.instances:
        terms += [instance.condition, *(t for _, t in instance.writes if t is not None)]
    known = {c.name for c in path.cells}
    return [str(v.data) for v in variables(terms) if str(v.data) not in known]


def _shape(path: Path) -> tuple[str, ...]:
    """Scopes that do not nest."""
    wrong = []
    inside: dict[int, int] = {}
    for k, instance in enumerate(path.instances):
        for at in instance.scope:
            inside[at] = inside.get(at, 0) + 1
            if at >= k or path.instances[at].kind is not Kind.BRANCH:
                wrong.append(f"instance {k} stands under {at}, which is no branch before it")
            elif k >= path.instances[at].end:
                wrong.append(f"instance {k} stands under {at}, whose arm ends at {path.instances[at].end}")
    for k, instance in enumerate(path.instances):
        if instance.kind is Kind.BRANCH and not k < instance.end <= len(path.instances):
            wrong.append(f"the arm of branch {k} ends at {instance.end}")
        elif instance.kind is Kind.BRANCH and inside.get(k, 0) != instance.end - k - 1:
            wrong.append(f"the arm of branch {k} has instances that do not stand under it")
    wrong += [
        f"the check stands under {at}, which is no branch"
        for at in path.scope
        if path.instances[at].kind is not Kind.BRANCH
    ]
    return tuple(wrong)
