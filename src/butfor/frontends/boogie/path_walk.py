"""One path followed from node to node: the effect of each statement, feasible branches, violated checks."""

from __future__ import annotations

import time
from itertools import pairwise

from butfor.frontends.boogie import boogie_syntax as s
from butfor.frontends.boogie.checked_program import TranslationUnit
from butfor.frontends.boogie.control_flow import BRANCH, Check, Node
from butfor.frontends.boogie.exploration_state import Arrival, BranchTaken, ExplorationState
from butfor.frontends.boogie.expression_terms import stored
from butfor.frontends.boogie.failing_path import ViolatedCheck
from butfor.frontends.boogie.interpreter import Given
from butfor.frontends.boogie.path_queries import Key, PathQueries
from butfor.frontends.boogie.procedure_calls import (
    check_preconditions,
    enter_procedure,
    havoc_effects,
    local_cells,
    return_from_procedure,
)
from butfor.logic.solvers import Stack, Verdict
from butfor.logic.sorts import INT, Value, default_value
from butfor.logic.terms import FALSE, TRUE, Term, disjunction, equal, negate, number
from butfor.path.path_model import Cell, Input, Kind
from butfor.source.source_model import Role
from butfor.trace.view.source_places import Place

MAX_FORCED_ROUNDS = 1000  # iterations and nested calls that nothing can avoid: some never end


class PathWalk(PathQueries):
    """Paths up to one bound.

    `cut` says that the bound ended a path, `late` that time did; `overlong` has the lines of loops and calls that were
    abandoned because nothing else would have ended them.
    """

    def __init__(
        self,
        unit: TranslationUnit,
        entry: s.Procedure,
        stack: Stack,
        pre: Term,
        bound: int,
        end: float,
        found: dict[Key, ViolatedCheck],
        unknown: dict[str, None],
    ) -> None:
        super().__init__(stack, pre, end, found, unknown)
        self.unit = unit
        self.entry = entry
        self.bound = bound
        self.max_rounds = MAX_FORCED_ROUNDS
        self.cut = False
        self.late = False
        self.overlong: dict[int, None] = {}
        self.wants_passing = False
        self.passing: Given | None = None

    def follow(self, state: ExplorationState, work: list[ExplorationState]) -> None:
        """Follow the path to its end; put the other arms of its branches on the worklist."""
        while time.monotonic() < self.end:
            node = state.top.flow.nodes[state.top.node]
            match node.op:
                case "branch":
                    going = self._branch(state, node, work)
                case "goto" if len(node.succs) > 1:
                    going = self._goto(state, node, work)
                case "check":
                    assert isinstance(node.statement, Check)
                    going = self._node_check(state, node.statement) and self._next(state, node.succs[0])
                case "exit":
                    going = self._exit(state)
                case "statement" if state.passed != state.top.node:
                    going = self._statement(state, node)
                case "statement":
                    state.passed = -1
                    going = self._next(state, node.succs[0])
                case _:
                    going = self._next(state, node.succs[0])
            if not going:
                return
        self.late = True

    def _next(self, state: ExplorationState, node: int) -> bool:
        arrival = state.arrive(node, self.bound, self.max_rounds)
        self.cut |= arrival is Arrival.CUT
        if arrival is Arrival.OVERLONG:
            self.overlong[state.top.flow.nodes[node].span.line] = None
        return arrival is Arrival.GOES_ON

    # Statements.

    def _node_check(self, state: ExplorationState, check: Check) -> bool:
        condition = state.term(check.expr, state.top)
        function = state.top.flow.procedure.name
        place = self.unit.text.place(check.span, function, Role.OTHER)
        text = self.unit.text.written(check.expr.span)
        message = f"assertion failed: {text}" if check.words == "assertion" else f"the invariant {check.words}: {text}"
        return self.check(state, condition, place, message, (check.span, check.words))

    def _statement(self, state: ExplorationState, node: Node) -> bool:
        text, frame = self.unit.text, state.top
        function = frame.flow.procedure.name
        match node.statement:
            case s.Assert(expr=expr, span=span):
                condition = state.term(expr, frame)
                state.add(Kind.ASSUME, text.place(span, function, Role.OTHER), condition=condition)
                if not self.assume(state, condition):
                    return False
            case s.Havoc(names=names, span=span):
                cells = [state.cell_of(name, frame) for name in dict.fromkeys(names)]
                inputs = {c.name: Input("havoc", c.shown) for c in cells}
                state.add(
                    Kind.HAVOC, text.place(span, function, Role.EXPRESSION), [(c, None) for c in cells], inputs=inputs
                )
            case s.Assign() as assign:
                target = text.written(assign.targets[0].span) if len(assign.targets) == 1 else None
                state.add(
                    Kind.ASSIGN, text.place(assign.span, function, Role.EXPRESSION, target), self._writes(state, assign)
                )
            case s.Call() as call:
                return self._call(state, call, node)
        return self._next(state, node.succs[0])

    def _writes(self, state: ExplorationState, assign: s.Assign) -> list[tuple[Cell, Term | None]]:
        frame = state.top
        writes: list[tuple[Cell, Term | None]] = []
        for target, value in zip(assign.targets, assign.values, strict=True):
            cell = state.cell_of(target.name, frame)
            term = state.term(value, frame)
            if target.indexes:
                indexes = [state.term(i, frame) for one in target.indexes for i in one]
                term = stored(cell.term, indexes, term)
            writes.append((cell, term))
        return writes

    # Branches.

    def _branch(self, state: ExplorationState, node: Node, work: list[ExplorationState]) -> bool:
        place = self.unit.text.place(node.span, state.top.flow.procedure.name, Role.CONDITION)
        if node.guard is None:
            condition = self._choice(state, place, 0)
            return self._fork(state, [condition, negate(condition)], [place, place], work, free=True)
        condition = state.term(node.guard, state.top)
        return self._fork(state, [condition, negate(condition)], [place, place], work)

    def _goto(self, state: ExplorationState, node: Node, work: list[ExplorationState]) -> bool:
        function = state.top.flow.procedure.name
        told = self._opposite_assumptions(state, node)
        if told is not None:
            places = [self.unit.text.place(a.expr.span, function, Role.CONDITION) for _, a, _ in told]
            return self._fork(state, [t for _, _, t in told], places, work, passed=[k for k, _, _ in told])
        place = self.unit.text.place(node.span, function, Role.CONDITION)
        if len(node.succs) == 2:
            condition = self._choice(state, place, 0)
            return self._fork(state, [condition, negate(condition)], [place, place], work, free=True)
        choice = self._choice(state, place, INT)
        ways = [equal(choice, number(k, INT)) for k in range(len(node.succs) - 1)]
        return self._fork(state, [*ways, negate(disjunction(ways))], [place] * len(node.succs), work, free=True)

    def _opposite_assumptions(self, state: ExplorationState, node: Node) -> list[tuple[int, s.Assert, Term]] | None:
        """The assumptions at the two targets of a goto, when one is the other's opposite: then they are a decision."""
        flow = state.top.flow
        found = []
        for target in node.succs:
            assumption = flow.assumption_at(target)
            if assumption is None:
                return None
            found.append((flow.first_statement(target), assumption, state.term(assumption.expr, state.top)))
        return found if len(found) == 2 and _opposite(found[0][2], found[1][2]) else None

    def _choice(self, state: ExplorationState, place: Place, sort: int) -> Term:
        """A new cell with any value, which decides where the path goes."""
        cell = Cell(f"*{len(state.instances)}", sort, "*", "int" if sort else "bool", function=place.function)
        state.add(Kind.HAVOC, place, [(cell, None)], inputs={cell.name: Input("nondet", "*")})
        return cell.term

    def _fork(
        self,
        state: ExplorationState,
        conditions: list[Term],
        places: list[Place],
        work: list[ExplorationState],
        *,
        free: bool = False,
        passed: list[int] | None = None,
    ) -> bool:
        """Whether the path continues, by the last feasible arm; the others are put on the worklist."""
        values = [state.now(c) for c in conditions]
        is_open = [v is not FALSE for v in values]
        layers: list[tuple[Term, ...]] = [(v,) for v in values]
        if not free and TRUE not in values:
            for k, value in enumerate(values):
                if is_open[k] and (k + 1 < len(values) or any(is_open[:k])):  # the last way is open when no other is
                    result, layers[k] = self._ask(state, value)
                    is_open[k] = result.verdict is not Verdict.UNSAT
        state.flush()
        ways = [k for k, yes in enumerate(is_open) if yes]
        if len(ways) > 1:
            state.forks += 1
        for k in ways:
            one = state if k == ways[-1] else state.copy()
            if len(ways) > 1 and values[k] is not TRUE:
                one.layers.append(layers[k])
            one.passed = passed[k] if passed is not None else -1
            going = self._take(one, k, conditions[k], places[k])
            if one is state:
                return going
            if going:
                work.append(one)
        return False

    def _take(self, state: ExplorationState, arm: int, condition: Term, place: Place) -> bool:
        frame = state.top
        here = frame.node
        node = frame.flow.nodes[here]
        others = [k for k in range(len(node.succs)) if k != arm]
        names = {name for k in others for name in self.unit.assigned_in(frame.flow, here, k)}
        held = node.op != BRANCH or arm == 0
        position = state.add(
            Kind.BRANCH,
            place,
            condition=condition,
            frames=state.cells_named(names, frame),
            held=held,
            exits_loop=frame.flow.exits_loop(here),
        )
        state.scope.append((position, len(state.frames) - 1, node.arms[arm]))
        state.branches_taken.append(
            BranchTaken(position, frame.number, frame.flow, tuple(node.succs[k] for k in others))
        )
        return self._next(state, node.succs[arm])

    # Calls.

    def _call(self, state: ExplorationState, call: s.Call, node: Node) -> bool:
        procedure = self.unit.program.procedures[call.callee]
        flow = self.unit.flows.get(call.callee)
        if not check_preconditions(self, state, call, procedure):
            return False
        if flow is None:
            return havoc_effects(self, state, call, procedure) and self._next(state, node.succs[0])
        same = [f for f in state.frames if f.flow is flow]
        free = sum(b.forks > a.forks for a, b in pairwise(same)) + (bool(same) and state.forks > same[-1].forks)
        if len(same) > self.max_rounds:
            self.overlong[call.span.line] = None
            return False
        if free > self.bound:
            self.cut = True
            return False
        enter_procedure(state, call, flow)
        return self._next(state, 0)

    def _exit(self, state: ExplorationState) -> bool:
        if not return_from_procedure(self, state):
            return False
        if not state.frames:
            if self.wants_passing and self.passing is None:
                self.passing = self._values_of(state)
            return False
        return self._next(state, state.top.flow.nodes[state.top.node].succs[0])

    def _values_of(self, state: ExplorationState) -> Given | None:
        """Values from outside with which this path runs to its end; None where a solver finds none."""
        result, _ = self._ask(state, TRUE)
        if result.verdict is not Verdict.SAT:
            self.unknown["the solver could not decide whether a path can be run to its end"] = None
            return None
        values = {**result.model, **state.given}
        start = {
            name: values.get(f"{name}!0", default_value(cell.sort)) for name, cell in self._all_cells(state).items()
        }
        chosen: dict[tuple[int, int], list[Value]] = {}
        for k, i in enumerate(state.instances):
            if i.kind is Kind.HAVOC:
                new = [values.get(f"{c.name}!h{k}", default_value(c.sort)) for c, _ in i.writes]
                chosen.setdefault((i.place.line, i.place.column), []).extend(new)
        return Given(start, chosen)

    def _all_cells(self, state: ExplorationState) -> dict[str, Cell]:
        entry = {c.name: c for c in local_cells(self.unit, self.entry, 0).values()}
        return {**self.unit.meaning.cells, **self.unit.globals, **entry, **state.cells}


def _opposite(x: Term, y: Term) -> bool:
    if negate(x) is y or negate(y) is x:
        return True
    return {x.op, y.op} == {"lt", "le"} and x.args == y.args[::-1]
