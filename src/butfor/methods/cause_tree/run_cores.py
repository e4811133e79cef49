"""Causes in a run as minimal cores: what recorded values justify, and a solver where they cannot decide.

Justification follows recorded values and is exact for most properties: each source that it reaches could have changed
the outcome. Where values cancel (`x - x`) or an operation limits them (`x % 4`), a shorter window may suffice, and a
solver is asked for the core. With path conditions, decisions that were met on the way are part of the question.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from butfor.encode.instance_values import Gap, InstanceValues
from butfor.encode.justification import Justified, Justifier
from butfor.encode.statement_groups import Links, statement_groups
from butfor.encode.trace_formula import encode
from butfor.ir.machine_types import Kind
from butfor.logic.nearest_core import nearest_core
from butfor.logic.solvers import Limit, Verdict, default_solver
from butfor.logic.terms import FALSE, TRUE, Term, ite, variable
from butfor.methods.case import FailingRun
from butfor.trace.semantics.instruction_semantics import SemanticsError
from butfor.trace.trace import Node, UnknownValue

MAX_CORE_INSTANCES = 400  # the solver rarely answers in time for larger causes
MAX_CORE_SHARE = 0.03  # of the budget, for the cores of all causes of a tree
MAX_PATH_CONDITION_SHARE = 0.4  # the same with path conditions, which ask for every cause
SECONDS_PER_CORE_QUERY = 1.0
MAX_PATH_CONDITIONS = 64  # connected decisions before a property, nearest first
MAX_SEGMENTS_SEARCHED = 4_000  # back from a property for such decisions

_LIMITING = frozenset(("urem", "srem", "udiv", "sdiv", "and", "or", "mul", "shl", "lshr", "ashr"))
_PRODUCTS = frozenset(("mul", "urem", "srem", "udiv", "sdiv"))
_CANCELLING = _LIMITING | frozenset(("sub", "xor", "icmp"))


@dataclass(frozen=True, slots=True)
class Core:
    """What a property needed. `held` are the decisions among it, with the condition that each went as recorded."""

    justified: Justified
    held: dict[Node, Term]


class CauseCores:
    """The causes of properties of one run."""

    def __init__(self, case: FailingRun, justifier: Justifier, *, path_conditions: bool) -> None:
        self.case = case
        self.trace = case.trace
        self.justifier = justifier
        self.is_limited = False  # whether more decisions were met than are asked about
        self._path_conditions = path_conditions
        share = MAX_PATH_CONDITION_SHARE if path_conditions else MAX_CORE_SHARE
        self._seconds_left = share * case.budget.seconds
        self._values = InstanceValues(case.trace)

    def core(self, roots: tuple[Node, ...]) -> Core:
        """What the values of these instances needed."""
        justified = self.justifier.justify(roots)
        plain = Core(justified, {})
        if self._seconds_left <= 0 or len(justified.nodes) > MAX_CORE_INSTANCES or not roots:
            self.is_limited |= self._path_conditions and bool(roots)
            return plain
        start = time.monotonic()
        try:
            held = self._connected(roots, justified) if self._path_conditions else {}
            return self._smaller(roots, justified, held) if held or self._may_cancel(justified) else plain
        finally:
            self._seconds_left -= time.monotonic() - start

    def _smaller(self, roots: tuple[Node, ...], justified: Justified, held: dict[Node, Term]) -> Core:
        """The core of what was justified, with the decisions that held."""
        nodes = {**justified.nodes}
        for decision in held:
            nodes.update(self.justifier.justify(self._evaluation(decision)).nodes)
        problem = encode(self.trace, nodes, roots, self.case.dependence, held)
        found = nearest_core(default_solver(), sorted(problem.groups), problem.goal, self._limit)
        if found.verdict is not Verdict.UNSAT or not found.is_rechecked:
            return Core(justified, {})
        members = statement_groups(Links(self.case.dependence, nodes), roots)
        kept = {node for name in found.names for node in members[name]} | set(roots)
        chosen = {d: condition for d, condition in held.items() if d in found.names}
        return Core(self._restricted(nodes, kept), chosen)

    def _restricted(self, nodes: dict[Node, None], kept: set[Node]) -> Justified:
        """The justification of the kept instances alone."""
        result = Justified()
        for node in nodes:
            if node in kept:
                result.nodes[node] = None
                for kind, target in self.justifier.needs(node):
                    if kind == "initial":
                        result.initial.setdefault(target[0], node)
                    elif kind == "uninit":
                        result.uninit.setdefault(target[0], node)
                    elif kind == "address":
                        result.addresses.setdefault(target)
        return result

    def _limit(self) -> Limit:
        return Limit.after(min(SECONDS_PER_CORE_QUERY, max(self._seconds_left, 0.05)), self.case.budget.is_over)

    # --- where values may cancel --------------------------------------------------------------------------------------

    def _may_cancel(self, justified: Justified) -> bool:
        """Whether an operation limits its result, or meets the same assignment on both sides.

        Not with products of variables: that c * c never is 11 in 32 bits explains nothing to people.
        """
        computed = [node for node in justified.nodes if node[1] >= 0]
        return any(map(self._cancels, computed)) and not any(map(self._is_nonlinear, computed))

    def _is_nonlinear(self, node: Node) -> bool:
        instr = self.trace.instr(node)
        return instr.op in _PRODUCTS and all(isinstance(a, int) for a in instr.args)

    def _cancels(self, node: Node) -> bool:
        instr = self.trace.instr(node)
        if instr.op not in _CANCELLING or instr.type.kind is not Kind.INT:
            return False
        try:
            operands = [self.trace.definition(node[0], a) for a in instr.args if isinstance(a, int)]
        except UnknownValue:
            return False
        if instr.op in _LIMITING:
            return instr.type.bits > 1 and bool(operands)
        return len(operands) > 1 and not self._assignments(operands[0]).isdisjoint(self._assignments(operands[1]))

    def _assignments(self, node: Node) -> set[Node]:
        """The assignments and parameters that a value was computed from, also through others."""
        found: set[Node] = set()
        work, seen = [node], {node}
        while work and len(seen) <= MAX_CORE_INSTANCES:
            at = work.pop()
            if at[1] < 0 or self.trace.instr(at).op in ("store", "call"):
                found.add(at)
            new = [t for kind, t in self.justifier.needs(at) if kind == "data" and t not in seen]
            seen.update(new)
            work += new
        return found

    # --- path conditions ----------------------------------------------------------------------------------------------

    def _connected(self, roots: tuple[Node, ...], justified: Justified) -> dict[Node, Term]:
        """The decisions before the roots that share a value with them, transitively, each with its condition."""
        met = list(self._decisions_before(max(node[0] for node in roots), set(justified.nodes)))
        related = set(justified.nodes)
        chosen: dict[Node, Term] = {}
        grows = True
        while grows and len(chosen) < MAX_PATH_CONDITIONS:
            grows = False
            for decision in met:
                if decision in chosen or len(chosen) >= MAX_PATH_CONDITIONS:
                    continue
                nodes = self.justifier.justify(self._evaluation(decision)).nodes
                if len(nodes) <= MAX_CORE_INSTANCES and any(n in related for n in nodes):
                    condition = self._condition(decision)
                    if condition is not None:
                        chosen[decision] = condition
                        related.update(nodes)
                        grows = True
        self.is_limited |= len(chosen) >= MAX_PATH_CONDITIONS
        return chosen

    def _decisions_before(self, i: int, own: set[Node]) -> Iterator[Node]:
        """The last parts of decisions before a segment instance, nearest first, without those being explained."""
        seen: set[Node] = set()
        first = max(0, i - MAX_SEGMENTS_SEARCHED)
        self.is_limited |= first > 0
        for at in range(i - 1, first - 1, -1):
            s = self.trace.at(at)
            if not (s.last.is_branch and len(s.fn.blocks[s.seg.block].succs) > 1) or self.trace.next_in_frame(at) < 0:
                continue
            if s.seg.end != s.fn.blocks[s.seg.block].end or self.case.places.of_instr(s.fn, s.last) is None:
                continue
            parts = self._evaluation((at, s.last.index))
            if parts[-1] not in seen and own.isdisjoint(parts):
                seen.add(parts[-1])
                yield parts[-1]

    def _evaluation(self, node: Node) -> tuple[Node, ...]:
        """The branch instances of the evaluation that a branch instance is part of."""
        decision, _ = self.justifier.decision_of(node)
        return (node,) if decision is None else tuple(self.justifier.evaluation(node, decision))

    def _condition(self, last: Node) -> Term | None:
        """That the decision went where it went: its executed parts nested, what was not evaluated free."""
        parts = self._evaluation(last)
        exit_block = self._next_block(parts[-1])
        try:
            condition = self._values.as_recorded(parts[-1])
            for part in reversed(parts[:-1]):
                s = self.trace.at(part[0])
                others = {b for b in s.fn.blocks[s.seg.block].succs if b != self._next_block(part)}
                decision, _ = self.justifier.decision_of(part)
                if others == {exit_block}:
                    otherwise = TRUE
                elif decision is not None and others <= set(decision.exits):
                    otherwise = FALSE
                else:
                    otherwise = variable(f"part{part[0]}_{part[1]}", 0)
                condition = ite(self._values.as_recorded(part), condition, otherwise)
        except (UnknownValue, Gap, SemanticsError):
            return None
        return condition

    def _next_block(self, node: Node) -> int:
        following = self.trace.next_in_frame(node[0])
        return self.trace.at(following).seg.block if following >= 0 else -1
