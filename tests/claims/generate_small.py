"""Random functions in the part of C that was generated first, and in Boogie."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.claims.small_program import (
    ARRAY_LENGTH,
    STRUCT_FIELDS,
    Address,
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
    Num,
    Place,
    Return,
    Statement,
    Unary,
    Var,
    While,
)

_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


@dataclass
class SmallScope:
    """The names that a function may use."""

    numbers: list[str] = field(default_factory=list)  # may be assigned
    constants: list[str] = field(default_factory=list)  # may only be read: loop variables, parameters of Boogie
    arrays: list[str] = field(default_factory=list)
    structs: list[str] = field(default_factory=list)
    pointers: list[str] = field(default_factory=list)  # to int
    struct_pointers: list[str] = field(default_factory=list)
    indexes: list[str] = field(default_factory=list)  # known to be within the arrays


class SmallGenerator:
    def __init__(self, rng: random.Random, language: str) -> None:
        self.rng = rng
        self.is_c = language == "c"
        self.functions: list[Function] = []
        self.used = 0

    def fresh(self, prefix: str) -> str:
        self.used += 1
        return f"{prefix}{self.used}"

    # --- expressions --------------------------------------------------------------------------------------------------

    def atom(self, s: SmallScope) -> Expr:
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

    def index(self, s: SmallScope) -> Expr:
        rng = self.rng
        options: list[Callable[[], Expr]] = [lambda: Num(rng.randrange(ARRAY_LENGTH))]
        if s.indexes:
            options += [lambda: Var(rng.choice(s.indexes))] * 3
        names = s.numbers + s.constants
        if self.is_c and names:
            options += [lambda: Binary("&", Var(rng.choice(names)), Num(3))] * 2
        return rng.choice(options)()

    def number(self, s: SmallScope, depth: int = 2) -> Expr:
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

    def condition(self, s: SmallScope, depth: int = 1) -> Expr:
        rng = self.rng
        if depth and rng.random() < 0.35:
            return Binary(rng.choice(("&&", "||")), self.condition(s, depth - 1), self.condition(s, depth - 1))
        if depth and rng.random() < 0.1:
            return Unary("!", Binary(rng.choice(_COMPARISONS), self.atom(s), self.atom(s)))
        right = Num(rng.randint(0, 6)) if rng.random() < 0.7 else self.atom(s)
        return Binary(rng.choice(_COMPARISONS), self.number(s, 1), right)

    # --- statements ---------------------------------------------------------------------------------------------------

    def place(self, s: SmallScope) -> Place:
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

    def address(self, s: SmallScope) -> Address:
        rng = self.rng
        options: list[Callable[[], Place]] = []
        if s.numbers:
            options += [lambda: Var(rng.choice(s.numbers))] * 2
        if s.arrays:
            options += [lambda: Elem(rng.choice(s.arrays), self.index(s))]
        if s.structs:
            options += [lambda: Field(rng.choice(s.structs), rng.choice(STRUCT_FIELDS))]
        return Address(rng.choice(options)())

    def simple(self, s: SmallScope) -> Statement:
        rng = self.rng
        if s.pointers and rng.random() < 0.12:
            return Assign(Var(rng.choice(s.pointers)), self.address(s))
        if self.functions and rng.random() < 0.15:
            return self.call(s)
        return Assign(self.place(s), self.number(s))

    def call(self, s: SmallScope) -> Statement:
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

    def body(self, s: SmallScope, size: int, depth: int) -> list[Statement]:
        return [new for _ in range(size) for new in self.statement(s, depth)]

    def statement(self, s: SmallScope, depth: int) -> list[Statement]:
        rng = self.rng
        kind = rng.random()
        if depth and kind < 0.3:
            then = self.body(s, rng.randint(1, 2), depth - 1)
            orelse = self.body(s, 1, depth - 1) if rng.random() < 0.35 else []
            return [If(self.condition(s), then, orelse)]
        if depth and kind < 0.42:
            return self.loop(s, depth)
        return [self.simple(s)]

    def loop(self, s: SmallScope, depth: int) -> list[Statement]:
        rng = self.rng
        i = self.fresh("i")
        bound: Expr = Num(rng.randint(1, ARRAY_LENGTH))
        if s.indexes and rng.random() < 0.4:
            bound = Var(rng.choice(s.indexes))
        inner = SmallScope(
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
            scope = SmallScope([r], [p, q])
            first: list[Statement] = [Assign(Var(r), self.number(SmallScope([], [p, q])))]
            return Function(name, (("int", p), ("int", q)), first + self.body(scope, rng.randint(0, 2), 1), r)
        p, r = self.fresh("p"), self.fresh("r")
        parameters = [("int", p)]
        scope = SmallScope([p])
        if rng.random() < 0.5:
            q = self.fresh("q")
            kind = rng.choice(("int *", "int *", "struct S *"))
            parameters.append((kind, q))
            (scope.pointers if kind == "int *" else scope.struct_pointers).append(q)
        body: list[Statement] = [Assign(Var(r), self.number(scope), "int")]
        scope.numbers.append(r)
        inner = scope if rng.random() < 0.6 else SmallScope(scope.numbers, struct_pointers=scope.struct_pointers)
        for s in self.body(inner, rng.randint(0, 2), 1):
            if not (isinstance(s, Assign) and isinstance(s.value, Address)):
                body.append(s)
        if rng.random() < 0.2:
            body.insert(1, If(self.condition(scope), [Return(self.atom(scope))], []))
        return Function(name, tuple(parameters), [*body, Return(Var(r))])

    def main(self, domains: tuple[int, ...]) -> Function:
        rng = self.rng
        s = SmallScope()
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

    def read_input(self, s: SmallScope, number: int, size: int) -> Statement:
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
