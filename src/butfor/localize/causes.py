"""The cause tree: why the failure, why its causes were reached, level by level (cascade fault localization).

A node is a cause: the statements that justify one property. The first property is the failed check; every decision that let a cause's statements
run, or kept another value from being assigned, is a property of its own one level down. There is one node per static decision and direction: the
rounds of a loop are one node, and a decision that several causes lead to is opened once and shared.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from butfor.encode.justify import Justified, Justifier
from butfor.encode.recheck import recheck
from butfor.localize.base import Case
from butfor.localize.slice import initial_places
from butfor.solve import Verdict
from butfor.source.model import Role
from butfor.trace.places import Place
from butfor.trace.trace import Node

MOST_CAUSES = 200
_SOLVING, _EACH = 3.0, 0.5  # seconds for all re-checks, and for one
_MOST_SOLVED = 1_000  # instances of a cause that is re-checked
_COST = {"control": 0.0, "address": 0.5, "potential": 1.0}
_ROUNDS = 3  # instances of one decision that are justified together when it is opened
_POINTERS, _LOADS = 3, 12  # instances of one instruction that are asked where a pointer came from, and what could have been assigned instead
_LATER = 6  # instances that are looked at when they turn up after that

Key = tuple[Any, ...]


@dataclass(slots=True)
class Cause:
    """One node of the tree. `condition` is the decision that is explained, None for the failed check; `via` says how it was reached."""

    id: int
    parent: int | None
    level: int
    condition: Place | None
    via: str
    nodes: tuple[Node, ...]
    proved: bool = False  # a solver confirmed that the statements alone force the property
    shared: dict[int, None] = field(default_factory=dict)  # further causes that lead here
    rounds: set[Node] = field(default_factory=set)  # instances of the decision that were met
    later: int = 0  # instances that were looked at after it was opened
    decided: Node | None = None  # the instance that settled the decision
    guard: int = -1  # the frame whose rest this decision let run, else -1
    statements: dict[Place, list[Node]] = field(default_factory=dict)


@dataclass(order=True, slots=True)
class _Candidate:
    order: tuple[float, ...]
    key: Key = field(compare=False)
    parent: int = field(compare=False)
    via: str = field(compare=False)
    nodes: tuple[Node, ...] = field(compare=False)
    place: Place | None = field(compare=False)
    level: int = field(compare=False)
    guard: int = field(compare=False, default=-1)


class CauseTree:
    """Causes in the order in which they were opened: best first, flat, linked by id."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.trace = case.trace
        off = case.options.without
        self.justifier = Justifier(case.dependence)
        self.causes: list[Cause] = []
        self.complete = True
        self.pruned = 0  # candidates that a mark removed
        self.guilty: Cause | None = None
        self._folds = "loops" not in off
        self._only_related = "unrelated" not in off
        self._only_slice = "slicing" not in off
        self._trusted = frozenset(() if "trust" in off else case.options.trust)
        self._opened: dict[Key, Cause | None] = {}
        self._waiting: dict[Key, dict[tuple[Node, ...], int]] = {}  # instances of decisions on the heap, with the cause that led to them
        self._calls: dict[Key, dict[Node, None]] = {}  # calls between a decision on the heap and what it let run
        self._static: dict[tuple[int, int], tuple[Place, ...]] = {}  # statements of instructions
        self._defined: dict[Place, list[Place]] = {}  # macros that a statement uses
        self._turned_up: list[tuple[Cause, tuple[Node, ...]]] = []  # further instances of decisions that are open
        self._heap: list[_Candidate] = []
        self._solving = min(_SOLVING, case.options.budget / 4)

    def open(self, depth: int) -> None:
        """Builds the tree down to a level, or to the statement that the user called guilty."""
        point = self.case.point
        root = self._add(None, 0, None, "failure", point.roots, self.justifier.justify(point.roots))
        assert root is not None
        for node in point.roots:  # the failed check is explained by the root itself
            if node[1] >= 0 and self.trace.instr(node).op in ("br", "switch"):
                self._opened[self._key(node)[0]] = None
        if point.node is not None:
            self._candidate(point.node, root, "control", 0.0)
        for node in point.maybe:
            self._maybe(node, root)
        self._children(root, depth)
        while (self._heap or self._turned_up) and self.guilty is None:
            if len(self.causes) >= MOST_CAUSES or self.case.budget.is_over():
                self.complete = False
                return
            if self._turned_up:
                self._merge(*self._turned_up.pop(), depth)
                continue
            c = heapq.heappop(self._heap)
            if c.key not in self._opened:
                self._open(c, depth)
        if self.guilty is not None:
            self._only_path_to(self.guilty)

    def _maybe(self, node: Node, root: Cause) -> None:
        """An instance that could have kept the failure away: a decision that went otherwise, or another value of it."""
        self._candidate(node, root, "potential", 0.0)
        if node[1] < 0 or self.trace.instr(node).op not in ("br", "switch"):
            order = (1 + _COST["potential"], 0.0, -float(node[0]))
            heapq.heappush(self._heap, _Candidate(order, ("maybe", node), root.id, "potential", (node,), self.case.places.of(node), 1))

    def _open(self, c: _Candidate, depth: int) -> None:
        self._opened[c.key] = None
        if self._mark(c.place) == "benign":
            self.pruned += 1
            return
        waiting = self._waiting.pop(c.key, {})
        others = sorted(waiting, key=lambda parts: -parts[-1][0])[: _ROUNDS - 1] if c.via != "address" else []
        roots = tuple(dict.fromkeys(node for parts in (c.nodes, *others) for node in parts))
        justified = self.justifier.justify(roots)
        cause = self._add(c.parent, c.level, c.place, c.via, roots, justified)
        if cause is None:  # nothing new was computed, but other decisions may have led to it
            self._children(replace(self.causes[c.parent], nodes=tuple(justified.nodes)), depth)
            return
        self._opened[c.key] = cause
        cause.guard = c.guard
        cause.decided = c.nodes[-1] if c.via != "address" else None
        for call in self._calls.pop(c.key, ()):
            self._place(cause, call)
        cause.rounds.update(parts[-1] for parts in (c.nodes, *waiting))
        cause.shared.update((parent, None) for parent in waiting.values() if parent != c.parent)
        self._children(cause, depth)

    def _merge(self, cause: Cause, roots: tuple[Node, ...], depth: int) -> None:
        """Adds what another instance of a decision needed, if it needed other statements."""
        justified = self.justifier.justify(roots)
        before = len(cause.statements)
        self._statements(cause, justified)
        if len(cause.statements) == before:
            return
        known = set(cause.nodes)
        new = tuple(n for n in justified.nodes if n not in known)
        cause.nodes += new
        cause.proved = cause.proved and justified.complete and self._confirmed(justified, roots)
        self._children(replace(cause, nodes=new), depth)

    def _only_path_to(self, cause: Cause) -> None:
        """Leaves the causes on the way from the failure to this one, which the user called guilty."""
        path = [cause]
        while path[-1].parent is not None:
            path.append(self.causes[path[-1].parent])
        self.pruned += len(self.causes) - len(path)
        self.causes = path[::-1]
        for number, kept in enumerate(self.causes):
            kept.id, kept.parent, kept.shared = number, number - 1 if number else None, {}

    def _mark(self, place: Place | None) -> str | None:
        return None if place is None else self.case.marks.of(place.file, place.line)

    def _add(self, parent: int | None, level: int, place: Place | None, via: str, roots: tuple[Node, ...], justified: Justified) -> Cause | None:
        """The cause of these instances' values; None when it says nothing that its parent did not say."""
        self.complete = self.complete and justified.complete
        cause = Cause(len(self.causes), parent, level, place, via, tuple(justified.nodes))
        self._statements(cause, justified)
        if parent is not None and via == "address" and cause.statements.keys() <= self.causes[parent].statements.keys():
            return None
        cause.proved = justified.complete and self._confirmed(justified, roots)
        self.causes.append(cause)
        if self.case.marks and "guilty" in map(self._mark, (place, *cause.statements)):
            self.guilty = cause
        if justified.addresses:
            self._address_child(cause, tuple(justified.addresses))
        return cause

    def _confirmed(self, justified: Justified, roots: tuple[Node, ...]) -> bool:
        """Whether the solver agrees that these instances force the property; False when there is no time for it."""
        nodes = self._given(justified)
        if not roots or self._solving <= 0 or len(nodes) > _MOST_SOLVED * (1 if self._only_slice else 20):
            return False
        start = time.monotonic()
        verdict = recheck(self.trace, nodes, roots, min(_EACH, self._solving), dependence=self.case.dependence, is_cancelled=self.case.budget.is_over)
        self._solving -= time.monotonic() - start
        return verdict is Verdict.UNSAT

    def _given(self, justified: Justified) -> dict[Node, None]:
        """The instances that the solver is given: the cause itself; without optimisations also what has nothing to do with it."""
        nodes = justified.nodes
        if not self._only_related:
            nodes = {**nodes, **{n: None for c in self.causes for n in c.nodes}}
        if not self._only_slice:
            last = max((n[0] for n in nodes), default=-1)
            nodes = {**{(i, n): None for i in range(last + 1) for n in range(self.trace.at(i).seg.start, self.trace.at(i).seg.end)}, **nodes}
        return nodes

    # --- statements -----------------------------------------------------------------------------------------------------------

    def _statements(self, cause: Cause, justified: Justified) -> None:
        """The statements of a cause: what it passed through, the pointers on the way as far as they were assigned, initial values."""
        for node in justified.nodes:
            self._place(cause, node)
        for node in self._few(justified.addresses, _POINTERS):
            for assigned in self._assigned(node):
                self._place(cause, assigned)
        for address, reader in justified.initial.items():
            for place in initial_places(self.case, address):
                if self._mark(place) != "benign":
                    cause.statements.setdefault(place, []).append(reader)

    def _place(self, cause: Cause, node: Node) -> None:
        if node[1] >= 0 and self.trace.instr(node).op == "alloca":
            return
        node = self._outside(node)
        for place in self._places(node):
            cause.statements.setdefault(place, []).append(node)

    def _places(self, node: Node) -> tuple[Place, ...]:
        """The statement of an instance, and the macros it uses: what they compute may be wrong in their definition."""
        key = (self.trace.log.segment(node[0]), node[1])
        known = self._static.get(key)
        if known is None:
            place = self.case.places.of(node)
            unwanted = place is None or place.role == Role.END or self.case.is_check(place) or self._mark(place) == "benign"
            known = () if place is None or unwanted else (place, *self._macros(place))
            s = self.trace.at(node[0])
            if node[1] >= 0 and self.case.places.of_instr(s.fn, s.fn.instrs[node[1]]) is not None:  # else it is the call's, which varies
                self._static[key] = known
        return known

    def _macros(self, place: Place) -> list[Place]:
        known = self._defined.get(place)
        if known is None:
            known = self._defined[place] = [m for m in self.case.places.macros(place) if self._mark(m) != "benign"]
        return known

    def _assigned(self, node: Node) -> list[Node]:
        """The assignments that gave the pointers and indices of an address their values, one step back."""
        found: list[Node] = []
        work, seen = [node], set()
        while work and len(found) < 8:
            at = work.pop()
            if at in seen:
                continue
            seen.add(at)
            op = self.trace.instr(at).op if at[1] >= 0 else "param"
            if op in ("store", "call", "ret", "param"):
                found.append(at)
            elif op != "alloca":
                work += [t for kind, t in self.case.dependence.edges(at) if kind in ("data", "address")]
        return found

    def _outside(self, node: Node) -> Node:
        """The instance itself, or the call of the trusted function it is in."""
        at = node
        while self._trusted and self.trace.at(at[0]).fn.name in self._trusted:
            call = self.trace.call_of(at[0])
            if call is None:
                return at
            at = call
        return at

    # --- critical conditions --------------------------------------------------------------------------------------------------

    def _address_child(self, cause: Cause, addresses: tuple[Node, ...]) -> None:
        key = ("address", cause.id)
        order = (cause.level + 1 + _COST["address"], -float(max(n[0] for n in addresses)))
        heapq.heappush(self._heap, _Candidate(order, key, cause.id, "address", addresses, cause.condition, cause.level + 1))

    def _children(self, cause: Cause, depth: int) -> None:
        """Puts the critical conditions of a cause on the list of what may be opened."""
        if cause.level >= depth:
            self._heap = [c for c in self._heap if c.parent != cause.id]
            heapq.heapify(self._heap)
            return
        nodes = [n for n in cause.nodes if self._mark(self.case.places.of(n)) != "benign"] if self.case.marks else cause.nodes
        newest = sorted({self._outside(n)[0]: None for n in nodes}, reverse=True)
        for rank, i in enumerate(newest):
            if self._is_late():
                return
            parent, calls = self._decision_over(i)
            if parent is not None:
                self._candidate(parent, cause, "control", rank / len(newest), calls)
        for node in self._few([n for n in nodes if n[1] >= 0 and self.trace.instr(n).op == "load"], _LOADS):
            if self._is_late():
                return
            for _, target in self.case.dependence.potential(node):
                self._candidate(target, cause, "potential", 0.5)

    def _is_late(self) -> bool:
        """Whether the time is used up; then the tree is not complete."""
        if not self.case.budget.is_over():
            return False
        self.complete = False
        return True

    def _few(self, nodes: Iterable[Node], most: int) -> list[Node]:
        """At most so many instances of each instruction, the first that were met: what comes after repeats them."""
        count: dict[tuple[int, int], int] = {}
        kept = []
        for node in nodes:
            key = (self.trace.log.segment(node[0]), node[1])
            count[key] = count.get(key, 0) + 1
            if count[key] <= most:
                kept.append(node)
        return kept

    def _decision_over(self, i: int) -> tuple[Node | None, list[Node]]:
        """The decision that let a segment instance run, and the calls on the way to it."""
        calls = []
        parent = self.case.dependence.control(i)
        while parent is not None and self.trace.instr(parent).op == "call":
            calls.append(parent)
            parent = self.case.dependence.control(parent[0])
        return parent, calls

    def _candidate(self, node: Node, parent: Cause, via: str, distance: float, calls: Iterable[Node] = ()) -> None:
        node = self._outside(node)
        if self.trace.instr(node).op not in ("br", "switch"):
            upper, calls = self._decision_over(node[0])
            if upper is None:
                return
            node = upper
        key, parts = self._key(node)
        if key in self._opened:
            known = self._opened[key]
            if known is not None:
                self._met_again(known, parts, parent)
            return
        self._waiting.setdefault(key, {}).setdefault(parts, parent.id)
        self._calls.setdefault(key, {}).update(dict.fromkeys(calls))
        frame = self.trace.log.frame_of(node[0]) if via == "control" and self.case.dependence.is_guard(node) else -1
        level = parent.level + (frame < 0 or frame != parent.guard)  # a row of early exits is one step, not a nest
        order = (level + _COST[via], distance, -float(node[0]))
        heapq.heappush(self._heap, _Candidate(order, key, parent.id, via, parts, self.case.places.of(parts[-1]), level, frame))

    def _met_again(self, known: Cause, parts: tuple[Node, ...], parent: Cause) -> None:
        if parent.id not in (known.parent, known.id):
            known.shared[parent.id] = None
        if parts[-1] not in known.rounds:
            known.rounds.add(parts[-1])
            if known.later < _LATER:
                known.later += 1
                self._turned_up.append((known, parts))

    def _key(self, node: Node) -> tuple[Key, tuple[Node, ...]]:
        """What makes two decisions the same node of the tree: the condition and the way it went; and the instances that decided."""
        decision, parts = self.justifier.decision_of(node)
        s = self.trace.at(parts[-1][0])
        following = self.trace.next_in_frame(parts[-1][0])
        went = self.trace.at(following).seg.block if following >= 0 else -1
        static = (s.fn.name, decision.head if decision is not None else s.seg.block, went)
        return static if self._folds else (*static, parts[-1]), parts
