"""Random programs over the rest of C: switches, jumps, globals, recursion, structs by value, pointers that walk."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.claims.c_types import STRUCT
from tests.claims.small_program import (
    ARRAY_LENGTH,
    STRUCT_FIELDS,
    Address,
    Assign,
    At,
    Binary,
    Call,
    CallExpr,
    Compound,
    CopyStruct,
    DeclareObject,
    Deref,
    DoWhile,
    Elem,
    Expr,
    For,
    Function,
    If,
    Input,
    Jump,
    Num,
    Place,
    Program,
    Return,
    Statement,
    Step,
    Switch,
    Var,
    While,
)
from tests.claims.wide_expressions import NUMBER_TYPES, ROWS, Callee, Expressions, WideScope

_MEMBER_TYPES = ("int", "unsigned", "char", "unsigned char", "short", "int")


class WideGenerator(Expressions):
    """Random functions and the body of main."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng)
        self.used = 0
        self.globals: list[Assign | DeclareObject] = []
        self.outer = WideScope()  # what every function sees
        self.field_types = ("int",) * len(STRUCT_FIELDS)
        self.in_switch = False

    def fresh(self, prefix: str, kind: str = "int") -> str:
        """A new name for a variable of that type."""
        self.used += 1
        self.kinds[f"{prefix}{self.used}"] = kind
        return f"{prefix}{self.used}"

    def program(self, domains: tuple[int, ...]) -> Program:
        """A program without its check."""
        rng = self.rng
        if rng.random() < 0.5:
            self.field_types = tuple(rng.choice(_MEMBER_TYPES) for _ in STRUCT_FIELDS)
            self.has_int_members = set(self.field_types) == {"int"}
        self.make_globals()
        makers = (self.arithmetic, self.recursive, self.over_pointer, self.by_value, self.with_memory)
        for _ in range(rng.choice((0, 1, 1, 2, 2))):
            self.may_call = True
            self.callees.append(rng.choice(makers)())
        main = self.main(domains)
        functions = [*(c.function for c in self.callees), main]
        return Program("c", functions, domains, globals=self.globals, field_types=self.field_types, is_wide=True)

    # --- declarations -------------------------------------------------------------------------------------------------

    def make_globals(self) -> None:
        """Some global variables."""
        rng = self.rng
        for _ in range(rng.choice((0, 1, 1, 2))):
            kind = rng.choice(NUMBER_TYPES)
            g = self.fresh("g", kind)
            self.globals.append(Assign(Var(g), Num(rng.randint(0, 5)), kind))
            self.outer.numbers.append(g)
        if rng.random() < 0.3:
            self.globals.append(self.object(self.outer))

    def object(self, s: WideScope) -> DeclareObject:
        """A declaration of an array, a matrix, a struct or an array of structs."""
        rng = self.rng
        kind = rng.choice(("int", "int", "unsigned char", "short", "unsigned"))
        match rng.randrange(4):
            case 0:
                name = self.fresh("t", kind)
                s.arrays.append(name)
                return DeclareObject(name, self.values(ARRAY_LENGTH), type=kind)
            case 1:
                name = self.fresh("m", kind)
                s.matrices.append(name)
                return DeclareObject(name, self.values(ARRAY_LENGTH * ROWS), type=kind, rows=ROWS)
            case 2:
                name = self.fresh("s", STRUCT)
                s.structs.append(name)
                return DeclareObject(name, self.values(len(STRUCT_FIELDS)), is_struct=True)
            case _:
                name = self.fresh("v", STRUCT)
                s.struct_arrays.append(name)
                return DeclareObject(name, self.values(len(STRUCT_FIELDS) * ROWS), is_struct=True, rows=ROWS)

    def values(self, count: int) -> tuple[int, ...]:
        """Initial values."""
        return tuple(self.rng.randint(0, 5) for _ in range(count))

    def variable(self, s: WideScope, value: Expr, prefix: str = "x") -> Assign:
        """The declaration of a number."""
        kind = self.rng.choice(NUMBER_TYPES)
        name = self.fresh(prefix, kind)
        s.numbers.append(name)
        return Assign(Var(name), value, kind)

    def expression(self, s: WideScope, depth: int = 2) -> Expr:
        """A whole expression, with at most one chain of calls."""
        self.may_call = True
        return self.number(s, depth)

    # --- statements ---------------------------------------------------------------------------------------------------

    def body(self, s: WideScope, size: int, depth: int, in_loop: bool = False) -> list[Statement]:
        """Some statements."""
        return [new for _ in range(size) for new in self.statement(s, depth, in_loop)]

    def statement(self, s: WideScope, depth: int, in_loop: bool) -> list[Statement]:
        """A statement, with those that lead to it."""
        rng = self.rng
        kind = rng.random()
        if depth and kind < 0.22:
            then = self.body(s, rng.randint(1, 2), depth - 1, in_loop)
            orelse = self.body(s, 1, depth - 1, in_loop) if rng.random() < 0.35 else []
            if in_loop and rng.random() < 0.35:
                then[-1:] = [Jump("break" if self.in_switch or rng.random() < 0.5 else "continue")]
            self.may_call = True
            return [If(self.condition(s), then, orelse)]
        if depth and kind < 0.34:
            return self.loop(s, depth)
        if depth and kind < 0.46:
            return [self.switch(s, depth)]
        return self.simple(s)

    def simple(self, s: WideScope) -> list[Statement]:
        """An assignment of some kind, or a call."""
        rng = self.rng
        options: list[tuple[int, Callable[[], Statement | None]]] = [
            (6, lambda: Assign(self.target(s), self.expression(s))),
            (3, lambda: self.compound(s)),
            (2, lambda: Step(self.target(s), rng.choice(("++", "--")), rng.random() < 0.3)),
            (2, lambda: self.copied(s)),
            (2, lambda: self.stepped(s)),
            (4, lambda: self.call(s)),
        ]
        if s.given:
            options.append((2, lambda: self.divided(s)))
        if s.pointers:
            options.append((1, lambda: self.redirected(s)))
        made = rng.choices([make for _, make in options], [weight for weight, _ in options])[0]()
        return [made if made is not None else Assign(self.target(s), self.expression(s))]

    def target(self, s: WideScope) -> Place:
        """A place to assign, without calls in it."""
        self.may_call = False
        return self.place(s)

    def compound(self, s: WideScope) -> Statement:
        rng = self.rng
        op = rng.choice(("+", "+", "-", "^", "|", "&", "*", ">>", "/", "%"))
        match op:
            case "*":
                return Compound(self.target(s), op, Num(rng.randint(2, 3)))
            case ">>":
                return Compound(self.target(s), op, self.shift(s))
            case "/" | "%":
                return Compound(self.target(s), op, self.divisor(s))
            case _:
                return Compound(self.target(s), op, self.expression(s, 1))

    def copied(self, s: WideScope) -> Statement | None:
        """An assignment of a whole struct."""
        rng = self.rng
        self.may_call = False
        places: list[Callable[[], Place]] = [lambda n=n: Var(n) for n in s.structs]  # type: ignore[misc]
        places += [lambda n=n: Elem(n, self.index(s, ROWS)) for n in s.struct_arrays * 2]  # type: ignore[misc]
        if len(places) < 2:
            return None
        target, source = rng.sample(places, 2)
        return CopyStruct(target(), source())

    def stepped(self, s: WideScope) -> Statement | None:
        """A statement with `++` or `--` in it, of a variable that it does not use otherwise."""
        rng = self.rng
        if len(s.numbers) < 2 or not s.arrays:
            return None
        k, x = rng.sample(s.numbers, 2)
        step = Step(Var(k), rng.choice(("++", "--")), rng.random() < 0.5)
        element = Elem(rng.choice(s.arrays), Binary("&", step, Num(ARRAY_LENGTH - 1)))
        if rng.random() < 0.3:
            return Assign(element, Num(rng.randint(0, 7)))
        return Assign(Var(x), element) if rng.random() < 0.5 else Compound(Var(x), rng.choice("+-^"), element)

    def divided(self, s: WideScope) -> Statement:
        """A division by what is zero for one value of an input."""
        rng = self.rng
        divisor = Binary("-", Var(rng.choice(s.given)), Num(rng.randint(1, 3)))
        return Assign(self.target(s), Binary(rng.choice("/%"), self.expression(s, 1), divisor))

    def redirected(self, s: WideScope) -> Statement | None:
        self.may_call = False
        address = self.int_address(s)
        return None if address is None else Assign(Var(self.rng.choice(s.pointers)), address)

    def call(self, s: WideScope) -> Statement | None:
        """A call whose result is stored."""
        if not self.callees or not s.numbers:
            return None
        callee = self.rng.choice(self.callees)
        self.may_call = callee.is_pure and self.rng.random() < 0.3
        arguments = self.arguments(s, callee)
        self.may_call = False
        return None if arguments is None else Call(Var(self.rng.choice(s.numbers)), callee.function.name, arguments)

    def switch(self, s: WideScope, depth: int) -> Statement:
        """A switch, of whose cases some fall through."""
        rng = self.rng
        outer, self.in_switch = self.in_switch, True
        labels: list[int | None] = list(rng.sample(range(4), rng.randint(2, 3)))
        if rng.random() < 0.6:
            labels.insert(rng.randint(0, len(labels)) if rng.random() < 0.3 else len(labels), None)
        cases: list[tuple[int | None, list[Statement]]] = []
        for label in labels:
            body = self.body(s, rng.choice((0, 1, 1, 2)), min(depth - 1, 1), True)
            if rng.random() < 0.7 or label == labels[-1]:
                body.append(Jump("break"))
            cases.append((label, body))
        self.in_switch = outer
        selector = self.expression(s, 1)
        return Switch(selector if rng.random() < 0.4 else Binary("&", selector, Num(3)), tuple(cases))

    def loop(self, s: WideScope, depth: int) -> list[Statement]:
        """A loop of at most four rounds."""
        rng = self.rng
        walking = [n for n in s.arrays if self.kinds[n] == "int"]
        if walking and rng.random() < 0.3 and s.numbers:
            return self.walk(s, rng.choice(walking))
        i = self.fresh("i", rng.choice(("int", "int", "unsigned", "unsigned char")))
        bound: Expr = Num(rng.randint(1, ARRAY_LENGTH))
        if s.indexes and rng.random() < 0.5:
            bound = Var(rng.choice(s.indexes))
        outer, self.in_switch = self.in_switch, False
        is_for = outer or rng.random() < 0.6  # a declaration may not follow a label
        body = self.body(s.inner(i), rng.randint(1, 2), depth - 1, is_for)
        self.in_switch = outer
        up: Assign | Compound | Step = rng.choice((Step(Var(i), "++"), Compound(Var(i), "+", Num(1))))
        first = Assign(Var(i), Num(0), self.kinds[i])
        if is_for:
            return [For(first, Binary("<", Var(i), bound), up, body)]
        if rng.random() < 0.5:
            return [first, DoWhile(Binary("<", Step(Var(i), "++", True), bound), body)]
        return [first, While(Binary("<", Var(i), bound), [*body, up])]

    def walk(self, s: WideScope, array: str) -> list[Statement]:
        """A pointer that walks over an array."""
        rng = self.rng
        i, p, x = self.fresh("i"), self.fresh("ip", "int *"), rng.choice(s.numbers)
        bound: Expr = Var(rng.choice(s.indexes)) if s.indexes and rng.random() < 0.6 else Num(rng.randint(1, 4))
        body: list[Statement] = [Compound(Var(x), rng.choice("+-^"), At(Step(Var(p), "++")))]
        if rng.random() < 0.4:
            change = Compound(Deref(p), "+", self.expression(s, 1))
            body = [change, Compound(Var(x), "+", Deref(p)), Step(Var(p), "++")]
        loop = For(Assign(Var(i), Num(0), "int"), Binary("<", Var(i), bound), Step(Var(i), "++"), body)
        start: Expr = Var(array) if rng.random() < 0.5 else Address(Elem(array, Num(0)))
        pointer = Assign(Var(p), start, "int *")
        return [If(Num(1), [pointer, loop], [])] if self.in_switch else [pointer, loop]

    # --- functions ----------------------------------------------------------------------------------------------------

    def parameters(self, *given: tuple[str, str]) -> tuple[tuple[str, str], ...]:
        """Parameters: those given, and one number."""
        kind = self.rng.choice(NUMBER_TYPES)
        return (*given, (kind, self.fresh("p", kind)))

    def local(self, numbers: list[str]) -> WideScope:
        """The scope of a function that changes nothing outside of it."""
        return WideScope(numbers, list(self.outer.numbers))

    def finished(
        self, name: str, parameters: tuple[tuple[str, str], ...], s: WideScope, first: list[Statement]
    ) -> Function:
        """A function that computes a result."""
        rng = self.rng
        result = self.variable(s, self.expression(s), "r")
        body: list[Statement] = [*first, result, *self.body(s, rng.randint(0, 2), 1)]
        if rng.random() < 0.25:
            body.append(If(self.condition(s), [Return(self.expression(s, 1))], []))
        assert isinstance(result.target, Var)
        return Function(name, parameters, [*body, Return(Var(result.target.name))], returns=rng.choice(NUMBER_TYPES))

    def arithmetic(self) -> Callee:
        """A function of numbers."""
        parameters = self.parameters(*(self.parameters() if self.rng.random() < 0.5 else ()))
        s = self.local([name for _, name in parameters])
        return Callee(self.finished(self.fresh("f"), parameters, s, []), True)

    def recursive(self) -> Callee:
        """A function that calls itself, as often as its first parameter says."""
        rng = self.rng
        name, n = self.fresh("f"), self.fresh("p")
        parameters = self.parameters(("int", n))
        a = parameters[1][1]
        s = self.local([a])
        s.constants.append(n)
        body: list[Statement] = [If(Binary("<=", Var(n), Num(0)), [Return(self.expression(s, 1))], [])]
        body += self.body(s, rng.randint(0, 1), 1)
        again = CallExpr(name, (Binary("-", Var(n), Num(1)), Binary(rng.choice("+-^"), Var(a), Num(rng.randint(0, 3)))))
        body.append(Return(Binary(rng.choice("+-^"), again, rng.choice((Var(n), Num(rng.randint(0, 3)))))))
        return Callee(Function(name, parameters, body, returns=rng.choice(("int", "int", "unsigned"))), True, True)

    def over_pointer(self) -> Callee:
        """A function that gets an array."""
        q = self.fresh("q", "int *")
        parameters = self.parameters(("int *", q))
        s = self.local([parameters[1][1]])
        s.bases.append(q)
        return Callee(self.finished(self.fresh("f"), parameters, s, []), False)

    def by_value(self) -> Callee:
        """A function that gets a struct, or a pointer to one."""
        is_value = self.rng.random() < 0.6
        kind = STRUCT if is_value else f"{STRUCT} *"
        q = self.fresh("q", kind)
        parameters = self.parameters((kind, q))
        s = self.local([parameters[1][1]])
        (s.structs if is_value else s.struct_pointers).append(q)
        return Callee(self.finished(self.fresh("f"), parameters, s, []), is_value)

    def with_memory(self) -> Callee:
        """A function that changes a static variable of its own and global variables."""
        parameters = self.parameters()
        kind = self.rng.choice(NUMBER_TYPES)
        c = self.fresh("c", kind)
        s = WideScope([parameters[0][1], c, *self.outer.numbers])
        first: list[Statement] = [
            Assign(Var(c), Num(self.rng.randint(0, 3)), f"static {kind}"),
            Compound(Var(c), "+", Num(self.rng.randint(1, 2))),
        ]
        return Callee(self.finished(self.fresh("f"), parameters, s, first), False)

    def main(self, domains: tuple[int, ...]) -> Function:
        """The body of main, without its check."""
        rng = self.rng
        outer = self.outer
        s = WideScope(list(outer.numbers), [], [], list(outer.arrays), list(outer.matrices), list(outer.structs),
                      list(outer.struct_arrays))  # fmt: skip
        body: list[Statement] = []
        early = len(domains) - (len(domains) > 1 and rng.random() < 0.4)
        for number in range(early):
            body.append(self.read_input(s, number, domains[number]))
        for _ in range(rng.randint(2, 3)):
            value = self.expression(s, 1) if rng.random() < 0.4 else Num(rng.randint(0, 6))
            body.append(self.variable(s, value))
        for _ in range(rng.choice((0, 1, 1, 2))):
            body.append(self.object(s))
        self.may_call = False
        address = self.int_address(s)
        if address is not None and rng.random() < 0.4:
            p = self.fresh("p", "int *")
            body.append(Assign(Var(p), address, "int *"))
            s.pointers.append(p)
        ints = [n for n in s.arrays if self.kinds[n] == "int"]
        if ints and rng.random() < 0.6:
            b = self.fresh("b", "int *")
            body.append(Assign(Var(b), Var(rng.choice(ints)), "int *"))
            s.bases.append(b)
        body += self.body(s, rng.randint(1, 3), 2)
        for number in range(early, len(domains)):
            body.append(self.read_input(s, number, domains[number]))
        body += self.body(s, rng.randint(1, 3), 2)
        return Function("main", (), body)

    def read_input(self, s: WideScope, number: int, size: int) -> Statement:
        """A number between 0 and the size of its domain."""
        kind = self.rng.choice(NUMBER_TYPES)
        n = self.fresh("n", kind)
        s.given.append(n)
        if size <= ARRAY_LENGTH and self.rng.random() < 0.6:
            s.constants.append(n)
            s.indexes.append(n)
        else:
            s.numbers.append(n)
        return Assign(Var(n), Binary("&", Input(number), Num(size - 1)), kind)
