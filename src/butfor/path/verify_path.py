"""Whether a path is right: the run satisfies its instances and violates its check, as any run must."""

from __future__ import annotations

from dataclasses import dataclass

from butfor.logic.solvers import Limit, Solver, Verdict, default_solver
from butfor.logic.sorts import Value
from butfor.logic.terms import variables
from butfor.path.execute.path_execution import PathExecution, Role, always_leaves
from butfor.path.execute.value_domains import KnownValues
from butfor.path.path_formula import plain_formula
from butfor.path.path_model import Cell, Kind, Path


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
    wrong = [f"the cell {name} is not declared" for name in _undeclared(path)]
    if wrong:
        return tuple(wrong)
    execution = _RecordedRun(path, wrong)
    if execution.domain.value(path.pre, execution.lookup(0)) != 1:
        wrong.append("the precondition does not hold")
    for needed in execution.onwards():
        is_end = needed.role is Role.CHECK
        wrong.append("the check holds at the end" if is_end else f"{_where(path, needed.position)}: {_NOT_MET}")
    return tuple(wrong)


_NOT_MET = "its condition does not hold"


def _where(path: Path, k: int) -> str:
    place = path.instances[k].place
    return f"instance {k} at {place.file}:{place.line}"


class _RecordedRun(PathExecution[Value | None]):
    """The execution with recorded values, which notes where they are not what the terms give."""

    def __init__(self, path: Path, wrong: list[str]) -> None:
        super().__init__(path, _RecordedValues(path), always_leaves)
        self.now = {c.name: path.initial.get(c.name, 0) for c in path.cells}
        self.wrong = wrong

    def assign(self, name: str, value: Value | None, position: int) -> None:
        recorded = self.path.instances[position - 1].recorded.get(name)
        if value is None:
            self.wrong.append(f"{_where(self.path, position - 1)}: {name} gets any value, and none is recorded")
        elif recorded is not None and recorded != value:
            self.wrong.append(f"{_where(self.path, position - 1)}: {name} is {value}, recorded {recorded}")
        super().assign(name, value or 0, position)


class _RecordedValues(KnownValues):
    def from_outside(self, k: int, number: int, cell: Cell) -> Value | None:
        return self.path.instances[k].recorded.get(cell.name)


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
