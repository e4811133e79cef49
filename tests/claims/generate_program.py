"""Random small programs that fail for some of their inputs."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from tests.claims.claim_model import is_failure
from tests.claims.program_shapes import SHAPES, Shape, shaped
from tests.claims.run_program import Changes, Frame, Machine, Outcome, Stored, all_inputs, run_program
from tests.claims.small_program import (
    ARRAY_LENGTH,
    STRUCT_FIELDS,
    Address,
    Assert,
    Assign,
    Binary,
    Call,
    Choice,
    DeclareObject,
    Deref,
    Elem,
    Expr,
    Field,
    For,
    Function,
    Havoc,
    If,
    Input,
    InputStyle,
    Num,
    Place,
    Program,
    Return,
    Statement,
    Unary,
    Var,
    While,
)

_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
_STYLES: tuple[InputStyle, ...] = ("nondet", "nondet", "atoi", "getchar", "scanf")
MAX_INPUTS = 64  # combinations: all of them are run again and again
CHECKS_TRIED = 4  # until the failure depends on the inputs; some failures may happen whatever comes in
SHAPED = 4  # every so many C programs is of a given shape
ATTEMPTS = 50  # to make a program that fails for some input


@dataclass
class _Scope:
    """The names that a function may use."""

    numbers: list[str] = field(default_factory=list)  # may be assigned
    constants: list[str] = field(default_factory=list)  # may only be read: loop variables, parameters of Boogie
    arrays: list[str] = field(default_factory=list)
    structs: list[str] = field(default_factory=list)
    pointers: list[str] = field(default_factory=list)  # to int
    struct_pointers: list[str] = field(default_factory=list)
    indexes: list[str] = field(default_factory=list)  # known to be within the arrays


class _Generator:
    def __init__(self, rng: random.Random, language: str) -> None:
        self.rng = rng
        self.is_c = language == "c"
        self.functions: list[Function] = []
        self.used = 0

    def fresh(self, prefix: str) -> str:
        self.used += 1
        return f"{prefix}{self.used}"

    # --- expressions --------------------------------------------------------------------------------------------------

    def atom(self, s: _Scope) -> Expr:
        rng = self.rng
        names = s.numbers + s.constants
        options: list[Callable[[], Expr]] = [lambda: Num(rng.randint(0, 7))]
        if names:
            options += [lambda: Var(rng.choice(names))] * 4
        if s.arrays:
            options += [lambda: Elem(rng.choice(s.arrays), self.index(s))] * 2
        if s.structs:
            options += [lambda: Field(rng.choice(s.structs), rng.choice(STRUCT_FIELDS))] * 2
        if s.pointers:
            options += [lambda: Deref(rng.choice(s.pointers))]
        if s.struct_pointers:
            options += [lambda: Field(rng.choice(s.struct_pointers), rng.choice(STRUCT_FIELDS), True)]
        return rng.choice(options)()

    def index(self, s: _Scope) -> Expr:
        rng = self.rng
        options: list[Callable[[], Expr]] = [lambda: Num(rng.randrange(ARRAY_LENGTH))]
        if s.indexes:
            options += [lambda: Var(rng.choice(s.indexes))] * 3
        names = s.numbers + s.constants
        if self.is_c and names:
            options += [lambda: Binary("&", Var(rng.choice(names)), Num(3))] * 2
        return rng.choice(options)()

    def number(self, s: _Scope, depth: int = 2) -> Expr:
        rng = self.rng
        if depth == 0 or rng.random() < 0.4:
            return self.atom(s)
        kind = rng.random()
        if kind < 0.65:
            return Binary(rng.choice("++-"), self.number(s, depth - 1), self.number(s, depth - 1))
        if kind < 0.75:
            return Binary("*", self.atom(s), Num(rng.randint(2, 3)))
        if kind < 0.8:
            return Unary("-", self.atom(s))
        if not self.is_c:
            return Binary("+", self.atom(s), Num(rng.randint(1, 3)))
        if kind < 0.9:
            return Binary(rng.choice("&|^"), self.number(s, depth - 1), Num(rng.randint(1, 7)))
        if kind < 0.95:
            return Choice(self.condition(s, 0), self.atom(s), self.atom(s))
        return Binary(rng.choice(_COMPARISONS), self.atom(s), self.atom(s))

    def condition(self, s: _Scope, depth: int = 1) -> Expr:
        rng = self.rng
        if depth and rng.random() < 0.35:
            return Binary(rng.choice(("&&", "||")), self.condition(s, depth - 1), self.condition(s, depth - 1))
        if depth and rng.random() < 0.1:
            return Unary("!", Binary(rng.choice(_COMPARISONS), self.atom(s), self.atom(s)))
        right = Num(rng.randint(0, 6)) if rng.random() < 0.7 else self.atom(s)
        return Binary(rng.choice(_COMPARISONS), self.number(s, 1), right)

    # --- statements ---------------------------------------------------------------------------------------------------

    def place(self, s: _Scope) -> Place:
        rng = self.rng
        options: list[Callable[[], Place]] = [lambda: Var(rng.choice(s.numbers))] * 4
        if s.arrays:
            options += [lambda: Elem(rng.choice(s.arrays), self.index(s))] * 2
        if s.structs:
            options += [lambda: Field(rng.choice(s.structs), rng.choice(STRUCT_FIELDS))]
        if s.pointers:
            options += [lambda: Deref(rng.choice(s.pointers))] * 2
        if s.struct_pointers:
            options += [lambda: Field(rng.choice(s.struct_pointers), rng.choice(STRUCT_FIELDS), True)]
        return rng.choice(options)()

    def address(self, s: _Scope) -> Address:
        rng = self.rng
        options: list[Callable[[], Place]] = []
        if s.numbers:
            options += [lambda: Var(rng.choice(s.numbers))] * 2
        if s.arrays:
            options += [lambda: Elem(rng.choice(s.arrays), self.index(s))]
        if s.structs:
            options += [lambda: Field(rng.choice(s.structs), rng.choice(STRUCT_FIELDS))]
        return Address(rng.choice(options)())

    def simple(self, s: _Scope) -> Statement:
        rng = self.rng
        if s.pointers and rng.random() < 0.12:
            return Assign(Var(rng.choice(s.pointers)), self.address(s))
        if self.functions and rng.random() < 0.15:
            return self.call(s)
        return Assign(self.place(s), self.number(s))

    def call(self, s: _Scope) -> Statement:
        rng = self.rng
        f = rng.choice(self.functions)
        arguments: list[Expr] = []
        for kind, _ in f.parameters:
            if kind == "int *":
                arguments.append(Var(rng.choice(s.pointers)) if s.pointers and rng.random() < 0.3 else self.address(s))
            elif kind == "struct S *":
                if not s.structs:
                    return Assign(self.place(s), self.number(s))
                arguments.append(Address(Var(rng.choice(s.structs))))
            else:
                arguments.append(self.number(s, 1))
        return Call(Var(rng.choice(s.numbers)), f.name, tuple(arguments))

    def body(self, s: _Scope, size: int, depth: int) -> list[Statement]:
        return [new for _ in range(size) for new in self.statement(s, depth)]

    def statement(self, s: _Scope, depth: int) -> list[Statement]:
        rng = self.rng
        kind = rng.random()
        if depth and kind < 0.3:
            then = self.body(s, rng.randint(1, 2), depth - 1)
            orelse = self.body(s, 1, depth - 1) if rng.random() < 0.35 else []
            return [If(self.condition(s), then, orelse)]
        if depth and kind < 0.42:
            return self.loop(s, depth)
        return [self.simple(s)]

    def loop(self, s: _Scope, depth: int) -> list[Statement]:
        rng = self.rng
        i = self.fresh("i")
        bound: Expr = Num(rng.randint(1, ARRAY_LENGTH))
        if s.indexes and rng.random() < 0.4:
            bound = Var(rng.choice(s.indexes))
        inner = _Scope(
            list(s.numbers),
            [*s.constants, i],
            s.arrays,
            s.structs,
            s.pointers,
            s.struct_pointers,
            [*s.indexes, i],
        )
        body = self.body(inner, rng.randint(1, 2), depth - 1)
        up = Binary("+", Var(i), Num(1))
        if self.is_c and rng.random() < 0.7:
            return [For(Assign(Var(i), Num(0), "int"), Binary("<", Var(i), bound), Assign(Var(i), up), body)]
        first = Assign(Var(i), Num(0), "int" if self.is_c else "")
        return [first, While(Binary("<", Var(i), bound), [*body, Assign(Var(i), up)])]

    # --- functions ----------------------------------------------------------------------------------------------------

    def function(self) -> Function:
        rng = self.rng
        name = self.fresh("f")
        if not self.is_c:
            p, q, r = self.fresh("p"), self.fresh("q"), self.fresh("r")
            scope = _Scope([r], [p, q])
            first: list[Statement] = [Assign(Var(r), self.number(_Scope([], [p, q])))]
            return Function(name, (("int", p), ("int", q)), first + self.body(scope, rng.randint(0, 2), 1), r)
        p, r = self.fresh("p"), self.fresh("r")
        parameters = [("int", p)]
        scope = _Scope([p])
        if rng.random() < 0.5:
            q = self.fresh("q")
            kind = rng.choice(("int *", "int *", "struct S *"))
            parameters.append((kind, q))
            (scope.pointers if kind == "int *" else scope.struct_pointers).append(q)
        body: list[Statement] = [Assign(Var(r), self.number(scope), "int")]
        scope.numbers.append(r)
        inner = scope if rng.random() < 0.6 else _Scope(scope.numbers, struct_pointers=scope.struct_pointers)
        for s in self.body(inner, rng.randint(0, 2), 1):
            if not (isinstance(s, Assign) and isinstance(s.value, Address)):
                body.append(s)
        if rng.random() < 0.2:
            body.insert(1, If(self.condition(scope), [Return(self.atom(scope))], []))
        return Function(name, tuple(parameters), [*body, Return(Var(r))])

    def main(self, domains: tuple[int, ...]) -> Function:
        rng = self.rng
        s = _Scope()
        body: list[Statement] = []
        early = len(domains) - (len(domains) > 1 and rng.random() < 0.4)
        for number in range(early):
            body.append(self.read_input(s, number, domains[number]))
        for _ in range(rng.randint(2, 3)):
            x = self.fresh("x")
            body.append(
                Assign(Var(x), self.number(s, 1) if rng.random() < 0.3 else Num(rng.randint(0, 6)), self.declared_int)
            )
            s.numbers.append(x)
        if rng.random() < 0.5:
            t = self.fresh("t")
            values = tuple(rng.randint(0, 5) for _ in range(ARRAY_LENGTH))
            if self.is_c:
                body.append(DeclareObject(t, values))
            else:
                body += [Assign(Elem(t, Num(k)), Num(v)) for k, v in enumerate(values)]
            s.arrays.append(t)
        if self.is_c and rng.random() < 0.4:
            v = self.fresh("s")
            body.append(DeclareObject(v, tuple(rng.randint(0, 5) for _ in STRUCT_FIELDS), is_struct=True))
            s.structs.append(v)
        if self.is_c and rng.random() < 0.5:
            p = self.fresh("p")
            body.append(Assign(Var(p), self.address(s), "int *"))
            s.pointers.append(p)
        body += self.body(s, rng.randint(1, 3), 2)
        for number in range(early, len(domains)):
            body.append(self.read_input(s, number, domains[number]))
        body += self.body(s, rng.randint(1, 3), 2)
        return Function("main", (), body)

    def read_input(self, s: _Scope, number: int, size: int) -> Statement:
        n = self.fresh("n")
        if size <= ARRAY_LENGTH and self.rng.random() < 0.6:
            s.constants.append(n)
            s.indexes.append(n)
        else:
            s.numbers.append(n)
        if self.is_c:
            return Assign(Var(n), Binary("&", Input(number), Num(size - 1)), "int")
        return Havoc(n, number, size - 1)

    @property
    def declared_int(self) -> str:
        return "int" if self.is_c else ""

    def check(self, program: Program, s_values: dict[str, tuple[Expr, int]]) -> Expr | None:
        """A condition that is false for the values at the end of one run."""
        rng = self.rng
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


def generate(seed: int, language: str) -> Program:
    """A program that fails for at least one of its inputs."""
    rng = random.Random(f"{language} {seed}")
    if language == "c" and seed % SHAPED == 0:
        return failing_shape(rng)
    for _ in range(ATTEMPTS):
        found = _attempt(rng, language)
        if found is not None:
            return found
    raise AssertionError(f"no program for seed {seed}")


def failing_shape(rng: random.Random, shapes: Sequence[Shape] = SHAPES) -> Program:
    """A program of one of the shapes that fails for some input."""
    while True:
        program = shaped(rng, shapes)
        if any(is_failure(run_program(program, i)) for i in all_inputs(program)):
            return program


def _attempt(rng: random.Random, language: str) -> Program | None:
    g = _Generator(rng, language)
    domains = tuple(rng.choice((2, 4, 4, 8)) for _ in range(rng.choice((1, 1, 2, 2, 3))))
    while _size(domains) > MAX_INPUTS:
        domains = domains[:-1]
    for _ in range(rng.choice((0, 0, 1, 1, 2))):
        g.functions.append(g.function())
    main = g.main(domains)
    style = rng.choice(_STYLES) if language == "c" else "nondet"
    program = Program("c" if language == "c" else "boogie", [*g.functions, main], domains, style)
    inputs = rng.choice(all_inputs(program))
    values: dict[str, tuple[Expr, int]] = {}

    def observe(machine: Machine, event: object) -> None:
        if isinstance(event, Stored) and isinstance(event.value, int) and event.object.function == "main":
            name = event.object.name
            if name.startswith("i"):
                return
            shown: Expr = Var(name)
            if event.object.kind == "array":
                shown = Elem(name, Num(event.index))
            elif event.object.kind == "struct":
                shown = Field(name, STRUCT_FIELDS[event.index])
            values[event.object.shown(event.index)] = (shown, event.value)

    if run_program(program, inputs, Changes(observe=observe)).outcome is not Outcome.PASSED:
        return None
    recent = dict(list(values.items())[-5:]) if rng.random() < 0.7 else values
    best: Program | None = None
    for _ in range(CHECKS_TRIED):
        check = g.check(program, recent)
        if check is None:
            return None
        ending: list[Statement] = [Assert(check), *([Return(Num(0))] if language == "c" else [])]
        whole = replace(program, functions=[*g.functions, replace(main, body=[*main.body, *ending])])
        ends = {run_program(whole, i).outcome for i in all_inputs(whole)}
        if Outcome.UNDEFINED in ends or Outcome.ENDLESS in ends or Outcome.FAILED not in ends:
            continue
        best = whole
        if Outcome.PASSED in ends:
            break
    return _with_more_checks(rng, best) if best is not None and rng.random() < 0.4 else best


def _with_more_checks(rng: random.Random, program: Program) -> Program:
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

    def note(machine: Machine, e: Expr, frame: Frame) -> int:
        seen.append(machine.number(cond.left, frame))
        return 1

    ends = {run_program(whole, i, Changes(values={cond: note})).outcome for i in all_inputs(whole)}
    if Outcome.UNDEFINED in ends or not seen:
        return program
    bound = {"<=": max(seen), ">=": min(seen), "!=": max(seen) + 1}[cond.op]
    cond.right = Num(bound)
    return whole


def _size(domains: tuple[int, ...]) -> int:
    size = 1
    for d in domains:
        size *= d
    return size
