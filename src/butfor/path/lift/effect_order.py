"""The order in which a path is lifted: effects by time, conditions where they are decided."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from butfor.path.lift.branch_conditions import ConditionEvaluations
from butfor.path.lift.effects import Effect, EffectKind
from butfor.path.lift.violated_property import Check
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.trace import Node, Trace


@dataclass(frozen=True, slots=True)
class ValueUse:
    """A value that effects use, at the time when it came to be."""

    at: Node


class EffectOrder:
    """The order of chosen effects.

    `branches` are the instances at which conditions are decided, `parts` the parts of conditions in whose arms
    something ran before that.
    """

    def __init__(
        self,
        trace: Trace,
        dependence: Dependence,
        evaluations: ConditionEvaluations,
        effects: list[Effect],
        bases: Iterable[Node],
    ) -> None:
        self.trace = trace
        self.dependence = dependence
        self.evaluations = evaluations
        self._effects = effects
        self._bases = tuple(bases)
        self.branches, self.parts = self._branches(effects)

    def items(self, check: Check) -> list[Effect | ValueUse]:
        """Effects and the values they use by time; a value that an effect gives comes with the effect."""
        effects = self._effects
        items: dict[tuple[Node, int], Effect | ValueUse] = {}
        for base in self._bases:
            items[base, 0] = ValueUse(base)
        for h in effects:
            if h.what is not EffectKind.BRANCH:
                items[h.at, 1] = h
                if h.what is EffectKind.LIBRARY:
                    items.pop((h.at, 0), None)
        for node in self.branches:
            items[node, 1] = Effect(EffectKind.BRANCH, node, node)
        end = max((check.node, *(h.at for h in effects)))
        return [items[key] for key in sorted(items) if key[0] <= end]

    def _branches(self, effects: list[Effect]) -> tuple[set[Node], set[Node]]:
        """The instances at which conditions are decided, and the parts in whose arms something ran before that."""
        wanted: set[Node] = set()
        parts: set[Node] = set()
        parents = self._parents(effects)
        gates = self._gates()
        for h in effects:
            if h.what is not EffectKind.BRANCH:
                continue
            decided = self.evaluations.of(h.node)
            own = () if decided is None else decided.nodes
            inner = [
                c
                for c in parents.get(h.node, ())
                if c not in own and (decided is None or decided.joins or c <= decided.last)
            ]
            at: Node | None = h.node if inner else None
            while at is not None and at not in parts:  # and the parts of the condition around it
                wanted.add(at)
                parts.add(at)
                before = self.dependence.control(at[0])
                at = before if before in own else None
            if decided is None or decided.joins:
                continue
            needed = any(c > decided.last for node in decided.nodes for c in parents.get(node, ()))
            if needed or not gates.intersection(decided.nodes) - decided.gates:
                wanted.add(decided.last)
        return wanted, parts

    def _parents(self, effects: list[Effect]) -> dict[Node, list[Node]]:
        """For each branch instance the effects that depend on it, and the calls of functions with such effects."""
        found: dict[Node, list[Node]] = {}
        seen: set[int] = set()
        for h in effects:
            parent = self.dependence.control(h.node[0])
            at = h.node
            while parent is not None and self.trace.instr(parent).op == "call":
                if parent[0] in seen:
                    parent = None
                    break
                seen.add(parent[0])
                at = parent
                parent = self.dependence.control(parent[0])
            if parent is not None:
                found.setdefault(parent, []).append(at)
        return found

    def _gates(self) -> set[Node]:
        """The branch instances that chose a merged value."""
        found: set[Node] = set()
        for base in self._bases:
            if self.trace.instr(base).op == "phi":
                edges = self.dependence.edges(base)
                found.update(t for _, t in edges if t[1] >= 0 and self.trace.instr(t).is_branch)
        return found
