"""The cause tree: why the failure, why its causes were reached, level by level (cascade fault localization).

A node is a cause: the statements that justify one property. The first property is the failed check; every decision that let a cause's statements
run, or kept another value from being assigned, is a property of its own one level down. There is one node per static decision and direction.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from butfor.encode.justify import Justified, Justifier
from butfor.encode.recheck import recheck
from butfor.explanation import Evidence, FailureKind
from butfor.localize.base import Case, Diagnosis, Finding
from butfor.localize.slice import in_words, initial_places
from butfor.solve import Verdict
from butfor.trace.places import Place
from butfor.trace.trace import Node

DEPTH = 4
MOST_CAUSES = 200
_SOLVING, _EACH = 3.0, 0.5  # seconds for all re-checks, and for one
_MOST_SOLVED = 1_000  # instances of a cause that is re-checked
_COST = {"control": 0.0, "address": 0.5, "potential": 1.0}


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
    statements: dict[Place, list[Node]] = field(default_factory=dict)


@dataclass(order=True, slots=True)
class _Candidate:
    order: tuple[float, ...]
    key: tuple[Any, ...] = field(compare=False)
    parent: int = field(compare=False)
    via: str = field(compare=False)
    nodes: tuple[Node, ...] = field(compare=False)
    place: Place | None = field(compare=False)


def localize(case: Case) -> Diagnosis:
    """The cause tree of the failure."""
    tree = CauseTree(case)
    tree.open(case.options.depth if case.options.depth is not None else DEPTH)
    findings = tuple(_findings(case, tree))
    return Diagnosis("cascade", findings, {"causes": [_plain(case, c) for c in tree.causes]}, tree.complete)


class CauseTree:
    """Causes in the order in which they were opened: best first, flat, linked by id."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.trace = case.trace
        self.justifier = Justifier(case.dependence)
        self.causes: list[Cause] = []
        self.complete = True
        self._seen: set[tuple[Any, ...]] = set()
        self._heap: list[_Candidate] = []
        self._trusted = frozenset(case.options.trust)
        self._solving = min(_SOLVING, case.options.budget / 4)
        check = case.point.node if case.point.kind in (FailureKind.ASSERTION, FailureKind.REACH_ERROR) else None
        self._check = case.places.of(check) if check is not None else None

    def open(self, depth: int) -> None:
        """Builds the tree down to a level."""
        point = self.case.point
        root = self._add(None, 0, None, "failure", point.roots)
        assert root is not None
        for node in point.roots:  # the failed check is explained by the root itself
            if node[1] >= 0 and self.trace.instr(node).op in ("br", "switch"):
                self._seen.add(self._key(node)[0])
        if point.node is not None:
            self._candidate(point.node, root, "control", 0.0)
        for node in point.maybe:
            self._candidate(node, root, "potential", 0.0)
        self._children(root, depth)
        while self._heap:
            if len(self.causes) >= MOST_CAUSES or self.case.budget.is_over():
                self.complete = False
                return
            c = heapq.heappop(self._heap)
            if c.key in self._seen:
                continue
            self._seen.add(c.key)
            cause = self._add(c.parent, self.causes[c.parent].level + 1, c.place, c.via, c.nodes)
            if cause is not None:
                self._children(cause, depth)

    def _add(self, parent: int | None, level: int, place: Place | None, via: str, roots: tuple[Node, ...]) -> Cause | None:
        """The cause of these instances' values; None when it says nothing that its parent did not say."""
        justified = self.justifier.justify(roots)
        self.complete = self.complete and justified.complete
        cause = Cause(len(self.causes), parent, level, place, via, tuple(justified.nodes))
        cause.proved = justified.complete and self._confirmed(justified, roots)
        self._statements(cause, justified)
        if parent is not None and via == "address" and cause.statements.keys() <= self.causes[parent].statements.keys():
            return None
        self.causes.append(cause)
        if justified.addresses:
            self._address_child(cause, tuple(justified.addresses))
        return cause

    def _confirmed(self, justified: Justified, roots: tuple[Node, ...]) -> bool:
        """Whether the solver agrees that these instances force the property; False when there is no time for it."""
        if not roots or self._solving <= 0 or len(justified.nodes) > _MOST_SOLVED:
            return False
        start = time.monotonic()
        verdict = recheck(
            self.trace, justified.nodes, roots, min(_EACH, self._solving), dependence=self.case.dependence, is_cancelled=self.case.budget.is_over
        )
        self._solving -= time.monotonic() - start
        return verdict is Verdict.UNSAT

    def _statements(self, cause: Cause, justified: Justified) -> None:
        """The statements of a cause: what it passed through, the pointers on the way as far as they were assigned, initial values."""
        for node in justified.nodes:
            self._place(cause, node)
        for node in justified.addresses:
            for assigned in self._assigned(node):
                self._place(cause, assigned)
        for address, reader in justified.initial.items():
            for place in initial_places(self.case, address):
                cause.statements.setdefault(place, []).append(reader)

    def _place(self, cause: Cause, node: Node) -> None:
        if node[1] >= 0 and self.trace.instr(node).op == "alloca":
            return
        node = self._outside(node)
        place = self.case.places.of(node)
        if place is not None and not self._is_check(place):
            cause.statements.setdefault(place, []).append(node)

    def _is_check(self, place: Place) -> bool:
        """Whether the place is the failed assertion itself."""
        return self._check is not None and place.path == self._check.path and place.line == self._check.line and place.column >= self._check.column

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
        while self.trace.at(at[0]).fn.name in self._trusted:
            call = self.trace.call_of(at[0])
            if call is None:
                return at
            at = call
        return at

    def _address_child(self, cause: Cause, addresses: tuple[Node, ...]) -> None:
        key = ("address", cause.id)
        order = (cause.level + 1 + _COST["address"], -float(max(n[0] for n in addresses)))
        heapq.heappush(self._heap, _Candidate(order, key, cause.id, "address", addresses, cause.condition))

    def _children(self, cause: Cause, depth: int) -> None:
        """Puts the critical conditions of a cause on the list of what may be opened."""
        if cause.level >= depth:
            self._heap = [c for c in self._heap if c.parent != cause.id]
            heapq.heapify(self._heap)
            return
        newest = sorted({self._outside(n)[0]: None for n in cause.nodes}, reverse=True)
        for rank, i in enumerate(newest):
            parent = self.case.dependence.control(i)
            while parent is not None and self.trace.instr(parent).op == "call":
                parent = self.case.dependence.control(parent[0])
            if parent is not None:
                self._candidate(parent, cause, "control", rank / len(newest))
        for node in cause.nodes:
            if node[1] >= 0 and self.trace.instr(node).op == "load":
                for _, target in self.case.dependence.potential(node):
                    self._candidate(target, cause, "potential", 0.5)

    def _candidate(self, node: Node, parent: Cause, via: str, distance: float) -> None:
        node = self._outside(node)
        if self.trace.instr(node).op not in ("br", "switch"):
            upper = self.case.dependence.control(node[0])
            while upper is not None and self.trace.instr(upper).op == "call":
                upper = self.case.dependence.control(upper[0])
            if upper is None:
                return
            node = upper
        key, parts = self._key(node)
        if key in self._seen:
            return
        order = (parent.level + 1 + _COST[via], distance, -float(node[0]))
        heapq.heappush(self._heap, _Candidate(order, key, parent.id, via, parts, self.case.places.of(parts[-1])))

    def _key(self, node: Node) -> tuple[tuple[Any, ...], tuple[Node, ...]]:
        """What makes two decisions the same node of the tree: the condition and the way it went; and the instances that decided."""
        decision, parts = self.justifier.decision_of(node)
        s = self.trace.at(parts[-1][0])
        following = self.trace.next_in_frame(parts[-1][0])
        went = self.trace.at(following).seg.block if following >= 0 else -1
        return (s.fn.name, decision.head if decision is not None else s.seg.block, went), parts


def _plain(case: Case, cause: Cause) -> dict[str, Any]:
    condition = cause.condition
    return {
        "id": cause.id,
        "parent": cause.parent,
        "level": cause.level,
        "via": cause.via,
        "condition": None if condition is None else {"file": condition.file, "line": condition.line, "text": condition.text},
        "outcome": _outcome(case, cause),
        "proved": cause.proved,
        "statements": [
            {"file": p.file, "line": p.line, "text": p.text, "instances": len(nodes), "values": _values(case, nodes)}
            for p, nodes in cause.statements.items()
        ],
    }


def _outcome(case: Case, cause: Cause) -> str:
    """How the decision went, with the values it saw."""
    deciding = next((n for n in cause.nodes if n[1] >= 0 and case.trace.instr(n).op in ("br", "switch")), None)
    step = case.steps.of(deciding, brief=True) if deciding is not None and cause.condition is not None else None
    return "" if step is None else in_words(step)


def _values(case: Case, nodes: list[Node]) -> str:
    step = next((s for s in (case.steps.of(n, brief=True) for n in nodes[:3]) if s is not None), None)
    return "" if step is None else in_words(step)


def _findings(case: Case, tree: CauseTree) -> Iterator[Finding]:
    """One finding per statement, at its first place in the tree."""
    first: dict[Place, tuple[Cause, Node]] = {}
    for cause in tree.causes:
        for place, nodes in cause.statements.items():
            first.setdefault(place, (cause, nodes[0]))
    shown = case.places.of(case.point.node) if case.point.node is not None else None
    count = max(len(tree.causes), 1)
    for place, (cause, _) in first.items():
        score = 1.0 / (1.0 + cause.level) - 0.5 * cause.id / count
        if place == shown:
            score = 0.0
        evidence = Evidence.PROVED if cause.proved else Evidence.HEURISTIC
        yield Finding(place, round(max(score, 0.0), 4), f"level {cause.level}: {_why(cause)}", evidence)


def _why(cause: Cause) -> str:
    if cause.condition is None:
        return "it computed the pointer or index used there" if cause.via == "address" else "it is among the statements that made the check fail"
    text = f"`{cause.condition.text}` (line {cause.condition.line})"
    if cause.via == "potential":
        return f"{text}, decided otherwise, could have assigned another value"
    return f"it decided {text}"
