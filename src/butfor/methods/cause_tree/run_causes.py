"""The cause tree of a run: the causes of the failure and of the decisions behind it, by level.

Cascade fault localization. A node is a cause: the statements that justify one property. The first property is the
failed check; every critical condition of a cause, that is every decision that let its statements run or kept another
value from being assigned, is a property of its own one level down. There is one node per static decision and outcome:
the iterations of a loop are one node, and a decision that several causes lead to is opened once and shared.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from butfor.encode.justification import Justifier
from butfor.methods.case import FailingRun
from butfor.methods.cause_tree.cause_statements import CauseStatements, StatementInstances
from butfor.methods.cause_tree.condition_parts import is_part_of_condition
from butfor.methods.cause_tree.confirm_causes import CauseConfirmation, Claim
from butfor.methods.cause_tree.controlling_decisions import ControllingDecisions
from butfor.methods.cause_tree.executed_jumps import ExecutedJumps
from butfor.methods.cause_tree.reading_order import LEVELS_BEHIND
from butfor.methods.cause_tree.reading_units import ReadingUnit, reading_units
from butfor.methods.cause_tree.run_cores import CauseCores, Core
from butfor.trace.dependence.stores_elsewhere import StoresElsewhere
from butfor.trace.trace import Node
from butfor.trace.view.source_places import Place

MAX_CAUSES = 200  # nobody reads more of a tree
BUDGET_SHARE = 0.5  # other methods need time too
OPENING_SHARE = 0.6  # of the time that the method has: proofs of its causes and their values take the rest
_DECISIONS = ("control", "core", "potential")  # ways to a cause of a decision
MAX_JUSTIFIED_ITERATIONS = 3  # last instances of one decision that are justified together: others rarely add statements
MAX_INSTANCES_PER_LOAD = 12  # that are asked what could have been assigned instead: the search is slow
MAX_EXCEPTIONAL_LOADS = 6  # of each instruction: reads across rounds of a loop in which something did not happen
MAX_JUMP_WALKS = 8  # from instances that a decision let run back to it: others pass the same jumps
MAX_MISPLACED_STORES = 4  # per cause: stores next to what it read explain a failure rarely
MAX_MISPLACED_STORE_LEVEL = 1  # deeper in the tree they are noise
MAX_LATER_INSTANCES = 6  # of a decision that is open already: one in which it did something different comes early

Key = tuple[Any, ...]


@dataclass(slots=True)
class RunCause:
    """One node of the tree.

    `condition` is the decision that is explained, None for the failed check; `via` says how it was reached.
    """

    id: int
    parent: int | None
    level: int
    condition: Place | None
    via: str
    nodes: tuple[Node, ...]
    proved: bool = False  # a solver confirmed that the statements alone force the property
    shared: dict[int, None] = field(default_factory=dict)  # further causes that lead here
    rounds: set[Node] = field(default_factory=set)  # instances of the decision
    later: int = 0  # instances that were merged after it was opened
    decided: Node | None = None  # the instance that settled the decision
    guard: int = -1  # the frame whose rest this decision let run, else -1
    loads_passed: tuple[Node, ...] = ()  # loads behind those in `nodes`
    statements: dict[Place, list[Node]] = field(default_factory=dict)
    claims: list[Claim] = field(default_factory=list)  # to be proved


@dataclass(order=True, slots=True)
class _Candidate:
    """A cause that may be opened; with `via` "search", a longer search that may find some."""

    order: tuple[float, ...]
    key: Key = field(compare=False)
    parent: int = field(compare=False)
    via: str = field(compare=False)
    nodes: tuple[Node, ...] = field(compare=False)
    place: Place | None = field(compare=False)
    level: int = field(compare=False)
    guard: int = field(compare=False, default=-1)


class CauseTree:
    """The tree as a list of causes in the order in which they were opened, best first, linked by id."""

    def __init__(
        self, case: FailingRun, without: frozenset[str] = frozenset(), *, path_conditions: bool = False
    ) -> None:
        self.case = case
        self.trace = case.trace
        self.justifier = Justifier(case.dependence)
        self.cores = CauseCores(case, self.justifier, path_conditions=path_conditions)
        self.causes: list[RunCause] = []
        self.complete = True
        self.constraints = 0  # instances that the solver was given to prove the causes
        self.pruned = 0  # candidates that a mark removed
        self.guilty: RunCause | None = None
        self._statements = CauseStatements(case, frozenset(() if "trust" in without else case.options.trust))
        self._folds = "loops" not in without
        self._without = without
        self._budget = case.budget.part(min(BUDGET_SHARE * case.budget.seconds, OPENING_SHARE * case.budget.left))
        self._opened: dict[Key, RunCause | None] = {}
        # instances of decisions on the heap, with the cause that led to them
        self._waiting: dict[Key, dict[tuple[Node, ...], int]] = {}
        # calls and jumps between a decision on the heap and what it let run
        self._calls: dict[Key, dict[Node, None]] = {}
        self._jumps: dict[Key, dict[Place, Node]] = {}
        self._decisions = ControllingDecisions(case.dependence, self.justifier)
        self._executed_jumps = ExecutedJumps(case.trace, case.places)
        self._to_merge: list[tuple[RunCause, tuple[Node, ...]]] = []  # further instances of decisions that are open
        self._heap: list[_Candidate] = []

    def open(self, depth: int, most: int = MAX_CAUSES) -> None:
        """Build the tree down to a level, or to a statement that the user marked as guilty; at most so many causes."""
        self._explore(depth, most)
        is_cut = self.case.dependence.potential_dependence.is_truncated or self.cores.is_limited
        self.complete = self.complete and not is_cut
        if self.guilty is not None:
            self._only_path_to(self.guilty)
        confirmation = CauseConfirmation(self.case, self._without)
        for cause in self.causes:
            is_confirmed = confirmation.confirms(cause.claims, (n for c in self.causes[: cause.id] for n in c.nodes))
            cause.proved = is_confirmed and not self._lacks_addresses(cause) and not self._is_part(cause)
        self.constraints = confirmation.constraints

    def _lacks_addresses(self, cause: RunCause) -> bool:
        """Whether it explains the addresses of a cause that later instances joined, whose addresses it does not."""
        return cause.via == "address" and cause.parent is not None and len(self.causes[cause.parent].claims) > 1

    def _is_part(self, cause: RunCause) -> bool:
        """Whether it explains an operand of the condition that it is told to explain."""
        if cause.decided is None:
            return False
        return is_part_of_condition(self.trace, self.justifier, cause.decided, self.case.places)

    def _explore(self, depth: int, most: int) -> None:
        self._add_root(depth)
        while (self._heap or self._to_merge) and self.guilty is None:
            if len(self.causes) >= most or self._is_late():
                self.complete = False
                return
            if self._to_merge:
                self._merge(*self._to_merge.pop(), depth)
                continue
            c = heapq.heappop(self._heap)
            if c.via == "search":
                self._search(c)
            elif c.key not in self._opened:
                self._open(c, depth)

    def _add_root(self, depth: int) -> None:
        """Add the cause of the failure itself."""
        point = self.case.point
        roots = self._whole_conditions(point.roots)
        core = self.cores.core(roots)
        statements: StatementInstances = {}
        self._statements.add(statements, core.justified, core.held)
        root = self._add(None, 0, None, "failure", roots, core, statements)
        for node in roots:  # the failed check is explained by the root itself
            if node[1] >= 0 and self.trace.instr(node).is_branch:
                self._opened[self._key(node)[0]] = None
        if point.node is not None:
            self._push_decision_over_failure(point.node, root)
        for node in point.possible_roots:
            self._push_potential(node, root)
        if point.silent_interval is not None and depth > 0:
            self._push_search((1 + LEVELS_BEHIND["potential"], 0.0), ("prints",), root, ())
        self._push_critical_conditions(root, depth)

    def _whole_conditions(self, roots: tuple[Node, ...]) -> tuple[Node, ...]:
        """The roots, with all branch instances that decided a short-circuit condition for one that is a part of it."""
        found: dict[Node, None] = {}
        for node in roots:
            is_branch = node[1] >= 0 and self.trace.instr(node).is_branch
            found.update(dict.fromkeys(self.justifier.decision_of(node)[1] if is_branch else (node,)))
        return tuple(found)

    def _push_decision_over_failure(self, node: Node, root: RunCause) -> None:
        """Push the decision that let the failure happen: the check itself, or the one over it."""
        if self.trace.instr(node).is_branch:
            self._push_decision(node, root, "control", 0.0)
            return
        decision, calls = self._decisions.over(node[0], set(root.nodes))
        if decision is not None:
            self._push_decision(decision, root, "control", 0.0, calls, (calls[-1][0] if calls else node[0],))

    def _push_search(self, order: tuple[float, float], key: Key, parent: RunCause, nodes: tuple[Node, ...]) -> None:
        heapq.heappush(
            self._heap, _Candidate((*order, float("-inf")), key, parent.id, "search", nodes, None, parent.level + 1)
        )

    def _search(self, c: _Candidate) -> None:
        """Push the candidates that a longer search finds, now that it is the most promising thing left to do."""
        parent = self.causes[c.parent]
        if c.key[0] == "prints":
            for node in self.case.kept_output:
                self._push_potential(node, parent)
        elif c.key[0] == "stores":
            self._push_misplaced_stores(c.nodes, parent)
        else:
            self._push_omissions(c.nodes, parent)

    def _push_omissions(self, loads: tuple[Node, ...], parent: RunCause) -> None:
        """Push the decisions whose other arm could have assigned what these loads read."""
        targets: dict[Node, None] = {}
        exceptional = self._statements.exceptional(loads, MAX_EXCEPTIONAL_LOADS)
        for node in dict.fromkeys((*self._statements.few(loads, MAX_INSTANCES_PER_LOAD), *exceptional)):
            if self._is_late():
                break
            targets.update((target, None) for _, target in self.case.dependence.potential(node))
        for target in targets:
            self._push_decision(target, parent, "potential", 0.5)

    def _push_misplaced_stores(self, loads: tuple[Node, ...], parent: RunCause) -> None:
        """Push the stores that could have assigned what these loads read, or the wrong text, but wrote next to it."""
        look = StoresElsewhere(self.case.dependence.potential_dependence)
        found = (
            [store for text in self.case.point.wrong_text_bytes for store in look.of_text(*text)]
            if parent.level == 0
            else []
        )
        for load in self._statements.few(loads, 1):
            found += look.of_load(load) if not self._is_late() else ()
        known = {self._statements.static(n) for n in parent.nodes}
        new = [store for store in sorted(found, reverse=True) if self._statements.static(store) not in known]
        for store in self._statements.few(new, 1)[:MAX_MISPLACED_STORES]:
            index = self.trace.instr(store).args[1]
            if isinstance(index, int):
                key: Key = ("store", self._statements.static(store))
                self._calls[key] = {store: None}
                order = (parent.level + 1 + LEVELS_BEHIND["elsewhere"], 0.0, -float(store[0]))
                nodes = (self.trace.definition(store[0], index),)
                heapq.heappush(
                    self._heap,
                    _Candidate(order, key, parent.id, "elsewhere", nodes, self.case.places.of(store), parent.level + 1),
                )

    def _push_potential(self, node: Node, root: RunCause) -> None:
        """Push an instance that could have avoided the failure: as a decision that went otherwise, or by its value."""
        self._push_decision(node, root, "potential", 0.0)
        if node[1] < 0 or not self.trace.instr(node).is_branch:
            order = (1 + LEVELS_BEHIND["potential"], 0.0, -float(node[0]))
            heapq.heappush(
                self._heap,
                _Candidate(order, ("maybe", node), root.id, "potential", (node,), self.case.places.of(node), 1),
            )

    def _open(self, c: _Candidate, depth: int) -> None:
        self._opened[c.key] = None
        place = self.case.places.of(c.nodes[-1]) if c.place is None and c.via in _DECISIONS else c.place
        if self._statements.mark(place) == "benign":
            self.pruned += 1
            return
        waiting = self._waiting.pop(c.key, {})
        others = self._other_iterations(waiting) if c.via != "address" else ()
        roots = tuple(dict.fromkeys(node for parts in (c.nodes, *others) for node in parts))
        core = self.cores.core(roots)
        justified = core.justified
        statements: StatementInstances = {}
        self._statements.add(statements, justified, (*core.held, *(roots if c.via in _DECISIONS else ())))
        if c.via == "address":
            statements = {p: at for p, at in statements.items() if p not in self.causes[c.parent].statements}
        for call in self._calls.pop(c.key, ()):
            self._statements.add_instance(statements, call)
        for jump, node in self._jumps.pop(c.key, {}).items():
            if self._statements.mark(jump) != "benign":
                statements.setdefault(jump, []).append(node)
        if reading_units(statements) <= self._lines_above(c.parent):  # nothing new, but others may have led here
            self.complete = self.complete and justified.complete
            self._push_critical_conditions(replace(self.causes[c.parent], nodes=tuple(justified.nodes)), depth)
            return
        cause = self._add(c.parent, c.level, place, c.via, roots, core, statements)
        self._opened[c.key] = cause
        cause.guard = c.guard
        cause.decided = c.nodes[-1] if c.via in _DECISIONS else None
        cause.rounds.update(parts[-1] for parts in (c.nodes, *waiting))
        cause.shared.update((parent, None) for parent in waiting.values() if parent != c.parent)
        self._push_critical_conditions(cause, depth)

    def _other_iterations(self, waiting: Iterable[tuple[Node, ...]]) -> tuple[tuple[Node, ...], ...]:
        """The last instances of a decision, and the first: what came before the loop matters only there."""
        latest = sorted(waiting, key=lambda parts: -parts[-1][0])
        return tuple(dict.fromkeys((*latest[: MAX_JUSTIFIED_ITERATIONS - 1], *latest[-1:])))

    def _merge(self, cause: RunCause, roots: tuple[Node, ...], depth: int) -> None:
        """Add another instance of a decision if it has other statements, and push its critical conditions."""
        justified = self.justifier.justify(roots)
        before = len(cause.statements)
        self._statements.add(cause.statements, justified, roots)
        known = set(cause.nodes)
        new = tuple(n for n in justified.nodes if n not in known)
        if len(cause.statements) > before:
            cause.nodes += new
            cause.claims.append(Claim(tuple(justified.nodes), roots, justified.complete))
        self._push_critical_conditions(replace(cause, nodes=new), depth)

    def _only_path_to(self, cause: RunCause) -> None:
        """Drop all causes but those on the way from the failure to this one, which the user marked as guilty."""
        path = [cause]
        while path[-1].parent is not None:
            path.append(self.causes[path[-1].parent])
        self.pruned += len(self.causes) - len(path)
        self.causes = path[::-1]
        for number, kept in enumerate(self.causes):
            kept.id, kept.parent, kept.shared = number, number - 1 if number else None, {}

    def _add(
        self,
        parent: int | None,
        level: int,
        place: Place | None,
        via: str,
        roots: tuple[Node, ...],
        core: Core,
        statements: StatementInstances,
    ) -> RunCause:
        """The cause of these instances' values."""
        justified = core.justified
        self.complete = self.complete and justified.complete
        cause = RunCause(len(self.causes), parent, level, place, via, tuple(justified.nodes), statements=statements)
        cause.loads_passed = tuple(justified.loads_passed)
        cause.claims.append(Claim(tuple(justified.nodes), roots, justified.complete, core.held))
        self.causes.append(cause)
        for decision in core.held:
            self._push_decision(decision, cause, "core", 0.0)
        if self.case.marks and "guilty" in map(self._statements.mark, (place, *cause.statements)):
            self.guilty = cause
        if justified.addresses:
            self._push_address(cause, tuple(justified.addresses))
        return cause

    def _lines_above(self, number: int | None) -> set[ReadingUnit]:
        """What is read of a cause and of those on the way from the failure to it."""
        found: set[ReadingUnit] = set()
        while number is not None:
            found |= reading_units(self.causes[number].statements)
            number = self.causes[number].parent
        return found

    # --- critical conditions ------------------------------------------------------------------------------------------

    def _push_address(self, cause: RunCause, addresses: tuple[Node, ...]) -> None:
        key = ("address", cause.id)
        order = (cause.level + 1 + LEVELS_BEHIND["address"], -float(max(n[0] for n in addresses)))
        heapq.heappush(
            self._heap, _Candidate(order, key, cause.id, "address", addresses, cause.condition, cause.level + 1)
        )

    def _push_critical_conditions(self, cause: RunCause, depth: int) -> None:
        """Push the critical conditions of a cause as candidates."""
        if cause.level >= depth:
            self._heap = [c for c in self._heap if c.parent != cause.id]
            heapq.heapify(self._heap)
            return
        nodes = (
            [n for n in cause.nodes if self._statements.mark(self.case.places.of(n)) != "benign"]
            if self.case.marks
            else cause.nodes
        )
        newest = sorted({self._statements.outside(n)[0]: None for n in nodes}, reverse=True)
        values = set(cause.nodes)
        # decisions with their distance, the calls on the way to them, and the segments of their frame that they let run
        over: dict[Node, tuple[float, dict[Node, None], list[int]]] = {}
        seen: set[Node] = set()
        for rank, i in enumerate(newest):
            if self._is_late():
                return
            parent, calls = self._decisions.over(i, values)
            if parent is None:
                continue
            outermost = calls[-1][0] if calls else i
            for decision in (parent, *self._decisions.around(parent, values, seen)):
                over.setdefault(decision, (rank / len(newest), {}, []))
                over[decision][1].update(dict.fromkeys(calls))
                over[decision][2].append(outermost)
        for parent, (distance, calls_between, controlled) in over.items():
            self._push_decision(parent, cause, "control", distance, calls_between, controlled)
        loads = tuple(n for n in nodes if n[1] >= 0 and self.trace.instr(n).op == "load")
        if loads:
            order, reads = (cause.level + 1 + LEVELS_BEHIND["potential"], 0.5), (*loads, *cause.loads_passed)
            self._push_search(order, ("reads", cause.id), cause, reads)
        if cause.level <= MAX_MISPLACED_STORE_LEVEL and (loads or self.case.point.wrong_text_bytes):
            self._push_search((cause.level + 1 + LEVELS_BEHIND["elsewhere"], 0.0), ("stores", cause.id), cause, loads)

    def _is_late(self) -> bool:
        """Whether the time is used up; then the tree is not complete."""
        if not (self._budget.is_over() or self.case.budget.is_over()):
            return False
        self.complete = False
        return True

    def _push_decision(
        self,
        node: Node,
        parent: RunCause,
        via: str,
        distance: float,
        calls: Iterable[Node] = (),
        controlled: Sequence[int] = (),
    ) -> None:
        node = self._statements.outside(node)
        if not self.trace.instr(node).is_branch:
            upper, calls = self._decisions.over(node[0])
            if upper is None:
                return
            node = upper
        key, parts = self._key(node)
        if key in self._opened:
            known = self._opened[key]
            if known is not None:
                self._link(known, parts, parent)
            return
        self._waiting.setdefault(key, {}).setdefault(parts, parent.id)
        self._calls.setdefault(key, {}).update(dict.fromkeys(calls))
        for i in controlled[:MAX_JUMP_WALKS]:
            self._jumps.setdefault(key, {}).update(self._executed_jumps.between(parts[-1], i))
        if via == "potential":
            self._jumps.setdefault(key, {}).update(self._executed_jumps.in_arm(parts[-1]))
        frame = self.trace.log.frame_of(node[0]) if via == "control" and self.case.dependence.is_guard(node) else -1
        level = parent.level + (frame < 0 or frame != parent.guard)  # a row of early exits is one step, not a nest
        order = (level + LEVELS_BEHIND[via], distance, -float(node[0]))
        heapq.heappush(self._heap, _Candidate(order, key, parent.id, via, parts, None, level, frame))

    def _link(self, known: RunCause, parts: tuple[Node, ...], parent: RunCause) -> None:
        """Link an open cause to one more parent, and queue a new instance of its decision."""
        if parent.id not in (known.parent, known.id):
            known.shared[parent.id] = None
        if parts[-1] not in known.rounds:
            known.rounds.add(parts[-1])
            if known.later < MAX_LATER_INSTANCES:
                known.later += 1
                self._to_merge.append((known, parts))

    def _key(self, node: Node) -> tuple[Key, tuple[Node, ...]]:
        """The key of a decision's node in the tree, its condition and outcome, and the instances that decided it."""
        decision, parts = self.justifier.decision_of(node)
        s = self.trace.at(parts[-1][0])
        following = self.trace.next_in_frame(parts[-1][0])
        went = self.trace.at(following).seg.block if following >= 0 else -1
        static = (s.fn.name, decision.head if decision is not None else s.seg.block, went)
        return static if self._folds else (*static, parts[-1]), parts
