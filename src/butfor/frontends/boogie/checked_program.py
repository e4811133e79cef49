"""A checked Boogie program with the facts about it that exploration needs."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from butfor.errors import UsageError, did_you_mean
from butfor.frontends.boogie import boogie_syntax as s
from butfor.frontends.boogie.boogie_text import BoogieText
from butfor.frontends.boogie.boogie_types import postorder
from butfor.frontends.boogie.control_flow import FlowGraph, flow_graph
from butfor.frontends.boogie.expression_terms import ExpressionTerms
from butfor.frontends.boogie.parser import parse
from butfor.frontends.boogie.type_check import check_types
from butfor.path.path_model import Cell


class TranslationUnit:
    """One file, parsed and type-checked, with its control-flow graphs."""

    def __init__(self, text: BoogieText) -> None:
        self.text = text
        self.program = parse(text)
        check_types(text, self.program)
        self.meaning = ExpressionTerms(text, self.program)
        self.flows = {p.name: flow_graph(p) for p in self.program.procedures.values() if p.body is not None}
        self.globals = {n.name: self.cell(n, n.name, "") for n in self.program.variables.values()}
        self._arms: dict[tuple[str, int, int], frozenset[str]] = {}
        self._reaching: dict[tuple[str, int], frozenset[int]] = {}

    def cell(self, named: s.Named, name: str, function: str) -> Cell:
        """The cell of a variable."""
        return Cell(
            name, self.meaning.type_rules.sort(named.type, named.span), named.name, str(named.type), function=function
        )

    def entry(self, wanted: str | None) -> FlowGraph:
        """The procedure that is explored: the one wanted, else main, else the only one."""
        bodies = self.flows
        name = wanted or ("main" if "main" in bodies else next(iter(bodies)) if len(bodies) == 1 else None)
        if name in bodies:
            return bodies[name]
        known = ", ".join(bodies) or "none"
        if name is None:
            what = "there are several procedures and none is called main" if bodies else "no procedure has a body"
            raise UsageError(
                f"{self.text.file}: {what}", hint=f"--entry NAME says where to start; procedures with a body: {known}"
            )
        what = "has no body" if name in self.program.procedures else "does not exist"
        raise UsageError(
            f"{self.text.file}: the procedure {name} {what}{did_you_mean(name, bodies)}",
            hint=f"procedures with a body: {known}",
        )

    @cached_property
    def modified(self) -> dict[str, frozenset[str]]:
        """The global variables that each procedure may assign, through calls too."""
        own = {
            p.name: frozenset(name for name, _ in p.modifies)
            for p in self.program.procedures.values()
            if p.body is None
        }

        def step(known: dict[str, frozenset[str]]) -> dict[str, frozenset[str]]:
            return {**own, **{name: self._globals(flow, known) for name, flow in self.flows.items()}}

        return _fixpoint(step, {**own, **dict.fromkeys(self.flows, frozenset[str]())})

    def _globals(self, flow: FlowGraph, known: dict[str, frozenset[str]]) -> frozenset[str]:
        procedure = flow.procedure
        assert procedure.body is not None
        hidden = {n.name for n in (*procedure.params, *procedure.returns, *procedure.body.variables)}
        return (flow.assigned(range(len(flow.nodes)), known) - hidden) & self.globals.keys()

    @cached_property
    def never_returning(self) -> frozenset[str]:
        """The procedures that return in no execution."""

        def step(known: dict[str, frozenset[str]]) -> dict[str, frozenset[str]]:
            return {
                "": frozenset(
                    name for name, flow in self.flows.items() if 0 not in flow.nodes_reaching(flow.exit, known[""])
                )
            }

        return _fixpoint(step, {"": frozenset()})[""]

    def assigned_in(self, flow: FlowGraph, node: int, arm: int) -> frozenset[str]:
        """The variables that an arm of a branch may assign."""
        key = flow.procedure.name, node, arm
        if key not in self._arms:
            self._arms[key] = flow.assigned(flow.nodes[node].arms[arm], self.modified)
        return self._arms[key]

    def nodes_reaching(self, flow: FlowGraph, target: int) -> frozenset[int]:
        """The nodes of a procedure from which one of its nodes can be reached."""
        key = flow.procedure.name, target
        if key not in self._reaching:
            self._reaching[key] = flow.nodes_reaching(target, self.never_returning)
        return self._reaching[key]

    def old_globals(self, procedure: s.Procedure) -> tuple[str, ...]:
        """The global variables whose value at the start of the procedure is asked for."""
        roots = [spec.expr for spec in procedure.specs]
        if procedure.body is not None:
            roots += _expressions(procedure.body.statements)
        names = {e.data for root in roots for e, is_old in postorder(root) if is_old and e.op == "name"}
        return tuple(name for name in self.globals if name in names)


def _fixpoint(
    step: Callable[[dict[str, frozenset[str]]], dict[str, frozenset[str]]], start: dict[str, frozenset[str]]
) -> dict[str, frozenset[str]]:
    while (following := step(start)) != start:
        start = following
    return start


def _expressions(statements: tuple[s.Statement, ...]) -> list[s.Expr]:
    """All expressions of statements, nested ones too."""
    found: list[s.Expr] = []
    work = list(statements)
    while work:
        match work.pop():
            case s.Assert(expr=expr):
                found.append(expr)
            case s.Assign(targets=targets, values=values):
                found += [*values, *(i for t in targets for indexes in t.indexes for i in indexes)]
            case s.Call(args=args):
                found += args
            case s.If(guard=guard, then=then, otherwise=otherwise):
                found += [guard] if guard is not None else []
                work += [*then, *otherwise]
            case s.While(guard=guard, invariants=invariants, body=body):
                found += [*([guard] if guard is not None else []), *(i.expr for i in invariants)]
                work += body
    return found
