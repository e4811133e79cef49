"""Abstract interpretation of a Boogie program with ranges: what holds at each node in every execution.

Procedures are analysed for all their calls at once. Loops end by widening; two rounds of narrowing follow.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from butfor.frontends.boogie import boogie_syntax as s
from butfor.frontends.boogie.checked_program import TranslationUnit
from butfor.frontends.boogie.control_flow import Check, FlowGraph
from butfor.frontends.boogie.value_ranges import ANY, HOLDS, Ranges, assigned, assumed, joined, value_range, widened

JOINS_BEFORE_WIDENING = 3  # of a loop head, and of the calls and results of a procedure
NARROWING_ROUNDS = 2
MAX_ROUNDS = 60  # of all procedures: recursion needs some, and widening ends it


@dataclass(slots=True)
class ProcedureStates:
    """The states before the nodes of a procedure; `entry` joins all its calls, `exit` is where it returns."""

    flow: FlowGraph
    entry: Ranges | None = None
    nodes: list[Ranges | None] = field(default_factory=list)
    joins: int = 0

    @property
    def exit(self) -> Ranges | None:
        """The state in which it returns."""
        return self.nodes[self.flow.exit] if self.nodes else None


class RangeAnalysis:
    """The states of all procedures that the entry calls; `complete` unless the time was over first."""

    def __init__(self, unit: TranslationUnit, flow: FlowGraph, is_over: Callable[[], bool] = lambda: False) -> None:
        self.unit = unit
        self.states = {name: ProcedureStates(f) for name, f in unit.flows.items()}
        self.complete = True
        first = self.states[flow.procedure.name]
        first.entry = self._start(flow.procedure, {})
        for _ in range(MAX_ROUNDS):
            before = [(p.entry, p.exit) for p in self.states.values()]
            for p in self.states.values():
                if p.entry is not None:
                    self._fixpoint(p, is_over)
            if [(p.entry, p.exit) for p in self.states.values()] == before:
                return
            if is_over():
                break
        self.complete = False
        for p in self.states.values():
            p.nodes = [{} for _ in p.flow.nodes]  # nothing is known before all states are stable

    def _start(self, procedure: s.Procedure, known: Ranges) -> Ranges | None:
        """The state at the start of a procedure: what it requires holds there, and so do the axioms."""
        found: Ranges | None = known
        conditions = [spec.expr for spec in procedure.specs if spec.keyword == "requires"]
        for condition in (*self.unit.program.axioms, *conditions):
            found = None if found is None else assumed(condition, found)
        return found

    def _fixpoint(self, p: ProcedureStates, is_over: Callable[[], bool]) -> None:
        flow = p.flow
        p.nodes = [None] * len(flow.nodes)
        p.nodes[0] = p.entry
        joins = [0] * len(flow.nodes)
        work = [0]
        while work and not is_over():
            node = work.pop()
            for target, state in self.after(flow, node, p.nodes[node]):
                old = p.nodes[target]
                new = joined(old, state)
                if new == old:
                    continue
                joins[target] += 1
                if target in flow.loops and joins[target] > JOINS_BEFORE_WIDENING:
                    new = widened(old, new)
                p.nodes[target] = new
                work.append(target)
        if work:
            self.complete = False
            p.nodes = [{} for _ in flow.nodes]  # nothing is known
            return
        for _ in range(NARROWING_ROUNDS):
            self._narrow(p)

    def _narrow(self, p: ProcedureStates) -> None:
        """Recompute every state from those before it: each is sound, and none is larger."""
        found: list[Ranges | None] = [None] * len(p.nodes)
        found[0] = p.entry
        for node, state in enumerate(p.nodes):
            for target, after in self.after(p.flow, node, state):
                found[target] = joined(found[target], after)
        p.nodes = found

    def after(self, flow: FlowGraph, number: int, state: Ranges | None) -> list[tuple[int, Ranges]]:
        """The successors of a node that can be reached, with their states."""
        node = flow.nodes[number]
        if state is None or number == flow.exit:
            return []
        if node.guard is not None:
            arms = [assumed(node.guard, state), assumed(node.guard, state, holds=False)]
            return [(target, arm) for target, arm in zip(node.succs, arms, strict=True) if arm is not None]
        new = self._effect(flow, node.statement, state)
        return [] if new is None else [(target, new) for target in dict.fromkeys(node.succs)]

    def _effect(self, flow: FlowGraph, statement: s.Statement | Check | None, state: Ranges) -> Ranges | None:
        match statement:
            case Check(expr=expr) | s.Assert(expr=expr):
                return assumed(expr, state)
            case s.Havoc(names=names):
                for name in names:
                    state = assigned(state, name, ANY)
            case s.Assign(targets=targets, values=values):
                new = [ANY if t.indexes else value_range(v, state) for t, v in zip(targets, values, strict=True)]
                for target, r in zip(targets, new, strict=True):
                    state = assigned(state, target.name, r)
            case s.Call() as call:
                return self._call(call, flow, state)
        return state

    def argument_state(self, call: s.Call, flow: FlowGraph, state: Ranges) -> Ranges:
        """What a procedure knows at its start from one call: its parameters, and what is global for both."""
        procedure = self.unit.program.procedures[call.callee]
        hidden = _local_names(flow.procedure) | _local_names(procedure)
        known = (self.unit.globals.keys() | self.unit.program.constants.keys()) - hidden
        found: Ranges = {name: r for name, r in state.items() if name in known}
        for p, a in zip(procedure.params, call.args, strict=True):
            found = assigned(found, p.name, value_range(a, state))
        return found

    def _call(self, call: s.Call, flow: FlowGraph, state: Ranges) -> Ranges | None:
        procedure = self.unit.program.procedures[call.callee]
        callee = self.states.get(call.callee)
        given = self._start(procedure, self.argument_state(call, flow, state))
        result: Ranges | None = {}
        if callee is not None:
            new = joined(callee.entry, given)
            if new != callee.entry:
                callee.joins += 1
                callee.entry = widened(callee.entry, new) if callee.joins > JOINS_BEFORE_WIDENING else new
            result = callee.exit
        if given is None or result is None:
            return None
        for spec in procedure.specs:
            if spec.keyword == "ensures":
                result = None if result is None else assumed(spec.expr, result)
        if result is None:
            return None
        hidden = _local_names(procedure)
        for name in self.unit.modified.get(call.callee, frozenset()) - _local_names(flow.procedure):
            state = assigned(state, name, ANY if name in hidden else result.get(name, ANY))
        for name, r in zip(call.outs, procedure.returns, strict=bool(call.outs)):
            state = assigned(state, name, result.get(r.name, ANY))
        return state

    def state_at(self, procedure: str, node: int) -> Ranges | None:
        """The state before a node; None where no execution comes."""
        states = self.states[procedure].nodes
        return states[node] if states else None


def _local_names(procedure: s.Procedure) -> frozenset[str]:
    body = procedure.body
    named = (*procedure.params, *procedure.returns, *(body.variables if body is not None else ()))
    return frozenset(n.name for n in named)


def conjuncts(expr: s.Expr) -> list[s.Expr]:
    """The parts of a conjunction."""
    found, work = [], [expr]
    while work:
        e = work.pop()
        if e.op == "&&":
            work += reversed(e.args)
        else:
            found.append(e)
    return found


def is_sure(expr: s.Expr, state: Ranges) -> bool:
    """Whether a condition holds in all of a state."""
    return value_range(expr, state) == HOLDS or assumed(expr, state, holds=False) is None
