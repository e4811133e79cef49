"""Checks of the cause tree: the statements of a cause alone force what they explain.

The run is repeated along its own path and at its own addresses, while every statement outside of the cause stores
anything. The failed check, or the condition, must come out as it did.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from tests.claims.claim_model import Claim, FailingCase, has_inner_stores, judged, unchecked
from tests.claims.compile_program import compiled
from tests.claims.compiled_machine import CompiledMachine
from tests.claims.evaluate_expressions import Evaluator
from tests.claims.run_model import NO_CHANGES, Changes, Frame, Object, Outcome, Pointer, Run, Value
from tests.claims.small_program import (
    Assert,
    At,
    Binary,
    CallExpr,
    Choice,
    Decision,
    DeclareObject,
    Deref,
    Elem,
    Elem2,
    ElemField,
    Expr,
    Field,
    Node,
    Place,
    Program,
    Step,
    Switch,
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
    base, run = recorded_path(case.program, case.inputs)
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
    base, run = recorded_path(case.program, case.inputs)
    if run.failed is None:
        return unchecked(METHOD, kind, text, "not a failed check")
    target = _end_of(case, base, parent) or (run.failed, base.count[run.failed])
    kept = {n for n in (*nodes, *above) if n is not None}
    until = _Follower(case, base, kept, target, set(), ())  # as it was, so far as the cause above is about
    until.run()
    # A call may be there only because it leads to what the cause is about: then its arguments are no part of it.
    by_statement = {n: list(_places(n)) for n in above if n is not None and not has_inner_stores(n)}
    accesses = {p for places in by_statement.values() for p in places if until.count[p]}
    moved: dict[Node, set[int]] = {p: set() for p in accesses}
    for follower in _followers(case, base, kept, target):
        for p in accesses:
            moved[p] |= follower.moved[p] if follower.is_admissible else set()
    for places in by_statement.values():  # which access and instance is meant is not said: one is enough
        known = [p for p in places if p in accesses]
        if known and all(len(moved[p]) >= until.count[p] for p in known):
            return judged(False, METHOD, kind, text, f"the access at {case.printed.start[known[0]]} goes elsewhere")
    return judged(True, METHOD, kind, text, "")


def _end_of(case: FailingCase, base: _Recorder, cause: Mapping[str, Any]) -> tuple[Node, int] | None:
    """The last instance of the condition that a cause explains, with its number; None when it explains none."""
    condition = cause["condition"]
    node = None if condition is None else case.printed.statement_at(condition["line"], condition["text"])
    if not isinstance(node, Decision):
        return None
    outcome = cause["outcome"].startswith("true")
    numbers = [k for k, held in enumerate(base.outcomes.get(node, []), 1) if held == outcome]
    return (node, numbers[-1]) if numbers else None


def _places(node: Node) -> Iterator[Node]:
    """The accesses of a statement at addresses that are computed."""
    for part in parts(node):
        if isinstance(part, Elem | Elem2 | ElemField | Deref | At) or (isinstance(part, Field) and part.arrow):
            yield part


def _refutation(case: FailingCase, base: _Recorder, kept: set[Node], target: tuple[Node, int]) -> str:
    for follower in _followers(case, base, kept, target):
        if follower.answer is not None and follower.answer != follower.recorded and follower.is_admissible:
            return f"with {follower.done} it comes out otherwise"
    return ""


def _followers(case: FailingCase, base: _Recorder, kept: set[Node], target: tuple[Node, int]) -> Iterator[_Follower]:
    """Runs along the path to the target, each with other values."""
    others, values = case.other_statements(kept), case.values()
    for _ in range(PERTURBED_RUNS):
        follower = _Follower(case, base, kept, target, others, values)
        follower.run()
        yield follower


class _Numbering(CompiledMachine):
    """A run whose objects are numbered as they get their first values, which is the same on the same path."""

    def __init__(self, program: Program, inputs: Sequence[int], changes: Changes) -> None:
        bodies = compiled(program, follows=True)
        assert bodies is not None  # of what gcc takes, all is compiled here too
        super().__init__(program, inputs, changes, bodies)
        self.made: dict[int, int] = {}  # objects by identity, with the number of each
        self.objects: list[Object] = []

    def known(self, base: Object) -> int:
        """The number of an object."""
        if id(base) not in self.made:
            self.made[id(base)] = len(self.objects)
            self.objects.append(base)
        return self.made[id(base)]

    def store(self, node: Node, where: Pointer, value: Value, at: Node | None = None) -> None:
        self.known(where[0])
        super().store(node, where, value, at)

    def pass_argument(self, node: Node, made: Object, value: Value) -> None:
        self.known(made)
        super().pass_argument(node, made, value)

    def declared(self, s: DeclareObject, frame: Frame, rounds: tuple[int, ...]) -> Object:
        made = super().declared(s, frame, rounds)
        self.known(made)
        return made

    def copy_struct(self, node: Node, source: Pointer, target: Pointer) -> None:
        self.known(target[0])
        super().copy_struct(node, source, target)

    def put(
        self, node: Node, part: Node | None, where: Pointer, value: Value, at: Node, rounds: tuple[int, ...]
    ) -> None:
        self.known(where[0])
        super().put(node, part, where, value, at, rounds)


@lru_cache(maxsize=4)
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

    def __init__(self, program: Program, inputs: Sequence[int]) -> None:
        super().__init__(program, inputs, NO_CHANGES)
        self.count: Counter[Node] = Counter()
        self.places: dict[tuple[Node, int], tuple[int, int]] = {}
        self.outcomes: dict[Node, list[bool]] = {}
        self.choices: dict[Node, list[int]] = {}  # of switches
        self.parts: dict[Node, list[bool]] = {}  # of parts of conditions

    def placed(self, p: Place, found: Pointer) -> Pointer:
        self.count[p] += 1
        self.places[p, self.count[p]] = self.known(found[0]), found[1]
        return found

    def came_out(self, s: Decision, held: bool, rounds: tuple[int, ...]) -> bool:
        self.count[s] += 1
        self.outcomes.setdefault(s, []).append(held)
        return held

    def part_came_out(self, e: Expr, held: bool) -> bool:
        self.parts.setdefault(e, []).append(held)
        return held

    def chosen(self, s: Switch, case: int, rounds: tuple[int, ...]) -> int:
        self.count[s] += 1
        self.choices.setdefault(s, []).append(case)
        return case

    def checked(self, s: Assert, held: bool) -> None:
        self.count[s] += 1
        super().checked(s, held)


def recorded_path(program: Program, inputs: Sequence[int]) -> tuple[_Recorder, Run]:
    """Where the accesses of a run went and how its decisions came out, and the run."""
    recorder = _Recorder(program, inputs)
    return recorder, recorder.run()


class _Follower(_Numbering):
    """The same path at the same addresses, with anything stored by statements outside of the cause."""

    def __init__(
        self,
        case: FailingCase,
        base: _Recorder,
        kept: set[Node],
        target: tuple[Node, int],
        others: set[Node],
        values: Sequence[int],
    ) -> None:
        self.done: list[str] = []
        rng = case.rng
        rate = rng.choice((0.3, 0.6, 1.0))

        def anything(node: Node) -> Callable[[Evaluator, Object, int, Value], object]:
            def change(machine: Evaluator, o: Object, index: int, value: Value) -> object:
                if not isinstance(value, int) or rng.random() > rate:
                    return value
                new = rng.choice(values)
                self.done.append(f"{o.shown(index)} = {new} (line {case.printed.line_of(node)})")
                return new

            return change

        changes = Changes(stores={n: anything(n) for n in others}, may_overflow=False)
        super().__init__(case.program, case.inputs, changes)
        self.base, self.kept, self.property = base, kept, target
        self.parts: Counter[Node] = Counter()
        self.case_parts = _deciding_effects(case.program)
        self.count: Counter[Node] = Counter()
        self.answer: bool | None = None
        self.recorded = False
        self.is_admissible = True
        self.moved: defaultdict[Node, set[int]] = defaultdict(set)  # accesses that would go elsewhere

    def placed(self, p: Place, found: Pointer) -> Pointer:
        number = self.known(found[0])
        self.count[p] += 1
        recorded = self.base.places.get((p, self.count[p]))
        if recorded is not None and recorded != (number, found[1]):
            self.moved[p].add(self.count[p])
        if recorded is None or recorded[0] >= len(self.objects):
            return found
        return self.objects[recorded[0]], recorded[1]

    def came_out(self, s: Decision, held: bool, rounds: tuple[int, ...]) -> bool:
        self.count[s] += 1
        number = self.count[s]
        outcomes = self.base.outcomes.get(s, [])
        recorded = outcomes[number - 1] if number <= len(outcomes) else False
        if (s, number) == self.property:
            self.answer, self.recorded = held, recorded
            raise _Done
        if s in self.kept and held != recorded:
            self.is_admissible = False
        return recorded

    def part_came_out(self, e: Expr, held: bool) -> bool:
        if e in self.case_parts:
            self.parts[e] += 1
            recorded = self.base.parts.get(e, [])
            number = self.parts[e]
            if number > len(recorded) or recorded[number - 1] != held:
                self.is_admissible = False  # what the rest of the condition does is not along the path
        return held

    def chosen(self, s: Switch, case: int, rounds: tuple[int, ...]) -> int:
        self.count[s] += 1
        choices = self.base.choices.get(s, [])
        recorded = choices[self.count[s] - 1] if self.count[s] <= len(choices) else case
        if s in self.kept and case != recorded:
            self.is_admissible = False
        return recorded

    def checked(self, s: Assert, held: bool) -> None:
        self.count[s] += 1
        if (s, self.count[s]) == self.property:
            self.answer, self.recorded = held, False
            raise _Done
        self.is_admissible = self.is_admissible and (held or s not in self.kept)

    def run(self) -> Run:
        try:
            return super().run()
        except _Done:
            return Run(Outcome.PASSED, ())


class _Done(Exception):
    """The property was evaluated."""
