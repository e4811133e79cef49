"""A path executed symbolically, with a symbol for each value from outside."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from butfor.logic.simplify import ALGEBRA
from butfor.logic.sorts import Value, default_value
from butfor.logic.substitute import substitute
from butfor.logic.terms import TRUE, Term, constant, variable, variables
from butfor.path.execute.path_execution import PathExecution, always_leaves
from butfor.path.execute.value_domains import Terms
from butfor.path.instance_uses import terms_of
from butfor.path.lift.cell_names import UNKNOWN
from butfor.path.path_model import Cell, Path

START = -1


@dataclass(slots=True)
class ExecutionSymbols:
    """The variables of an execution: their sorts, the positions where they came in, and their recorded values.

    `unknown` are those whose value nothing determines.
    """

    sorts: dict[str, int] = field(default_factory=dict)
    position: dict[str, int] = field(default_factory=dict)
    recorded: dict[str, Value] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)
    cells: dict[str, Cell] = field(default_factory=dict)

    def new(self, name: str, cell: Cell, position: int, recorded: Value) -> Term:
        """A variable for what a cell holds from a position on."""
        self.sorts[name] = cell.sort
        self.position[name] = position
        self.recorded[name] = recorded
        self.cells[name] = cell
        return variable(name, cell.sort)


class SymbolicExecution:
    """The execution. `pinned`: what comes from outside is as found.

    `conditions[k]` is what instance k required (the last one: that the check fails), `written[k]` what it wrote.
    """

    def __init__(self, path: Path, *, pinned: bool) -> None:
        self.path = path
        self.pinned = pinned
        self.symbols = ExecutionSymbols()
        self.size = len(path.instances)
        self._versions: dict[str, tuple[list[int], list[Term]]] = {}
        self.conditions: list[Term] = [TRUE] * (self.size + 1)
        self.written: list[dict[str, Term]] = [{} for _ in path.instances]
        execution = _Recorder(path, _Symbols(path, self.symbols, pinned), self._versions, self.written)
        self._begin(execution)
        self.pre = substitute(path.pre, execution.lookup(0), ALGEBRA)
        for needed in execution.onwards():
            self.conditions[needed.position] = needed.condition
        self.touches, self.writers = self._touched()
        self.using = self._used()

    def _begin(self, execution: _Recorder) -> None:
        path = self.path
        for number, cell in enumerate(path.cells):
            name = f"s{number}"
            known = path.initial.get(cell.name)
            found = path.start.get(cell.name, default_value(cell.sort)) if known is None else known
            if known is not None or (self.pinned and cell.name in path.start and cell.type != UNKNOWN):
                first = constant(found, cell.sort)
            else:
                first = self.symbols.new(name, cell, START, found)
                if cell.type == UNKNOWN:
                    self.symbols.unknown.add(name)
            self._versions[cell.name] = ([0], [first])
            execution.now[cell.name] = first

    def value(self, cell: str, position: int) -> Term:
        """What a cell holds before the instance at a position."""
        positions, terms = self._versions[cell]
        return terms[bisect_right(positions, position) - 1]

    def _touched(self) -> tuple[dict[str, list[int]], dict[str, set[int]]]:
        """For each cell the positions that read or write it, in order, and those that write it."""
        touches: dict[str, list[int]] = {c.name: [] for c in self.path.cells}
        writers: dict[str, set[int]] = {c.name: set() for c in self.path.cells}
        for k, instance in enumerate(self.path.instances):
            names = dict.fromkeys(str(v.data) for v in variables(terms_of(instance)))
            for cell, _ in instance.writes:
                names[cell.name] = None
                writers[cell.name].add(k)
            for cell in instance.frames:
                names[cell.name] = None
            for name in names:
                touches[name].append(k)
        for v in variables((self.path.check,)):
            touches[str(v.data)].append(self.size)
        return touches, writers

    def _used(self) -> dict[str, list[int]]:
        """For each symbol the positions whose conditions speak of it."""
        found: dict[str, list[int]] = {name: [] for name in self.symbols.sorts}
        for k, condition in enumerate(self.conditions):
            for v in variables((condition,)):
                found[str(v.data)].append(k)
        return found


class _Symbols(Terms):
    def __init__(self, path: Path, symbols: ExecutionSymbols, pinned: bool) -> None:
        super().__init__(path)
        self.symbols = symbols
        self.pinned = pinned

    def from_outside(self, k: int, number: int, cell: Cell) -> Term:
        found = self.path.instances[k].recorded.get(cell.name, default_value(cell.sort))
        return constant(found, cell.sort) if self.pinned else self.symbols.new(f"h{k}.{number}", cell, k, found)


class _Recorder(PathExecution[Term]):
    """The execution along the path, which notes what cells hold from which position on."""

    def __init__(
        self,
        path: Path,
        domain: _Symbols,
        versions: dict[str, tuple[list[int], list[Term]]],
        written: list[dict[str, Term]],
    ) -> None:
        super().__init__(path, domain, always_leaves)
        self.versions = versions
        self.written = written

    def assign(self, name: str, value: Term, position: int) -> None:
        super().assign(name, value, position)
        self.written[position - 1][name] = value
        positions, terms = self.versions[name]
        positions.append(position)
        terms.append(value)
