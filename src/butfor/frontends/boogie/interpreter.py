"""Boogie programs run with concrete values, to confirm claims about inputs.

It shares nothing with the exploration but the syntax and the control-flow graph: expressions are evaluated, never
turned into terms.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from butfor.frontends.boogie import boogie_syntax as s
from butfor.frontends.boogie.boogie_types import TypeRules, bits_of
from butfor.frontends.boogie.checked_program import TranslationUnit
from butfor.frontends.boogie.control_flow import Check, FlowGraph, Node
from butfor.frontends.boogie.operation_values import BINARY, builtin, updated_map
from butfor.logic.sorts import MapValue, Value
from butfor.path.path_model import Kind, Path

MAX_STEPS = 200_000  # statements of a run; one that takes more is not known to end
_BOOL, _INT = s.Type("bool"), s.Type("int")


class End(enum.Enum):
    """How a run ended."""

    FAILED = "a check failed"
    RETURNED = "the procedure returned"
    BLOCKED = "an assumption did not hold"
    TOO_LONG = "it did not end within the steps allowed"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a run: how, and where the failed check stands."""

    end: End
    at: s.Span | None = None


class EventKind(enum.Enum):
    """What a run does at an event."""

    ASSIGN = "assignment, also of the results of a call"
    BIND = "parameters get the values of arguments"
    BRANCH = "a condition decides"


@dataclass(frozen=True, slots=True)
class Event:
    """The occurrence of this number, from 1 on, of something that a run does at a line and column."""

    kind: EventKind
    line: int
    column: int
    number: int


HOLDS = "holds"  # in the place of a variable: whether the condition of a branch holds


@dataclass(frozen=True, slots=True)
class Given:
    """The values from outside.

    `start` has those of variables before they are assigned, of constants, and of functions that nothing defines, by the
    names of their cells. `chosen` has those of each `havoc`, `*` and call without a body, by line and column, in the
    order in which a run asks for them; when they run out, `otherwise` is asked. `changed` has the values that variables
    get at an event instead of those that the program computes.
    """

    start: Mapping[str, Value] = field(default_factory=dict)
    chosen: Mapping[tuple[int, int], Sequence[Value]] = field(default_factory=dict)
    otherwise: Callable[[s.Type], Value] | None = None
    changed: Mapping[Event, Mapping[str, Value]] = field(default_factory=dict)


def given_by(path: Path) -> Given:
    """The values from outside that a path was found with."""
    chosen: dict[tuple[int, int], list[Value]] = {}
    for i in path.instances:
        if i.kind is Kind.HAVOC:
            at = i.place.line, i.place.column
            chosen.setdefault(at, []).extend(i.recorded[cell.name] for cell, _ in i.writes)
    return Given(path.start, chosen)


class _Stop(Exception):
    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome


def run(unit: TranslationUnit, flow: FlowGraph, given: Given, max_steps: int = MAX_STEPS) -> Outcome:
    """The outcome of the procedure with these values from outside."""
    machine = _Machine(unit, given, max_steps)
    try:
        machine.start(flow)
    except _Stop as stop:
        return stop.outcome
    return Outcome(End.RETURNED)


def default_of(type_rules: TypeRules, kind: s.Type, span: s.Span) -> Value:
    """The value that is taken where any will do."""
    kind = type_rules.resolved(kind, span)
    if kind.is_map:
        value = default_of(type_rules, kind.args[-1], span)
        for _ in kind.args[:-1]:
            value = MapValue(value)
        return value
    return Fraction(0) if kind.name == "real" else 0


@dataclass(slots=True)
class _Frame:
    """A call under way: its procedure, the values of its variables, and what global variables were when it began."""

    procedure: s.Procedure
    number: int
    values: dict[str, Value]
    types: dict[str, s.Named]
    old: dict[str, Value]


class _Machine:
    def __init__(self, unit: TranslationUnit, given: Given, max_steps: int) -> None:
        self.unit = unit
        self.program = unit.program
        self.type_rules = unit.meaning.type_rules
        self.given = given
        self.chosen = {place: iter(values) for place, values in given.chosen.items()}
        self.steps = max_steps
        self.globals: dict[str, Value] = {}
        self.calls = 0
        self.events: Counter[tuple[EventKind, s.Span]] = Counter()

    def _changed(self, kind: EventKind, at: s.Span) -> Mapping[str, Value]:
        """What is changed at an event that happens now."""
        if not self.given.changed:
            return {}
        self.events[kind, at] += 1
        return self.given.changed.get(Event(kind, at.line, at.column, self.events[kind, at]), {})

    def start(self, flow: FlowGraph) -> None:
        for axiom in self.program.axioms:
            self._assume(self._value(axiom, None))
        frame = self._frame(flow.procedure, 0)
        for spec in flow.procedure.specs:
            if spec.keyword == "requires":
                self._assume(self._value(spec.expr, frame))
        self._body(flow, frame, is_entry=True)

    def _frame(self, procedure: s.Procedure, number: int) -> _Frame:
        named = (
            *procedure.params,
            *procedure.returns,
            *(procedure.body.variables if procedure.body is not None else ()),
        )
        old = {name: self._global(name) for name in self.program.variables}
        return _Frame(procedure, number, {}, {n.name: n for n in named}, old)

    # --- statements

    def _body(self, flow: FlowGraph, frame: _Frame, *, is_entry: bool) -> None:
        at = 0
        while at != flow.exit:
            self.steps -= 1
            if self.steps < 0:
                raise _Stop(Outcome(End.TOO_LONG))
            at = self._node(flow.nodes[at], frame)
        for spec in flow.procedure.specs:
            if spec.keyword == "ensures" and not spec.is_free:
                self._check(self._value(spec.expr, frame), spec.span)
            elif spec.keyword == "ensures" and not is_entry:
                self._assume(self._value(spec.expr, frame))

    def _node(self, node: Node, frame: _Frame) -> int:
        """Run one node; the node that comes next."""
        if node.op == "branch":
            holds = self._choose(node.span, _BOOL) if node.guard is None else self._value(node.guard, frame)
            holds = self._changed(EventKind.BRANCH, node.span).get(HOLDS, holds)
            return node.succs[0 if holds else 1]
        if node.op == "goto" and len(node.succs) > 1:
            return self._goto(node, frame)
        match node.statement:
            case Check(expr=expr, span=span):
                self._check(self._value(expr, frame), span)
            case s.Assert(expr=expr):
                self._assume(self._value(expr, frame))
            case s.Havoc(names=names, span=span):
                for name in dict.fromkeys(names):
                    self._set(name, self._choose(span, self._type(name, frame)), frame)
            case s.Assign(targets=targets, values=values, span=span):
                new = [self._assigned(t, self._value(v, frame), frame) for t, v in zip(targets, values, strict=True)]
                other = self._changed(EventKind.ASSIGN, span)
                for target, value in zip(targets, new, strict=True):
                    self._set(target.name, other.get(target.name, value), frame)
            case s.Call() as call:
                self._call(call, frame)
        return node.succs[0]

    def _goto(self, node: Node, frame: _Frame) -> int:
        """The target of a goto: the one that was chosen, else the first one whose assumption holds."""
        flow = self.unit.flows[frame.procedure.name]
        if _place(node.span) not in self.chosen:
            for target in node.succs:
                assumption = flow.assumption_at(target)
                if assumption is not None and self._value(assumption.expr, frame):
                    return target
        if len(node.succs) == 2:
            return node.succs[0 if self._choose(node.span, _BOOL) else 1]
        number = self._choose(node.span, _INT)
        return node.succs[number if 0 <= number < len(node.succs) - 1 else -1]

    def _check(self, holds: Value, at: s.Span) -> None:
        if not holds:
            raise _Stop(Outcome(End.FAILED, at))

    def _assume(self, holds: Value) -> None:
        if not holds:
            raise _Stop(Outcome(End.BLOCKED))

    def _assigned(self, target: s.Target, value: Value, frame: _Frame) -> Value:
        indexes = [self._value(i, frame) for one in target.indexes for i in one]
        return updated_map(self._variable(target.name, frame), indexes, value) if indexes else value

    def _call(self, call: s.Call, frame: _Frame) -> None:
        procedure = self.program.procedures[call.callee]
        arguments = [self._value(a, frame) for a in call.args]
        flow = self.unit.flows.get(call.callee)
        self.calls += 1
        inner = self._frame(procedure, self.calls)
        inner.values.update(zip((p.name for p in procedure.params), arguments, strict=True))
        inner.values.update(self._changed(EventKind.BIND, call.span))
        for spec in procedure.specs:
            if spec.keyword == "requires":
                holds = self._value(spec.expr, inner)
                self._assume(holds) if spec.is_free else self._check(holds, call.span)
        if flow is not None:
            self._body(flow, inner, is_entry=False)
            results = [self._variable(r.name, inner) for r in procedure.returns]
        else:
            results = self._without_body(call, procedure, inner, frame)
        other = self._changed(EventKind.ASSIGN, call.span) if flow is not None else {}
        for name, value in zip(call.outs, results, strict=bool(call.outs)):
            self._set(name, other.get(name, value), frame)

    def _without_body(self, call: s.Call, procedure: s.Procedure, inner: _Frame, frame: _Frame) -> list[Value]:
        """The results of a procedure without a body: any that its postconditions allow."""
        chosen = dict.fromkeys((*call.outs, *(name for name, _ in procedure.modifies)))
        values = {name: self._choose(call.span, self._type(name, frame)) for name in chosen}
        for name, _ in procedure.modifies:
            self.globals[name] = values[name]
        results = [values[name] for name in call.outs]
        inner.values.update(zip((r.name for r in procedure.returns), results, strict=False))
        for spec in procedure.specs:
            if spec.keyword == "ensures":
                self._assume(self._value(spec.expr, inner))
        return results

    # --- variables

    def _choose(self, at: s.Span, kind: s.Type) -> Value:
        found = next(self.chosen.get(_place(at), iter(())), None)
        if found is not None:
            return found
        if self.given.otherwise is not None:
            return self.given.otherwise(kind)
        return default_of(self.type_rules, kind, at)

    def _type(self, name: str, frame: _Frame) -> s.Type:
        return (frame.types.get(name) or self.program.variables[name]).type

    def _set(self, name: str, value: Value, frame: _Frame) -> None:
        (frame.values if name in frame.types else self.globals)[name] = value

    def _global(self, name: str) -> Value:
        if name not in self.globals:
            self.globals[name] = self._start(name, self.program.variables[name])
        return self.globals[name]

    def _start(self, cell: str, named: s.Named) -> Value:
        found = self.given.start.get(cell)
        return default_of(self.type_rules, named.type, named.span) if found is None else found

    def _variable(self, name: str, frame: _Frame | None) -> Value:
        if frame is not None and name in frame.types:
            if name not in frame.values:
                taken = name in self.program.variables or name in self.program.constants
                cell = f"{name}@{frame.number}" if frame.number or taken else name
                frame.values[name] = self._start(cell, frame.types[name])
            return frame.values[name]
        if name in self.program.variables:
            return self._global(name)
        return self._start(name, self.program.constants[name])

    # --- expressions

    def _value(
        self, expr: s.Expr, frame: _Frame | None, is_old: bool = False, bound: Mapping[str, Value] | None = None
    ) -> Value:
        def of(e: s.Expr) -> Value:
            return self._value(e, frame, is_old, bound)

        match expr.op:
            case "int":
                return int(expr.data)
            case "real":
                return Fraction(expr.data)
            case "bits":
                return int(expr.data.partition("bv")[0])
            case "true" | "false":
                return int(expr.op == "true")
            case "name":
                if bound is not None and expr.data in bound:
                    return bound[expr.data]
                if is_old and frame is not None and expr.data not in frame.types and expr.data in frame.old:
                    return frame.old[expr.data]
                return self._variable(expr.data, frame)
            case "old":
                return self._value(expr.args[0], frame, True, bound)
            case "not":
                return int(not of(expr.args[0]))
            case "minus":
                return -of(expr.args[0])
            case "to_int":
                return of(expr.args[0]).__floor__()
            case "to_real":
                return Fraction(of(expr.args[0]))
            case "choice":
                return of(expr.args[1] if of(expr.args[0]) else expr.args[2])
            case "&&":
                return int(bool(of(expr.args[0])) and bool(of(expr.args[1])))
            case "||":
                return int(bool(of(expr.args[0])) or bool(of(expr.args[1])))
            case "==>":
                return int(not of(expr.args[0]) or bool(of(expr.args[1])))
            case "select":
                found = of(expr.args[0])
                for index in expr.args[1:]:
                    found = found[of(index)]
                return found
            case "update":
                return updated_map(of(expr.args[0]), [of(i) for i in expr.args[1:-1]], of(expr.args[-1]))
            case "extract":
                high, low = map(int, expr.data.split(":"))
                return of(expr.args[0]) >> low & ((1 << high - low) - 1)
            case "apply":
                return self._applied(expr, [of(a) for a in expr.args])
        x, y = of(expr.args[0]), of(expr.args[1])
        if expr.op == "++":
            return x << self._width(expr.args[1], frame, bound) | y
        if expr.op in ("div", "mod", "/") and not y:
            by_zero = self.given.start.get(f"x {expr.op} 0")
            zero = Fraction(0) if expr.op == "/" else 0
            return zero if by_zero is None else by_zero[Fraction(x) if expr.op == "/" else x]
        return BINARY[expr.op](x, y)

    def _width(self, expr: s.Expr, frame: _Frame | None, bound: Mapping[str, Value] | None) -> int:
        """The width of an expression that is a bit-vector."""
        scope = {n.name: n for n in (*self.program.constants.values(), *self.program.variables.values())}
        scope |= frame.types if frame is not None else {}
        if bound is not None:
            scope |= {p.name: p for f in self.program.functions.values() for p in f.params if p.name in bound}
        types = {name: self.type_rules.resolved(n.type, n.span) for name, n in scope.items()}
        return bits_of(self.type_rules.type_of(expr, types, with_old=True))

    def _applied(self, expr: s.Expr, args: list[Value]) -> Value:
        function = self.program.functions[expr.data]
        if function.builtin:
            types = [self.type_rules.resolved(p.type, p.span) for p in function.params]
            return builtin(function.builtin.strip(), args, bits_of(types[0]))
        if function.body is not None:
            bound = {p.name: a for p, a in zip(function.params, args, strict=True)}
            return self._value(function.body, None, bound=bound)
        found = self.given.start.get(f"{function.name}()")
        if found is None:
            return default_of(self.type_rules, function.result, function.span)
        for a in args:
            found = found[a]
        return found


def _place(span: s.Span) -> tuple[int, int]:
    return span.line, span.column
