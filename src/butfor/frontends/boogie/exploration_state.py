"""The state of one path under exploration: its node, the values of its cells and its path condition."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from butfor.frontends.boogie import boogie_syntax as s
from butfor.frontends.boogie.checked_program import TranslationUnit
from butfor.frontends.boogie.control_flow import FlowGraph
from butfor.logic.rules import is_literal
from butfor.logic.simplify import FOLDING
from butfor.logic.solvers.solver import Layer
from butfor.logic.sorts import Value
from butfor.logic.substitute import substitute
from butfor.logic.terms import TRUE, Term, constant, equal, variable, variables
from butfor.path.path_model import Cell, Input, Instance, Kind
from butfor.trace.view.source_places import Place


class Arrival(enum.Enum):
    """What happens to a path at a node."""

    GOES_ON = "goes on"
    CUT = "one round more than the bound allows"
    OVERLONG = "more rounds than are followed where nothing ends them"
    ENDLESS = "the same for ever"


@dataclass(slots=True)
class OpenLoop:
    """A loop that the path is in: how often its head was reached, and how many of these iterations were a choice."""

    head: int
    nodes: frozenset[int]
    count: int = 1
    free: int = 0  # iterations in which the path forked
    forks: int = 0  # of the path, when the head was reached last
    values: dict[str, Term] = field(default_factory=dict)  # of the cells, when the head was reached last


@dataclass(slots=True)
class ProcedureFrame:
    """A call that is under way; `call` is the statement that made it, `node` the statement that comes next."""

    flow: FlowGraph
    number: int
    cells: dict[str, Cell]
    call: s.Call | None = None
    node: int = 0
    rounds: list[OpenLoop] = field(default_factory=list)
    forks: int = 0  # of the path when the call began

    def copy(self) -> ProcedureFrame:
        """An independent copy."""
        return replace(self, rounds=[replace(r) for r in self.rounds])


@dataclass(slots=True)
class BranchTaken:
    """A branch that the path took: its position, its frame, and the nodes where its other arms begin."""

    position: int
    frame: int
    flow: FlowGraph
    others: tuple[int, ...]


@dataclass(slots=True)
class ExplorationState:
    """A path as far as it was followed."""

    unit: TranslationUnit
    frames: list[ProcedureFrame]
    cells: dict[str, Cell]
    values: dict[str, Term] = field(default_factory=dict)
    sources: dict[str, Term] = field(default_factory=dict)  # variables of values from outside
    instances: list[Instance] = field(default_factory=list)
    # Branches that the path is inside of: position, depth of the call, nodes of the arm.
    scope: list[tuple[int, int, frozenset[int]]] = field(default_factory=list)
    ends: dict[int, int] = field(default_factory=dict)
    branches_taken: list[BranchTaken] = field(default_factory=list)
    layers: list[Layer] = field(default_factory=list)
    pending: list[Term] = field(default_factory=list)  # equations that no question needed yet
    forks: int = 0
    calls: int = 0
    passed: int = -1  # a node whose assumption is implied by the branch before it
    given: Mapping[str, Value] = field(default_factory=dict)  # values of sources that are not free

    def copy(self) -> ExplorationState:
        """An independent copy."""
        return replace(
            self,
            frames=[f.copy() for f in self.frames],
            cells=dict(self.cells),
            values=dict(self.values),
            sources=dict(self.sources),
            instances=list(self.instances),
            scope=list(self.scope),
            ends=dict(self.ends),
            branches_taken=list(self.branches_taken),
            layers=list(self.layers),
            pending=list(self.pending),
        )

    @property
    def top(self) -> ProcedureFrame:
        """The call that is under way."""
        return self.frames[-1]

    def cell_of(self, name: str, frame: ProcedureFrame) -> Cell:
        """The cell of a variable in a call."""
        return frame.cells.get(name) or self.unit.globals[name]

    def term(self, expr: s.Expr, frame: ProcedureFrame, bound: dict[str, Term] | None = None) -> Term:
        """An expression over the cells of a call; `bound` are names that stand for something else."""

        def lookup(name: str, is_old: bool) -> Term:
            if bound is not None and name in bound:
                return bound[name]
            if is_old and name not in frame.cells and f"old({name})" in frame.cells:
                return frame.cells[f"old({name})"].term
            if name in frame.cells or name in self.unit.globals:
                return self.cell_of(name, frame).term
            return self.unit.meaning.constant(name)

        return self.unit.meaning.term(expr, lookup)

    def now(self, term: Term) -> Term:
        """A term over cells with what they hold now."""
        for v in variables((term,)):
            if str(v.data) not in self.values:
                self.values[str(v.data)] = self.source(f"{v.data}!0", v.width)
        return substitute(term, self.values, FOLDING)

    def source(self, name: str, sort: int) -> Term:
        """A variable whose value comes from outside; the value itself where it is given."""
        if name in self.given:
            return constant(self.given[name], sort)
        found = self.sources[name] = variable(name, sort)
        return found

    def add(
        self,
        kind: Kind,
        place: Place,
        writes: Sequence[tuple[Cell, Term | None]] = (),
        condition: Term = TRUE,
        frames: Sequence[Cell] = (),
        inputs: dict[str, Input] | None = None,
        held: bool = True,
        exits_loop: bool = False,
    ) -> int:
        """The position of a new instance; what it writes is in the cells from now on."""
        position = len(self.instances)
        instance = Instance(
            kind,
            place,
            tuple(writes),
            condition,
            tuple(p for p, _, _ in self.scope),
            0,
            tuple(frames),
            inputs=inputs or {},
            frame=self.top.number,
            rounds=tuple(r.count for f in self.frames for r in f.rounds),
            held=held,
            exits_loop=exits_loop,
        )
        self.instances.append(instance)
        new = [(cell, None if term is None else self.now(term)) for cell, term in writes]
        for cell, value in new:
            self.cells[cell.name] = cell
            self.values[cell.name] = self._kept(cell, value, position)
        return position

    def _kept(self, cell: Cell, value: Term | None, position: int) -> Term:
        """What a cell holds after it was written: the value where it is short, else a variable with an equation."""
        if value is None:
            return self.source(f"{cell.name}!h{position}", cell.sort)
        element = value.op == "store" and all(map(is_literal, value.args[1:]))
        if is_literal(value) or value.op == "var" or element:
            return value
        fresh = variable(f"{cell.name}!a{position}", cell.sort)
        self.pending.append(equal(fresh, value))
        return fresh

    def flush(self) -> None:
        """Move the pending equations into a layer of the solver's assertion stack."""
        if self.pending:
            self.layers.append(tuple(self.pending))
            self.pending = []

    def arrive(self, node: int, bound: int, most: int) -> Arrival:
        """How the path goes on at a node."""
        frame, depth = self.top, len(self.frames) - 1
        frame.node = node
        while self.scope and self.scope[-1][1] == depth and node not in self.scope[-1][2]:
            self.ends[self.scope.pop()[0]] = len(self.instances)
        while frame.rounds and node not in frame.rounds[-1].nodes:
            frame.rounds.pop()
        nodes = frame.flow.loops.get(node)
        if nodes is None:
            return Arrival.GOES_ON
        for r in frame.rounds:
            if r.head == node:
                return self._again(r, bound, most)
        frame.rounds.append(OpenLoop(node, nodes, forks=self.forks, values=dict(self.values)))
        return Arrival.GOES_ON

    def _again(self, r: OpenLoop, bound: int, most: int) -> Arrival:
        if self.forks == r.forks and self.values == r.values:
            return Arrival.ENDLESS
        r.count += 1
        r.free += self.forks > r.forks
        r.forks, r.values = self.forks, dict(self.values)
        if r.count > most:
            return Arrival.OVERLONG
        return Arrival.GOES_ON if r.free <= bound else Arrival.CUT

    def leave(self) -> ProcedureFrame:
        """The call that ends now."""
        depth = len(self.frames) - 1
        while self.scope and self.scope[-1][1] == depth:
            self.ends[self.scope.pop()[0]] = len(self.instances)
        return self.frames.pop()

    def cells_named(self, names: Iterable[str], frame: ProcedureFrame) -> tuple[Cell, ...]:
        """The cells of variables in a fixed order; they belong to the path from now on."""
        found = tuple(self.cell_of(name, frame) for name in sorted(names))
        self.cells.update({c.name: c for c in found})
        return found
