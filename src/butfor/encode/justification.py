"""Justification: the instances that a recorded value really needed, in linear time.

The run is a model of its own trace, so operands that could not have changed the value are left out: the other side of
`0 & y`, the arm of a conditional expression that was not taken, the parts of a short-circuit condition that did not
decide it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from butfor.ir.instructions import Const, Instr
from butfor.ir.short_circuits import Decision, Decisions, find_decisions
from butfor.trace.dependence.dependence import Dependence, Edge
from butfor.trace.trace import Node, Trace, UnknownValue

MAX_INSTANCES_PER_CAUSE = 4_000  # a cause with more is no explanation for people, and slow to re-check
MAX_INSTANCES_PER_INSTRUCTION = 100  # in one cause: the rest are passed through, since one may have done something else
MAX_INSTANCES_PASSED = 60_000  # about a second, in one cause
MAX_INSTANCES_PASSED_IN_ALL = 150_000  # for all causes of a run
MAX_BRANCHES_PER_CONDITION = 256  # longer ones are loops, not conditions


@dataclass(slots=True)
class Justified:
    """The instances that justify some values; `addresses` are pointers and indices used on the way, not followed.

    `loads_passed` are loads among the many instances of one instruction that were followed and left out.
    """

    nodes: dict[Node, None] = field(default_factory=dict)
    addresses: dict[Node, None] = field(default_factory=dict)
    initial: dict[int, Node] = field(default_factory=dict)
    uninit: dict[int, Node] = field(default_factory=dict)
    loads_passed: list[Node] = field(default_factory=list)
    complete: bool = True


class Justifier:
    """Justification of values and of decisions in one run."""

    def __init__(self, dependence: Dependence) -> None:
        self.dependence = dependence
        self.trace: Trace = dependence.trace
        self._decisions: dict[str, Decisions] = {}
        self._needs: dict[Node, list[Edge]] = {}
        self._passes_left = MAX_INSTANCES_PASSED_IN_ALL
        self._decided: dict[Node, tuple[Decision | None, tuple[Node, ...]]] = {}

    def justify(self, roots: Iterable[Node]) -> Justified:
        """What the values of these instances needed."""
        result = Justified()
        work = list(roots)
        passed: set[Node] = set()
        count: dict[tuple[int, int], int] = {}
        while work:
            node = work.pop()
            if node in result.nodes or node in passed:
                continue
            key = (self.trace.log.segment(node[0]), node[1])
            count[key] = count.get(key, 0) + 1
            if len(result.nodes) < MAX_INSTANCES_PER_CAUSE and count[key] <= MAX_INSTANCES_PER_INSTRUCTION:
                result.nodes[node] = None
            else:
                result.complete = False
                if len(passed) >= min(MAX_INSTANCES_PASSED, self._passes_left):
                    continue
                passed.add(node)
                if node[1] >= 0 and self.trace.instr(node).op == "load":
                    result.loads_passed.append(node)
            for kind, target in self.needs(node):
                if kind == "initial":
                    result.initial.setdefault(target[0], node)
                elif kind == "uninit":
                    result.uninit.setdefault(target[0], node)
                elif kind == "address":
                    result.addresses.setdefault(target)
                else:
                    work.append(target)
        self._passes_left -= len(passed)
        return result

    def needs(self, node: Node) -> list[Edge]:
        """The dependences of an instance that its recorded value needed."""
        known = self._needs.get(node)
        if known is None:
            known = self._needs[node] = self._needed(node)
        return known

    def _needed(self, node: Node) -> list[Edge]:
        if node[1] < 0:
            return self.dependence.edges(node)
        instr = self.trace.instr(node)
        if instr.op in ("and", "or", "mul"):
            return self._absorbing(node, instr)
        if instr.op == "phi":
            return self._phi(node, instr)
        return self.dependence.edges(node)

    def _absorbing(self, node: Node, instr: Instr) -> list[Edge]:
        """Only the operand that decides: 0 in a product or an and, all ones in an or."""
        wanted = (1 << max(instr.type.bits, 1)) - 1 if instr.op == "or" else 0
        for a in instr.args:
            if self._value(node[0], a) == wanted:
                return [("data", self.trace.definition(node[0], a))] if isinstance(a, int) else []
        return self.dependence.edges(node)

    def _value(self, i: int, op: int | Const) -> object:
        try:
            return self.trace.operand(i, op)
        except UnknownValue:
            return None

    def _phi(self, node: Node, instr: Instr) -> list[Edge]:
        """The operand taken and the branches that chose it, except those whose other arm brings the same value here."""
        chosen, at = self.trace.phi_choice(node)
        value = self._value(at, chosen)
        block = self.trace.at(node[0]).seg.block
        same = {
            b
            for a, b in zip(instr.args, instr.detail, strict=True)
            if isinstance(a, Const) and self.trace.constant(a) == value
        }
        return [e for e in self.dependence.edges(node) if not self._is_irrelevant_branch(e[1], block, same)]

    def _is_irrelevant_branch(self, branch: Node, block: int, same: set[int]) -> bool:
        """Whether the other arm of a branch brings the same value to a phi's block."""
        s = self.trace.at(branch[0])
        if branch[1] != s.last.index or not s.last.is_branch or s.seg.block not in same:
            return False
        following = self.trace.next_in_frame(branch[0])
        taken = self.trace.at(following).seg.block if following >= 0 else -1
        return {b for b in s.fn.blocks[s.seg.block].succs if b != taken} == {block}

    # --- decisions ----------------------------------------------------------------------------------------------------

    def decision_of(self, node: Node) -> tuple[Decision | None, tuple[Node, ...]]:
        """The short-circuit condition that a branch instance is a part of, and the branch instances that decided it."""
        known = self._decided.get(node)
        if known is None:
            known = self._decided[node] = self._decision_of(node)
        return known

    def _decision_of(self, node: Node) -> tuple[Decision | None, tuple[Node, ...]]:
        s = self.trace.at(node[0])
        decisions = self._decisions.get(s.fn.name)
        if decisions is None:
            decisions = find_decisions(s.fn, self._related)
            self._decisions[s.fn.name] = decisions
        number = decisions.of_block[s.seg.block]
        if number < 0:
            return None, (node,)
        decision = decisions.decisions[number]
        path = self.evaluation(node, decision)
        return decision, self._deciding(path, decision.gates)

    def _related(self, first: int, second: int) -> bool:
        """Whether two branches stand in one condition: they have the same place in the source's blocks."""
        source = self.trace.program.source
        return source.scope_of(first) == source.scope_of(second)

    def evaluation(self, node: Node, decision: Decision) -> list[Node]:
        """The branch instances of one evaluation of a condition, in order."""
        blocks = set(decision.blocks)
        frame = self.trace.log.frame_of(node[0])
        path = [node]
        i = node[0]
        for _ in range(MAX_BRANCHES_PER_CONDITION):  # forward to where the condition is left
            i = self.trace.next_in_frame(i)
            if i < 0 or self.trace.at(i).seg.block not in blocks or self.trace.at(i).seg.block == decision.blocks[0]:
                break
            self._add(path, i, len(path))
        i = node[0]
        for _ in range(MAX_BRANCHES_PER_CONDITION):  # back to where it began
            if self.trace.at(i).seg.block == decision.blocks[0]:
                break
            i = self.trace.log.previous_in_frame(i)
            if i < 0 or self.trace.log.frame_of(i) != frame or self.trace.at(i).seg.block not in blocks:
                break
            self._add(path, i, 0)
        return path

    def _add(self, path: list[Node], i: int, at: int) -> None:
        s = self.trace.at(i)
        if s.last.is_conditional and i == self._closing(i):
            path.insert(at, (i, s.last.index))

    def _closing(self, i: int) -> int:
        s = self.trace.at(i)
        return i if s.seg.end == s.fn.blocks[s.seg.block].end else -1

    def _deciding(self, path: list[Node], gates: frozenset[int]) -> tuple[Node, ...]:
        """Without the parts whose other outcome would have led to the same end, and those that chose an operand."""
        path = [node for node in path if self.trace.at(node[0]).seg.block not in gates] or path
        last = path[-1]
        end = self.trace.next_in_frame(last[0])
        if end < 0:
            return tuple(path)
        exit_block = self.trace.at(end).seg.block
        kept = []
        for node in path[:-1]:
            s = self.trace.at(node[0])
            went = self.trace.next_in_frame(node[0])
            taken = self.trace.at(went).seg.block if went >= 0 else -1
            others = [b for b in s.fn.blocks[s.seg.block].succs if b != taken]
            if exit_block not in others:
                kept.append(node)
        return (*kept, last)
