"""Random small programs that fail for some of their inputs."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace

from tests.claims.claim_model import is_failure
from tests.claims.evaluate_expressions import Evaluator
from tests.claims.generate_small import SmallGenerator
from tests.claims.generate_wide import WideGenerator
from tests.claims.program_shapes import SHAPES, Shape, shaped
from tests.claims.run_model import Changes, Frame, Outcome, Stored
from tests.claims.run_program import all_inputs, run_program
from tests.claims.small_program import (
    ARRAY_LENGTH,
    STRUCT_FIELDS,
    Assert,
    Assign,
    Binary,
    Elem,
    Elem2,
    ElemField,
    Expr,
    Field,
    InputStyle,
    Num,
    Program,
    Return,
    Statement,
    Var,
)
from tests.claims.wide_shapes import wide_shaped

_STYLES: tuple[InputStyle, ...] = ("nondet", "nondet", "atoi", "getchar", "scanf")
MAX_INPUTS = 64  # combinations: all of them are run again and again
CHECKS_TRIED = 4  # until the failure depends on the inputs; some failures may happen whatever comes in
KINDS = ("c", "wide", "boogie")  # wide: C with the rest of the language
SHAPED = 4  # every so many C programs, plain and wide, is of a given shape
ATTEMPTS = 50  # to make a program that fails for some input


def generate(seed: int, kind: str) -> Program:
    """A program that fails for at least one of its inputs."""
    rng = random.Random(f"{kind} {seed}")
    if kind == "c" and seed % SHAPED == 0:
        return failing_shape(rng)
    if kind == "wide" and seed % SHAPED == 0:
        return _fit_shape(rng)
    for _ in range(ATTEMPTS):
        found = _attempt(rng, kind)
        if found is not None:
            return found
    raise AssertionError(f"no program for seed {seed}")


def failing_shape(rng: random.Random, shapes: Sequence[Shape] = SHAPES) -> Program:
    """A program of one of the shapes that fails for some input."""
    while True:
        program = shaped(rng, shapes)
        if any(is_failure(run_program(program, i)) for i in all_inputs(program)):
            return program


def _fit_shape(rng: random.Random) -> Program:
    """A wide program of one of the shapes that fails for some input."""
    while True:
        program = wide_shaped(rng)
        if is_fit(endings(program)):
            return program


def _without_check(rng: random.Random, kind: str, domains: tuple[int, ...]) -> Program:
    """A program, in one of the three kinds, that is not checked yet."""
    if kind == "wide":
        return replace(WideGenerator(rng).program(domains), style=rng.choice(_STYLES))
    g = SmallGenerator(rng, kind)
    for _ in range(rng.choice((0, 0, 1, 1, 2))):
        g.functions.append(g.function())
    main = g.main(domains)
    style = rng.choice(_STYLES) if kind == "c" else "nondet"
    return Program("c" if kind == "c" else "boogie", [*g.functions, main], domains, style)


def endings(program: Program, changes: Changes | None = None) -> set[str]:
    """How a program ends with its inputs: the outcomes, and what is undefined."""
    changes = changes or Changes(may_overflow=not program.is_wide)
    runs = [run_program(program, i, changes) for i in all_inputs(program)]
    return {r.why or r.outcome.value for r in runs}


def is_fit(ends: set[str]) -> bool:
    """Whether a program that ends so is of use: it fails, and does nothing undefined but divide by zero."""
    failing = {Outcome.FAILED.value, "division"}
    return bool(ends & failing) and ends <= failing | {Outcome.PASSED.value}


def _attempt(rng: random.Random, kind: str) -> Program | None:
    domains = tuple(rng.choice((2, 4, 4, 8)) for _ in range(rng.choice((1, 1, 2, 2, 3))))
    while math.prod(domains) > MAX_INPUTS:
        domains = domains[:-1]
    program = _without_check(rng, kind, domains)
    main = program.main
    inputs = rng.choice(all_inputs(program))
    values: dict[str, tuple[Expr, int]] = {}

    def observe(machine: Evaluator, event: object) -> None:
        if isinstance(event, Stored) and isinstance(event.value, int) and event.object.function in ("main", ""):
            name = event.object.name
            if name.startswith("i"):
                return
            shown: Expr = Var(name)
            if event.object.kind == "array":
                shown = Elem(name, Num(event.index))
            elif event.object.kind == "struct":
                shown = Field(name, STRUCT_FIELDS[event.index])
            elif event.object.kind == "matrix":
                shown = Elem2(name, Num(event.index // ARRAY_LENGTH), Num(event.index % ARRAY_LENGTH))
            elif event.object.kind == "structs":
                number, member = divmod(event.index, len(STRUCT_FIELDS))
                shown = ElemField(name, Num(number), STRUCT_FIELDS[member])
            values[event.object.shown(event.index)] = (shown, event.value)

    if run_program(program, inputs, Changes(observe=observe)).outcome is not Outcome.PASSED:
        return None
    recent = dict(list(values.items())[-5:]) if rng.random() < 0.7 else values
    best: Program | None = None
    for _ in range(CHECKS_TRIED):
        check = _check(rng, recent)
        if check is None:
            return None
        ending: list[Statement] = [Assert(check), *([Return(Num(0))] if program.language == "c" else [])]
        whole = replace(program, functions=[*program.functions[:-1], replace(main, body=[*main.body, *ending])])
        ends = endings(whole)
        if not is_fit(ends):
            continue
        best = whole
        if Outcome.PASSED.value in ends:
            break
    return with_more_checks(rng, best) if best is not None and rng.random() < 0.4 else best


def with_more_checks(rng: random.Random, program: Program) -> Program:
    """The program with another check in main that holds for all inputs."""
    body = program.main.body
    names = {s.target.name for s in body if isinstance(s, Assign) and isinstance(s.target, Var)}
    at = rng.randrange(len(body) - 1)
    cond = Binary(rng.choice(("<=", ">=", "!=")), Var(rng.choice(sorted(names))), Num(0))
    check = Assert(cond)
    whole = replace(
        program, functions=[*program.functions[:-1], replace(program.main, body=[*body[:at], check, *body[at:]])]
    )
    seen: list[int] = []

    def note(machine: Evaluator, e: Expr, frame: Frame) -> int:
        seen.append(machine.number(cond.left, frame))
        return 1

    ends = endings(whole, Changes(values={cond: note}, may_overflow=not program.is_wide))
    if not is_fit(ends | {Outcome.FAILED.value}) or not seen:
        return program
    bound = {"<=": max(seen), ">=": min(seen), "!=": max(seen) + 1}[cond.op]
    cond.right = Num(bound)
    return whole


def _check(rng: random.Random, s_values: dict[str, tuple[Expr, int]]) -> Expr | None:
    """A condition that is false for the values at the end of one run."""
    if not s_values:
        return None
    parts: list[Expr] = []
    for _ in range(rng.choice((1, 1, 2, 2, 3))):
        place, value = rng.choice(list(s_values.values()))
        kind = rng.random()
        if kind < 0.5:
            parts.append(Binary("!=", place, Num(value)))
        elif kind < 0.7:
            parts.append(Binary("<", place, Num(value - rng.randint(0, 1))))
        elif kind < 0.9:
            parts.append(Binary(">", place, Num(value + rng.randint(0, 1))))
        else:
            parts.append(Binary("==", place, Num(value + rng.choice((-1, 1, 2)))))
    found = parts[0]
    for part in parts[1:]:
        found = Binary("||" if rng.random() < 0.7 else "&&", found, part)
    return found
