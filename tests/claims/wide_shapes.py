"""Small programs of shapes in which the rest of C matters, with random constants."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.claims.program_shapes import let, op, put
from tests.claims.small_program import (
    Address,
    Assert,
    Assign,
    At,
    Binary,
    Call,
    CallExpr,
    Cast,
    Compound,
    CopyStruct,
    DeclareObject,
    DoWhile,
    Elem,
    Elem2,
    ElemField,
    Expr,
    Field,
    For,
    Function,
    If,
    Input,
    Jump,
    Num,
    Program,
    Return,
    Statement,
    Step,
    Switch,
    Var,
)

Made = tuple[list[Statement], list[Function], list[Assign | DeclareObject]]
_DOMAIN = 8


def _wrapping(rng: random.Random) -> Made:
    kind = rng.choice(("unsigned", "unsigned char", "unsigned short"))
    difference = let("d", op("-", "n", rng.randint(2, 5)), kind)
    return [let("x", 1), difference, If(op(rng.choice((">", "<")), "d", rng.randint(2, 9)), [put("x", 0)], []),
            Assert(op("!=", "x", 0))], [], []  # fmt: skip


def _narrowed(rng: random.Random) -> Made:
    wide = let("w", op("*", "n", rng.choice((40, 50, 70))))
    narrow = let("c", op("+", "w", rng.randint(0, 9)), rng.choice(("char", "unsigned char")))
    check: Expr = op(rng.choice((">=", "<")), "c", rng.choice((0, 100, 200)))
    return (
        [wide, narrow, Assert(check if rng.random() < 0.5 else op("!=", Cast("unsigned char", Var("c")), "w"))],
        [],
        [],
    )


def _fall_through(rng: random.Random) -> Made:
    k = rng.randint(0, 5)
    cases: list[tuple[int | None, list[Statement]]] = [
        (k, [put("x", 1)]),
        (k + 1, [Compound(Var("x"), "+", Num(2)), *([Jump("break")] if rng.random() < 0.7 else [])]),
        (None, [put("x", rng.randint(3, 9))]),
    ]
    if rng.random() < 0.3:
        cases = [cases[2], *cases[:2]]
    return [let("x", 0), Switch(Var("n"), tuple(cases)), Assert(op("!=", "x", rng.choice((2, 3))))], [], []


def _jumps(rng: random.Random) -> Made:
    k = rng.randint(0, 4)
    jump: Statement = If(op("==", "i", k), [Jump(rng.choice(("break", "continue")))], [])
    loop = For(let("i", 0), op("<", "i", "n"), Step(Var("i"), "++"), [jump, Compound(Var("s"), "+", Var("i"))])
    return [let("s", 0), loop, Assert(op(rng.choice(("<", "!=")), "s", rng.randint(3, 10)))], [], []


def _at_least_once(rng: random.Random) -> Made:
    body: list[Statement] = [Compound(Var("s"), "+", Num(rng.randint(1, 3))), Step(Var("i"), "++")]
    return [let("i", rng.randint(0, 2)), let("s", 0), DoWhile(op("<", "i", "n"), body),
            Assert(op("!=", "s", rng.randint(1, 6)))], [], []  # fmt: skip


def _counted(rng: random.Random) -> Made:
    f = Function("count", (("int", "by"),), [
        let("c", rng.randint(0, 2), "static int"), Compound(Var("c"), "+", Var("by")), Return(Var("c")),
    ])  # fmt: skip
    calls: list[Statement] = [Call(Var("x"), "count", (Num(1),), "int"), Call(Var("x"), "count", (Var("n"),))]
    return [*calls, Assert(op("<", "x", rng.randint(2, 8)))], [f], []


def _recursive(rng: random.Random) -> Made:
    base = If(op("<=", "k", 0), [Return(Num(rng.randint(0, 2)))], [])
    again = CallExpr("sum", (op("-", "k", 1),))
    step: Expr = Binary("+", Var("k"), again) if rng.random() < 0.5 else Binary("+", again, Num(rng.randint(1, 2)))
    f = Function("sum", (("int", "k"),), [base, Return(step)])
    return [let("x", CallExpr("sum", (op("&", "n", 3),))), Assert(op("<", "x", rng.randint(2, 6)))], [f], []


def _by_value(rng: random.Random) -> Made:
    is_value = rng.random() < 0.6
    kind = "struct S" if is_value else "struct S *"
    body: list[Statement] = [
        Assign(Field("q", "a", not is_value), op("+", Field("q", "a", not is_value), "by")),
        Return(op("+", Field("q", "a", not is_value), Field("q", "b", not is_value))),
    ]
    given: Expr = Var("s") if is_value else Address(Var("s"))
    made = DeclareObject("s", (rng.randint(0, 3), rng.randint(0, 3), 0), is_struct=True)
    checked: Expr = Field("s", "a") if rng.random() < 0.3 else Var("x")
    return (
        [made, Call(Var("x"), "add", (given, Var("n")), "int"), Assert(op("<", checked, rng.randint(2, 7)))],
        [Function("add", ((kind, "q"), ("int", "by")), body)],
        [],
    )


def _copied(rng: random.Random) -> Made:
    rows = DeclareObject("v", tuple(rng.randint(0, 4) for _ in range(6)), is_struct=True, rows=2)
    copy = CopyStruct(Elem("v", Num(0)), Elem("v", op("&", "n", 1)))
    change = Compound(ElemField("v", op("&", "n", 1), "a"), "+", Var("n"))
    check = Assert(op("<", ElemField("v", Num(rng.randint(0, 1)), "a"), rng.randint(2, 7)))
    steps: list[Statement] = [copy, change]
    return [rows, *rng.sample(steps, 2), check], [], []


def _walking(rng: random.Random) -> Made:
    body: list[Statement] = [Compound(Var("s"), "+", At(Step(Var("p"), "++")))]
    loop = For(let("i", 0), op("<", "i", op("&", "n", 3)), Step(Var("i"), "++"), body)
    table = DeclareObject("t", tuple(rng.randint(0, 4) for _ in range(4)))
    start: Expr = Var("t") if rng.random() < 0.5 else Address(Elem("t", Num(1)))
    return [table, let("p", start, "int *"), let("s", 0), loop, Assert(op("!=", "s", rng.randint(2, 8)))], [], []


def _two_dimensional(rng: random.Random) -> Made:
    kind = rng.choice(("int", "unsigned char", "short"))
    table = DeclareObject("m", tuple(rng.randint(1, 4) for _ in range(8)), type=kind, rows=2)
    target = Elem2("m", op("&", "n", 1), op(">>", "n", 1))
    checked = Elem2("m", Num(rng.randint(0, 1)), Num(rng.randint(0, 3)))
    return [table, Assign(target, Num(0)), Assert(op("!=", checked, 0))], [], []


def _outlived(rng: random.Random) -> Made:
    body: list[Statement] = [put("g", rng.randint(0, 3)), put("x", op("+", "n", 1))]
    g = let("g", rng.randint(1, 3), rng.choice(("int", "unsigned", "char")))
    return [let("x", 0), If(Var("g"), body, []), Assert(op("<", "x", rng.randint(2, 7)))], [], [g]


def _stepped_in_condition(rng: random.Random) -> Made:
    cond = Binary(rng.choice(("&&", "||")), op(">", "n", rng.randint(1, 5)), op(">", Step(Var("x"), "++"), 0))
    return [let("x", rng.randint(0, 1)), let("y", 0), If(cond, [put("y", Var("x"))], []),
            Assert(op("!=", rng.choice(("x", "y")), rng.randint(0, 2)))], [], []  # fmt: skip


def _bits(rng: random.Random) -> Made:
    mixed = op("|", op("<<", "n", rng.randint(1, 3)), rng.randint(1, 3))
    shifted = op("&", op(">>", "b", rng.randint(1, 2)), rng.choice((3, 7)))
    kind = rng.choice(("int", "unsigned", "unsigned char", "long"))
    return [let("b", mixed, kind), let("x", shifted), Assert(op("!=", "x", rng.randint(1, 5)))], [], []


def _mixed_signs(rng: random.Random) -> Made:
    limit = let("u", rng.randint(1, 5), rng.choice(("unsigned", "unsigned", "long", "unsigned char")))
    difference = op("-", "n", rng.randint(1, 4))
    check = Assert(Binary(rng.choice(("<", ">")), difference, Var("u")))
    return [limit, check], [], []


def _divided(rng: random.Random) -> Made:
    kind = rng.choice(("int", "unsigned", "long", "char"))
    divisor = let("d", op("-", "n", rng.randint(1, 5)), kind)
    value = Binary(rng.choice("/%"), Num(rng.randint(5, 20)), Var("d"))
    guard: list[Statement] = [If(op("==", "d", rng.randint(0, 1)), [put("d", 1)], [])] if rng.random() < 0.4 else []
    return [divisor, *guard, let("x", value), Assert(op("<", "x", rng.randint(3, 9)))], [], []


WIDE_SHAPES: tuple[Callable[[random.Random], Made], ...] = (
    _wrapping, _narrowed, _fall_through, _jumps, _at_least_once, _counted, _recursive, _by_value, _copied, _walking,
    _two_dimensional, _outlived, _stepped_in_condition, _bits, _mixed_signs, _divided,
)  # fmt: skip


def wide_shaped(rng: random.Random) -> Program:
    """A C program of one of the shapes."""
    body, functions, variables = rng.choice(WIDE_SHAPES)(rng)
    kind = rng.choice(("int", "int", "unsigned", "unsigned char", "short", "long"))
    first = let("n", Binary("&", Input(0), Num(_DOMAIN - 1)), kind)
    main = Function("main", (), [first, *body, Return(Num(0))])
    style = rng.choice(("nondet", "atoi", "getchar"))
    return Program("c", [*functions, main], (_DOMAIN,), style, variables, is_wide=True)  # type: ignore[arg-type]
