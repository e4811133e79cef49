"""Control-flow graphs of Boogie procedures, one node per statement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from butfor.frontends.boogie import boogie_syntax as s
from butfor.ir.flow_graphs import immediate_postdominators, reversed_graph
from butfor.ir.natural_loops import natural_loops

EXIT, SKIP, GOTO, BRANCH, CHECK, STATEMENT = "exit", "skip", "goto", "branch", "check", "statement"


@dataclass(frozen=True, slots=True)
class Check:
    """A condition that must hold, with the words for when it does not; an assumption has none."""

    expr: s.Expr
    words: str
    span: s.Span


@dataclass(slots=True)
class Node:
    """One statement.

    A branch has two successors: where its guard holds and where it does not; `arms` are the nodes of each arm.
    """

    op: str
    span: s.Span
    statement: s.Statement | Check | None = None
    guard: s.Expr | None = None
    keyword: str = ""
    succs: list[int] = field(default_factory=list)
    arms: tuple[frozenset[int], ...] = ()


_Edge = tuple[int, int]  # a node and the number of its successor


@dataclass(frozen=True)
class FlowGraph:
    """The graph of one body; node 0 is the first, the last one the exit."""

    procedure: s.Procedure
    nodes: tuple[Node, ...]

    @property
    def exit(self) -> int:
        """The node where the procedure returns."""
        return len(self.nodes) - 1

    @cached_property
    def loops(self) -> Mapping[int, frozenset[int]]:
        """The nodes of each loop by its head."""
        found = natural_loops([n.succs for n in self.nodes])
        loops = {loop.header: loop.body for loop in found.loops}
        for body in found.irreducible:
            loops.update(dict.fromkeys(body, body))
        return loops

    def exits_loop(self, node: int) -> bool:
        """Whether one of the successors of a node is outside the innermost loop around it."""
        around = [body for body in self.loops.values() if node in body]
        return bool(around) and not min(around, key=len).issuperset(self.nodes[node].succs)

    def assumption_at(self, node: int) -> s.Assert | None:
        """The assumption that is the first statement from a node on."""
        number = self.first_statement(node)
        statement = self.nodes[number].statement
        return statement if isinstance(statement, s.Assert) and statement.is_assumption else None

    def first_statement(self, node: int) -> int:
        """The node itself, or the one behind the labels there."""
        while self.nodes[node].op == SKIP:
            node = self.nodes[node].succs[0]
        return node

    def nodes_reaching(self, target: int, never_returning: frozenset[str]) -> frozenset[int]:
        """The nodes from which a node can be reached; calls of procedures that never return end a path."""
        preds = reversed_graph(
            [_possible_successors(n) if not _ends_the_path(n, never_returning) else [] for n in self.nodes]
        )
        seen = {target}
        work = [target]
        while work:
            fresh = [p for p in preds[work.pop()] if p not in seen]
            seen.update(fresh)
            work += fresh
        return frozenset(seen)

    def assigned(self, nodes: Iterable[int], globals_of: Mapping[str, frozenset[str]]) -> frozenset[str]:
        """The variables that some nodes may assign; `globals_of` has those of the procedures they call."""
        found: set[str] = set()
        for k in nodes:
            match self.nodes[k].statement:
                case s.Assign(targets=targets):
                    found |= {t.name for t in targets}
                case s.Havoc(names=names):
                    found |= set(names)
                case s.Call(outs=outs, callee=callee):
                    found |= {*outs, *globals_of.get(callee, ())}
        return frozenset(found)


def _possible_successors(node: Node) -> list[int]:
    """The successors of a node without those that a literal guard excludes: `while (true)` does not end."""
    if node.guard is not None and node.guard.op in ("true", "false"):
        return [node.succs[node.guard.op == "false"]]
    return node.succs


def _ends_the_path(node: Node, never_returning: frozenset[str]) -> bool:
    match node.statement:
        case s.Assert(is_assumption=True, expr=expr):
            return expr.op == "false"
        case s.Call(callee=callee):
            return callee in never_returning
    return False


def flow_graph(procedure: s.Procedure) -> FlowGraph:
    """The graph of a procedure that has a body."""
    assert procedure.body is not None
    builder = _GraphBuilder()
    ends = builder.block(procedure.body.statements, [])
    end = procedure.body.span
    builder.join([*ends, *builder.returns], builder.add(Node(EXIT, s.Span(end.line, end.column, end.end - 1, end.end))))
    for node, labels in builder.gotos:
        builder.nodes[node].succs = [builder.labels[name] for name in labels]
    flow = FlowGraph(procedure, tuple(builder.nodes))
    _set_arms_of_gotos(flow)
    return flow


def _set_arms_of_gotos(flow: FlowGraph) -> None:
    """Give each target of a goto its arm: the nodes before the immediate postdominator of the goto."""
    if not any(n.op == GOTO and len(n.succs) > 1 for n in flow.nodes):
        return
    meeting = immediate_postdominators([n.succs for n in flow.nodes])
    for k, node in enumerate(flow.nodes):
        if node.op == GOTO and len(node.succs) > 1:
            node.arms = tuple(_nodes_before(flow, target, {k, meeting[k]}) for target in node.succs)


def _nodes_before(flow: FlowGraph, start: int, ends: set[int]) -> frozenset[int]:
    seen: set[int] = set()
    work = [start]
    while work:
        node = work.pop()
        if node not in ends and node not in seen:
            seen.add(node)
            work += flow.nodes[node].succs
    return frozenset(seen)


class _GraphBuilder:
    """Nodes as they are made; loose edges are joined with what comes next."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.labels: dict[str, int] = {}
        self.gotos: list[tuple[int, tuple[str, ...]]] = []
        self.returns: list[_Edge] = []
        self.breaks: list[tuple[str, list[_Edge]]] = []

    def add(self, node: Node) -> int:
        """The number of a new node."""
        self.nodes.append(node)
        return len(self.nodes) - 1

    def join(self, edges: list[_Edge], target: int) -> None:
        """Let the edges lead to the target."""
        for node, number in edges:
            succs = self.nodes[node].succs
            succs += [target] * (number + 1 - len(succs))
            succs[number] = target

    def _simple(self, node: Node, before: list[_Edge]) -> list[_Edge]:
        number = self.add(node)
        self.join(before, number)
        return [(number, 0)]

    def block(self, statements: Iterable[s.Statement], before: list[_Edge]) -> list[_Edge]:
        """The loose ends of the statements."""
        label = ""
        for statement in statements:
            before = self._statement(statement, before, label)
            label = statement.name if isinstance(statement, s.Label) else ""
        return before

    def _statement(self, statement: s.Statement, before: list[_Edge], label: str) -> list[_Edge]:
        match statement:
            case s.Label():
                ends = self._simple(Node(SKIP, statement.span), before)
                self.labels[statement.name] = ends[0][0]
                return ends
            case s.If():
                return self._if(statement, before)
            case s.While():
                return self._while(statement, before, label)
            case s.Jump():
                return self._jump(statement, before)
            case s.Assert(is_assumption=False):
                return self._simple(
                    Node(CHECK, statement.span, Check(statement.expr, "assertion", statement.span)), before
                )
        return self._simple(Node(STATEMENT, statement.span, statement), before)

    def _if(self, statement: s.If, before: list[_Edge]) -> list[_Edge]:
        span = statement.guard_span if statement.guard is not None else _head(statement)
        head = self._simple(Node(BRANCH, span, None, statement.guard, "if"), before)[0][0]
        then = self.block(statement.then, [(head, 0)])
        middle = len(self.nodes)
        otherwise = self.block(statement.otherwise, [(head, 1)])
        self.nodes[head].arms = frozenset(range(head + 1, middle)), frozenset(range(middle, len(self.nodes)))
        return then + otherwise

    def _while(self, statement: s.While, before: list[_Edge], label: str) -> list[_Edge]:
        before = self._invariants(statement, before, "does not hold when the loop is entered")
        span = statement.guard_span if statement.guard is not None else _head(statement)
        head = self._simple(Node(BRANCH, span, None, statement.guard, "while"), before)[0][0]
        self.breaks.append((label, []))
        body = self.block(statement.body, [(head, 0)])
        self.join(self._invariants(statement, body, "is not preserved by the loop body"), head)
        self.nodes[head].arms = frozenset(range(head + 1, len(self.nodes))), frozenset()
        return [(head, 1), *self.breaks.pop()[1]]

    def _invariants(self, statement: s.While, before: list[_Edge], words: str) -> list[_Edge]:
        for invariant in statement.invariants:
            if invariant.is_free:
                node = Node(STATEMENT, invariant.span, s.Assert(invariant.expr, True, invariant.span))
            else:
                node = Node(CHECK, invariant.span, Check(invariant.expr, words, invariant.span))
            before = self._simple(node, before)
        return before

    def _jump(self, jump: s.Jump, before: list[_Edge]) -> list[_Edge]:
        ends = self._simple(Node(GOTO, jump.span), before)
        if jump.keyword == "goto":
            self.gotos.append((ends[0][0], jump.labels))
        elif jump.keyword == "return":
            self.returns += ends
        else:
            wanted = next(edges for label, edges in reversed(self.breaks) if not jump.labels or label == jump.labels[0])
            wanted += ends
        return []


def _head(statement: s.If | s.While) -> s.Span:
    """`if (*)`."""
    span = statement.span
    return s.Span(span.line, span.column, span.start, statement.guard_span.end + 1)
