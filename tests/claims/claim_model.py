"""Claims of a report, and what came of checking them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import Any

from tests.claims.evaluate_expressions import Evaluator
from tests.claims.print_program import Printed
from tests.claims.run_model import NOT_DECLARED, Outcome, Pointer, Run, Stored, Undefined, Value
from tests.claims.run_program import all_inputs, run_program
from tests.claims.small_program import (
    STRUCT_FIELDS,
    Assert,
    Call,
    CallExpr,
    Decision,
    Jump,
    Node,
    Program,
    Return,
    Step,
    Switch,
)
from tests.claims.walk_program import constants, initialisers, parts


class Verdict(Enum):
    """What the check of a claim gave."""

    HELD = "checked"
    REFUTED = "refuted"
    UNCHECKED = "not checked"


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim. `reason`: what refutes it, or why it cannot be checked."""

    method: str
    kind: str
    text: str
    verdict: Verdict
    reason: str = ""


def held(method: str, kind: str, text: str) -> Claim:
    """A claim that the check confirms."""
    return Claim(method, kind, text, Verdict.HELD)


def refuted(method: str, kind: str, text: str, reason: str) -> Claim:
    """A claim that the check refutes."""
    return Claim(method, kind, text, Verdict.REFUTED, reason)


def unchecked(method: str, kind: str, text: str, reason: str) -> Claim:
    """A claim for which there is no check."""
    return Claim(method, kind, text, Verdict.UNCHECKED, reason)


def judged(is_right: bool, method: str, kind: str, text: str, reason: str) -> Claim:
    """A claim that was checked."""
    return held(method, kind, text) if is_right else refuted(method, kind, text, reason)


@dataclass(frozen=True, slots=True)
class PointerTo:
    """An address by the name of its variable, which means the same in every run."""

    name: str
    index: int = 0  # of the cell
    element: int = 0  # of an array, besides


@dataclass(eq=False)
class FailingCase:
    """A failing run of a program, and what butfor says about it."""

    printed: Printed
    inputs: tuple[int, ...]
    report: Mapping[str, Any]
    run: Run
    rng: random.Random
    is_pinned: bool = False  # the answer is about the recorded inputs only
    asked_with: str = ""  # options beside the usual ones
    same_path: list[tuple[int, ...]] = field(default_factory=list)
    same_failure: list[tuple[int, ...]] = field(default_factory=list)  # what the failure does not depend on may differ

    @property
    def program(self) -> Program:
        """The program."""
        return self.printed.program

    def method(self, name: str) -> Mapping[str, Any]:
        """What a method says."""
        found: Mapping[str, Any] = self.report["methods"].get(name, {})
        return found

    def reasons(self, method: str) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
        """The rows of the ranking with the reasons that a method gives."""
        for row in self.report["ranking"]:
            for reason in row["reasons"]:
                if reason["method"] == method:
                    yield row, reason

    def values(self) -> list[int]:
        """Values that are worth a try: small ones, those around the constants of the program, some others."""
        written = constants(self.program)
        near = {v + d for v in written for d in (-1, 0, 1)}
        random_ones = {self.rng.randint(-100, 100) for _ in range(3)}
        return sorted(near | set(range(-4, 12)) | random_ones | {-1000, 1000, 2**31 - 1, -(2**31)})

    def more_values(self) -> list[int]:
        """All small values, and what the constants of the program can give: for what is not found among the others."""
        written = sorted(constants(self.program))
        made = {s * a + d for a in written for s in (-3, -2, -1, 1, 2, 3) for d in range(-3, 4)}
        made |= {a + b for a in written for b in written} | {a - b for a in written for b in written}
        return sorted(made | set(range(-40, 60)) | set(self.values()))

    def stored(self, node: Node) -> list[tuple[int, Stored]]:
        """What a statement stored in the failing run, with the number of events before it."""
        return [(k, e) for k, e in enumerate(self.run.events) if isinstance(e, Stored) and e.node is node]

    def other_statements(self, kept: set[Node]) -> set[Node]:
        """The statements of the failing run that stored something and are not kept.

        Results that are returned stay as they are, and so do the initial values of variables that live as long as the
        program: those are no steps of the run.
        """
        stored: set[Node] = {
            e.node for e in self.run.events if isinstance(e, Stored) and not isinstance(e.node, Return)
        }
        return stored - kept - {declared for _, declared in initialisers(self.program)}

    def cells(self) -> list[PointerTo]:
        """The cells of variables in the failing run, by name."""
        seen = {(e.object.name, e.index): None for e in self.run.events if isinstance(e, Stored)}
        return [PointerTo(name, index) for name, index in seen]


def failing_case(
    printed: Printed,
    inputs: tuple[int, ...],
    report: Mapping[str, Any],
    seed: str,
    settings: Mapping[str, Any] = MappingProxyType({}),
) -> FailingCase:
    """The case for a report; the run is the interpreter's own."""
    run = run_program(printed.program, inputs)
    case = FailingCase(printed, inputs, report, run, random.Random(seed), settings.get("inputs") == "pinned")
    case.asked_with = ", ".join(f"{name}={value}" for name, value in settings.items())
    others = [(i, run_program(printed.program, i)) for i in all_inputs(printed.program) if i != inputs]
    case.same_path = [i for i, other in others if other.is_same_failure_along_same_path(run)]
    case.same_failure = [i for i, other in others if other.fails_like(run)]
    return case


def is_failure(run: Run) -> bool:
    """Whether a run ended in a failure of any kind."""
    return run.outcome in (Outcome.FAILED, Outcome.UNDEFINED, Outcome.ENDLESS)


def is_modelled(node: Node) -> bool:
    """Whether a statement can be changed by the values that it stores, or by its outcome."""
    return not isinstance(node, Jump | Switch | Assert) and not (isinstance(node, Decision) and has_inner_stores(node))


def has_inner_stores(node: Node) -> bool:
    """Whether a statement passes arguments, or has a `++` or `--` in it, beside what it stores itself."""
    return any(isinstance(part, Call | CallExpr | Step) and part is not node for part in (node, *parts(node)))


def resolved(machine: Evaluator, value: int | PointerTo) -> Value:
    """A value in a run: addresses are those of its own variables."""
    if isinstance(value, int):
        return value
    frames = [frame for _, frame in reversed(machine.frames)]
    for frame in (*frames, machine.statics, machine.globals):
        if value.name in frame:
            base = frame[value.name]
            width = len(STRUCT_FIELDS) if base.kind == "structs" else 1
            found: Pointer = (base, value.index + value.element * width)
            return found
    raise Undefined(NOT_DECLARED, machine.program.main.body[0])
