"""Checks of a Boogie program that hold in every execution, and what their proofs rest on.

Safety projection: at each node, the ranges outside which a proved check would be violated, variable by variable; the
others are as they are in the executions of the program. Error projection: the states from which the violation of one
check could be reached, were it not for the code before; a statement that keeps executions out of them is one that the
proof depends on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from butfor.frontends.boogie import boogie_syntax as s
from butfor.frontends.boogie.checked_program import TranslationUnit
from butfor.frontends.boogie.control_flow import Check, FlowGraph
from butfor.frontends.boogie.range_analysis import RangeAnalysis, conjuncts, is_sure
from butfor.frontends.boogie.value_ranges import (
    ANY,
    INFINITY,
    Range,
    Ranges,
    assigned,
    assumed,
    joined,
    narrowed,
    widened,
)
from butfor.path.program_facts import CheckFact, ProgramFacts
from butfor.source.source_model import Role
from butfor.trace.view.source_places import Place

MAX_SAFETY_ROUNDS = 8  # the ranges only shrink, and every round is sound
JOINS_BEFORE_WIDENING = 3
EMPTY: Range = (INFINITY, -INFINITY)  # no value will do


@dataclass(frozen=True, slots=True)
class _CheckPart:
    """A conjunct of a check at a node of a procedure."""

    procedure: str
    node: int
    expr: s.Expr
    place: Place
    verdict: str


def program_facts(unit: TranslationUnit, flow: FlowGraph, is_over: Callable[[], bool] = lambda: False) -> ProgramFacts:
    """The checks of the procedures that the entry calls, and what the proofs of those that hold rest on."""
    analysis = RangeAnalysis(unit, flow, is_over)
    checks = [c for name in analysis.states if analysis.states[name].nodes for c in _checks(unit, analysis, name)]
    allowed: dict[Place, tuple[int | None, int | None]] = {}
    rows = []
    for name in dict.fromkeys(c.procedure for c in checks):
        own = [c for c in checks if c.procedure == name]
        proofs = _Proofs(unit, analysis, name)
        proved = [c for c in own if c.verdict == "proved"]
        allowed |= proofs.allowed(proved)
        for c in own:
            needs = proofs.needed(c) if c.verdict == "proved" and not is_over() else ()
            rows.append(CheckFact(c.place, unit.text.written(c.expr.span), c.verdict, tuple(needs)))
    return ProgramFacts(tuple(rows), allowed, analysis.complete and not is_over())


def _checks(unit: TranslationUnit, analysis: RangeAnalysis, name: str) -> Iterator[_CheckPart]:
    flow = unit.flows[name]
    for number, node in enumerate(flow.nodes):
        state = analysis.state_at(name, number)
        match node.statement:
            case Check(expr=expr, span=span):
                yield from _parts(unit, name, number, expr, span, state)
            case s.Call() as call:
                procedure = unit.program.procedures[call.callee]
                given = None if state is None else analysis.argument_state(call, flow, state)
                for spec in procedure.specs:
                    if spec.keyword == "requires" and not spec.is_free:
                        verdict = "unreachable" if given is None else "proved" if is_sure(spec.expr, given) else "open"
                        place = unit.text.place(call.span, name, Role.EXPRESSION)
                        yield _CheckPart(name, number, spec.expr, place, verdict)
    for spec in flow.procedure.specs:
        if spec.keyword == "ensures" and not spec.is_free:
            yield from _parts(unit, name, flow.exit, spec.expr, spec.span, analysis.state_at(name, flow.exit))


def _parts(
    unit: TranslationUnit, name: str, node: int, expr: s.Expr, span: s.Span, state: Ranges | None
) -> Iterator[_CheckPart]:
    place = unit.text.place(span, name, Role.OTHER)
    for part in conjuncts(expr):
        verdict = "unreachable" if state is None else "proved" if is_sure(part, state) else "open"
        yield _CheckPart(name, node, part, place, verdict)


class _Proofs:
    """The projections of the checks of one procedure."""

    def __init__(self, unit: TranslationUnit, analysis: RangeAnalysis, name: str) -> None:
        self.unit, self.analysis, self.name = unit, analysis, name
        self.flow = unit.flows[name]
        self.states = [analysis.state_at(name, k) for k in range(len(self.flow.nodes))]

    # --- safety -------------------------------------------------------------------------------------------------------

    def allowed(self, proved: list[_CheckPart]) -> Mapping[Place, tuple[int | None, int | None]]:
        """The bounds of assigned variables outside which a proved check would be violated."""
        demands: dict[int, list[s.Expr]] = {}
        for c in proved:
            if not isinstance(self.flow.nodes[c.node].statement, s.Call):
                demands.setdefault(c.node, []).append(c.expr)
        boxes: list[Ranges] = [{} for _ in self.flow.nodes]
        for _ in range(MAX_SAFETY_ROUNDS):
            new = [self._safe_before(k, boxes, demands.get(k, ())) for k in range(len(boxes))]
            if new == boxes:
                break
            boxes = new
        found: dict[Place, tuple[int | None, int | None]] = {}
        for k, node in enumerate(self.flow.nodes):
            statement = node.statement
            if isinstance(statement, s.Assign) and len(statement.targets) == 1 and not statement.targets[0].indexes:
                low, high = boxes[node.succs[0]].get(statement.targets[0].name, ANY)
                if self.states[k] is not None and low <= high and (low, high) != ANY:
                    found[self._place(k)] = (_finite(low), _finite(high))
        return found

    def _safe_before(self, number: int, boxes: list[Ranges], demands: Iterable[s.Expr]) -> Ranges:
        """The ranges before a node, each by itself: the others are as in the executions of the program."""
        node, state = self.flow.nodes[number], self.states[number]
        if state is None:
            return {}
        edges = []
        for k, target in enumerate(node.succs if number != self.flow.exit else ()):
            box = self._safe_through(number, boxes[target], state)
            edges.append(box if node.guard is None else _demanded(box, state, node.guard, holds=k == 0))
        box = _of_some_edge(edges)
        for expr in demands:
            box = _demanded(box, state, expr)
        return box

    def _safe_through(self, number: int, box: Ranges, state: Ranges) -> Ranges:
        """The ranges before the statement of a node, from those after it."""
        match self.flow.nodes[number].statement:
            case s.Assign(targets=targets, values=values):
                found: dict[str, Range] = {}
                written = {t.name for t in targets}
                found |= {name: r for name, r in box.items() if name not in written}
                for t, v in zip(targets, values, strict=True):
                    for name in _names(v) if t.name in box and not t.indexes else ():
                        alone = narrowed(v, box[t.name], assigned(state, name, ANY))
                        if alone is not None and name in alone:
                            low, high = found.get(name, ANY)
                            found[name] = (max(low, alone[name][0]), min(high, alone[name][1]))
                return found
            case s.Havoc() | s.Call():
                gone = self.flow.assigned([number], self.unit.modified)
                return {name: r for name, r in box.items() if name not in gone}
        return box

    # --- errors -------------------------------------------------------------------------------------------------------

    def needed(self, check: _CheckPart) -> list[Place]:
        """The statements without which the violation of a proved check might be reached."""
        start = assumed(check.expr, {}, holds=False)
        if start is None or isinstance(self.flow.nodes[check.node].statement, s.Call):
            return []
        boxes: list[Ranges | None] = [None] * len(self.flow.nodes)
        boxes[check.node] = start
        joins = [0] * len(boxes)
        preds: dict[int, list[int]] = {}
        for k, node in enumerate(self.flow.nodes):
            for target in node.succs:
                preds.setdefault(target, []).append(k)
        work = [check.node]
        while work:
            target = work.pop()
            for k in dict.fromkeys(preds.get(target, ())):
                old = boxes[k]
                new = joined(old, self._error_before(k, target, boxes[target]))
                if new == old:
                    continue
                joins[k] += 1
                boxes[k] = widened(old, new) if joins[k] > JOINS_BEFORE_WIDENING else new
                work.append(k)
        return list(dict.fromkeys(self._keeping_out(boxes)))

    def _error_before(self, number: int, target: int, box: Ranges | None) -> Ranges | None:
        """The states before a node from which it leads into a box."""
        node = self.flow.nodes[number]
        if box is None:
            return None
        if node.guard is not None:
            return assumed(node.guard, box, holds=node.succs[0] == target)
        match node.statement:
            case Check(expr=expr) | s.Assert(expr=expr):
                return assumed(expr, box)
            case s.Assign(targets=targets, values=values):
                found: Ranges | None = {n: r for n, r in box.items() if n not in {t.name for t in targets}}
                for t, v in zip(targets, values, strict=True):
                    if found is not None and t.name in box and not t.indexes:
                        found = narrowed(v, box[t.name], found)
                return found
            case s.Havoc() | s.Call():
                gone = self.flow.assigned([number], self.unit.modified)
                return {name: r for name, r in box.items() if name not in gone}
        return box

    def _keeping_out(self, boxes: list[Ranges | None]) -> Iterator[Place]:
        for k, node in enumerate(self.flow.nodes):
            before = self.states[k]
            is_one = node.guard is not None or isinstance(node.statement, s.Assign)
            if before is None or not is_one:
                continue
            after = dict(self.analysis.after(self.flow, k, before))
            for target in dict.fromkeys(node.succs):
                box = boxes[target]
                if box is None or not _meet(before, box):
                    continue
                there = after.get(target)
                if there is None or not _meet(there, box):
                    yield self._place(k)

    def _place(self, number: int) -> Place:
        node = self.flow.nodes[number]
        role = Role.CONDITION if node.guard is not None else Role.EXPRESSION
        statement = node.statement
        is_one = isinstance(statement, s.Assign) and len(statement.targets) == 1
        target = self.unit.text.written(statement.targets[0].span) if is_one else None  # type: ignore[union-attr]
        return self.unit.text.place(node.span, self.name, role, target)


def _demanded(box: Ranges, state: Ranges, expr: s.Expr, *, holds: bool = True) -> Ranges:
    """The box with the ranges of variables with which a condition can hold, each by itself."""
    for name in _names(expr):
        alone = assumed(expr, assigned(state, name, ANY), holds=holds)
        low, high = box.get(name, ANY)
        r = EMPTY if alone is None else alone.get(name, ANY)
        new = (max(low, r[0]), min(high, r[1]))
        box = assigned(box, name, new if new[0] <= new[1] else EMPTY)
    return box


def _of_some_edge(boxes: list[Ranges]) -> Ranges:
    """The ranges of variables with which some of the edges is fine."""
    found: dict[str, Range] = {}
    for name in boxes[0] if boxes else ():
        rows = [r for box in boxes if (r := box.get(name, ANY)) != EMPTY]
        if rows and ANY not in rows:
            found[name] = min(r[0] for r in rows), max(r[1] for r in rows)
    return found


def _meet(state: Ranges, box: Ranges) -> bool:
    """Whether some state is in both."""
    return all(
        max(low, state.get(name, ANY)[0]) <= min(high, state.get(name, ANY)[1]) for name, (low, high) in box.items()
    )


def _names(expr: s.Expr) -> list[str]:
    """The names in an expression."""
    found: dict[str, None] = {}
    work = [expr]
    while work:
        e = work.pop()
        if e.op == "name":
            found[e.data] = None
        work += e.args
    return list(found)


def _finite(bound: float) -> int | None:
    return None if bound in (INFINITY, -INFINITY) else int(bound)
