"""Checks of the cause tree: the statements of a cause alone force what they explain.

The run is repeated along its own path and at its own addresses, while every statement outside of the cause stores
anything. The failed check, or the condition, must come out as it did.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tests.claims.claim_model import Claim, FailingCase, has_inner_stores, judged, unchecked
from tests.claims.evaluate_expressions import Evaluator
from tests.claims.run_model import Changes, Decided, Event, Frame, Object, Pointer, Value
from tests.claims.run_program import Machine
from tests.claims.small_program import (
    Assert,
    At,
    Binary,
    CallExpr,
    Choice,
    Decision,
    Deref,
    DoWhile,
    Elem,
    Elem2,
    ElemField,
    Expr,
    Field,
    For,
    Node,
    Place,
    Program,
    Step,
    Switch,
    While,
)
from tests.claims.walk_program import parts, walk

METHOD = "cascade"
PERTURBED_RUNS = 40


def check_causes(case: FailingCase) -> Iterator[Claim]:
    """The causes that are proved."""
    causes = case.method(METHOD).get("causes", ())
    by_id = {cause["id"]: cause for cause in causes}
    for cause in causes:
        if not cause["proved"]:
            continue
        if cause["via"] == "address":
            yield _addresses(case, cause, by_id[cause["parent"]])
            continue
        shown = "; ".join(f"line {s['line']}: {s['text']}" for s in cause["statements"])
        condition = cause["condition"]
        kind = "the statements force the failure" if condition is None else "the statements force the decision"
        text = f"{shown} force {'the failure' if condition is None else condition['text'] + ' ' + cause['outcome']}"
        nodes = [case.printed.statement_at(s["line"], s["text"]) for s in cause["statements"]]
        decided = None if condition is None else case.printed.statement_at(condition["line"], condition["text"])
        if None in nodes or (condition is not None and not isinstance(decided, Decision)):
            yield unchecked(METHOD, kind, text, "a statement is in no function of the generated program")
            continue
        yield _forced(case, {n for n in nodes if n is not None}, decided, cause, kind, text)


def _forced(
    case: FailingCase, kept: set[Node], decided: Node | None, cause: Mapping[str, Any], kind: str, text: str
) -> Claim:
    base = _Recorder(case.program, case.inputs)
    run = base.run()
    if decided is None:
        if run.failed is None:
            return unchecked(METHOD, kind, text, "not a failed check")
        wanted: set[tuple[Node, int]] = {(run.failed, base.count[run.failed])}
    else:
        outcome = cause["outcome"].startswith("true")
        wanted = {(decided, k) for k, held in enumerate(base.outcomes[decided], 1) if held == outcome}
        if not wanted:
            return judged(False, METHOD, kind, text, "the condition never had that outcome")
    refutations: list[str] = []
    for target in wanted:  # which instance is meant is not said: one that is forced is enough
        why = _refutation(case, base, kept, target)
        if not why:
            return judged(True, METHOD, kind, text, "")
        refutations.append(why)
    return judged(False, METHOD, kind, text, refutations[0])


def _addresses(case: FailingCase, cause: Mapping[str, Any], parent: Mapping[str, Any]) -> Claim:
    """The statements of a cause force the addresses of the accesses in the cause above it."""
    kind = "the statements force the addresses"
    shown = "; ".join(f"line {s['line']}: {s['text']}" for s in cause["statements"])
    text = f"{shown} force the addresses in {'; '.join(s['text'] for s in parent['statements'])}"
    nodes = [case.printed.statement_at(s["line"], s["text"]) for s in cause["statements"]]
    above = [case.printed.statement_at(s["line"], s["text"]) for s in parent["statements"]]
    if None in nodes or None in above:
        return unchecked(METHOD, kind, text, "a statement is in no function of the generated program")
    base = _Recorder(case.program, case.inputs)
    run = base.run()
    if run.failed is None:
        return unchecked(METHOD, kind, text, "not a failed check")
    # A call may be there only because it leads to what the cause is about: then its arguments are no part of it.
    by_statement = {n: list(_places(n)) for n in above if n is not None and not has_inner_stores(n)}
    accesses = {p for places in by_statement.values() for p in places if base.count[p]}
    kept = {n for n in (*nodes, *above) if n is not None}
    moved: dict[Node, set[int]] = {p: set() for p in accesses}
    for _ in range(PERTURBED_RUNS):
        follower = _Follower(case, base, kept, (run.failed, base.count[run.failed]))
        follower.run()
        for p in accesses:
            moved[p] |= follower.moved[p] if follower.is_admissible else set()
    for places in by_statement.values():  # which access and instance is meant is not said: one is enough
        known = [p for p in places if p in accesses]
        if known and all(len(moved[p]) >= base.count[p] for p in known):
            return judged(False, METHOD, kind, text, f"the access at {case.printed.start[known[0]]} goes elsewhere")
    return judged(True, METHOD, kind, text, "")


def _places(node: Node) -> Iterator[Node]:
    """The accesses of a statement at addresses that are computed."""
    for part in parts(node):
        if isinstance(part, Elem | Elem2 | ElemField | Deref | At) or (isinstance(part, Field) and part.arrow):
            yield part


def _refutation(case: FailingCase, base: _Recorder, kept: set[Node], target: tuple[Node, int]) -> str:
    for _ in range(PERTURBED_RUNS):
        follower = _Follower(case, base, kept, target)
        follower.run()
        if follower.answer is not None and follower.answer != follower.recorded and follower.is_admissible:
            return f"with {follower.done} it comes out otherwise"
    return ""


class _Numbering(Machine):
    """A run whose objects are numbered as they get their first values, which is the same on the same path."""

    made: dict[int, int]  # objects by identity, with the number of each
    objects: list[Object]

    def known(self, base: Object) -> int:
        """The number of an object."""
        if id(base) not in self.made:
            self.made[id(base)] = len(self.objects)
            self.objects.append(base)
        return self.made[id(base)]

    def store(self, node: Node, where: Pointer, value: Value, at: Node | None = None) -> None:
        self.known(where[0])
        super().store(node, where, value, at)


def _deciding_effects(program: Program) -> set[Node]:
    """The parts of conditions that decide whether a call, or `++` or `--`, is executed."""
    found: set[Node] = set()
    for node in walk(program):
        match node:
            case Binary(op="&&" | "||", left=left, right=right) if _has_effect(right):
                found.add(left)
            case Choice(yes=yes, no=no) if _has_effect(yes) or _has_effect(no):
                found.add(node)
            case _:
                pass
    return found


def _has_effect(e: Expr) -> bool:
    return any(isinstance(part, CallExpr | Step) for part in parts(e))


class _Recorder(_Numbering):
    """A run that remembers where its accesses went and how its decisions came out."""

    def __init__(self, program: Any, inputs: Sequence[int]) -> None:
        super().__init__(program, inputs)
        self.count: Counter[Node] = Counter()
        self.places: dict[tuple[Node, int], tuple[int, int]] = {}
        self.outcomes: dict[Node, list[bool]] = {}
        self.choices: dict[Node, list[int]] = {}  # of switches
        self.parts: dict[Node, list[int]] = {}  # of parts of conditions
        self.made = {}
        self.objects = []

    def place(self, p: Place, frame: Frame) -> Pointer:
        found = super().place(p, frame)
        self.count[p] += 1
        self.places[p, self.count[p]] = self.known(found[0]), found[1]
        return found

    def decide(self, s: Decision, cond: Expr, frame: Frame) -> bool:
        held = super().decide(s, cond, frame)
        self.count[s] += 1
        self.outcomes.setdefault(s, []).append(held)
        return held

    def happened(self, event: Event) -> None:
        super().happened(event)
        if isinstance(event, Decided) and not isinstance(event.node, Decision | Switch):
            self.parts.setdefault(event.node, []).append(event.held)

    def choose(self, s: Switch, frame: Frame) -> int:
        chosen = super().choose(s, frame)
        self.count[s] += 1
        self.choices.setdefault(s, []).append(chosen)
        return chosen

    def statement(self, s: Any, frame: Frame) -> None:
        if isinstance(s, Assert):
            self.count[s] += 1
        super().statement(s, frame)


class _Follower(_Numbering):
    """The same path at the same addresses, with anything stored by statements outside of the cause."""

    def __init__(self, case: FailingCase, base: _Recorder, kept: set[Node], target: tuple[Node, int]) -> None:
        self.done: list[str] = []
        rng, values = case.rng, case.values()
        rate = rng.choice((0.3, 0.6, 1.0))

        def anything(node: Node) -> Callable[[Evaluator, Object, int, Value], object]:
            def change(machine: Evaluator, o: Object, index: int, value: Value) -> object:
                if not isinstance(value, int) or rng.random() > rate:
                    return value
                new = rng.choice(values)
                self.done.append(f"{o.shown(index)} = {new} (line {case.printed.line_of(node)})")
                return new

            return change

        others = case.other_statements(kept)
        super().__init__(
            case.program, case.inputs, Changes(stores={n: anything(n) for n in others}, may_overflow=False)
        )
        self.base, self.kept, self.property = base, kept, target
        self.parts: Counter[Node] = Counter()
        self.case_parts = _deciding_effects(case.program)
        self.count: Counter[Node] = Counter()
        self.made = {}
        self.objects = []
        self.answer: bool | None = None
        self.recorded = False
        self.is_admissible = True
        self.moved: defaultdict[Node, set[int]] = defaultdict(set)  # accesses that would go elsewhere

    def place(self, p: Place, frame: Frame) -> Pointer:
        found = super().place(p, frame)
        number = self.known(found[0])
        self.count[p] += 1
        recorded = self.base.places.get((p, self.count[p]))
        if recorded is not None and recorded != (number, found[1]):
            self.moved[p].add(self.count[p])
        if recorded is None or recorded[0] >= len(self.objects):
            return found
        return self.objects[recorded[0]], recorded[1]

    def decide(self, s: Decision, cond: Expr, frame: Frame) -> bool:
        self.current = s
        self.count[s] += 1
        number = self.count[s]
        if isinstance(s, While | For):
            self.rounds[-1][-1] += 1
        outcomes = self.base.outcomes.get(s, [])
        recorded = outcomes[number - 1] if number <= len(outcomes) else False
        if (s, number) == self.property:
            self.answer, self.recorded = self.value(cond, frame) != 0, recorded
            raise _Done
        held = self.value(cond, frame) != 0
        if s in self.kept and held != recorded:
            self.is_admissible = False
        if isinstance(s, DoWhile) and recorded:
            self.rounds[-1][-1] += 1
        return recorded

    def happened(self, event: Event) -> None:
        super().happened(event)
        if isinstance(event, Decided) and event.node in self.case_parts:
            self.parts[event.node] += 1
            recorded = self.base.parts.get(event.node, [])
            number = self.parts[event.node]
            if number > len(recorded) or recorded[number - 1] != event.held:
                self.is_admissible = False  # what the rest of the condition does is not along the path

    def choose(self, s: Switch, frame: Frame) -> int:
        found = super().choose(s, frame)
        self.count[s] += 1
        choices = self.base.choices.get(s, [])
        recorded = choices[self.count[s] - 1] if self.count[s] <= len(choices) else found
        if s in self.kept and found != recorded:
            self.is_admissible = False
        return recorded

    def statement(self, s: Any, frame: Frame) -> None:
        if isinstance(s, Assert):
            self.count[s] += 1
            held = self.value(s.cond, frame) != 0
            if (s, self.count[s]) == self.property:
                self.answer, self.recorded = held, False
                raise _Done
            self.is_admissible = self.is_admissible and (held or s not in self.kept)
            return
        super().statement(s, frame)

    def run(self) -> Any:
        try:
            return super().run()
        except _Done:
            return None


class _Done(Exception):
    """The property was evaluated."""
