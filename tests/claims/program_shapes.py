"""Programs of shapes on which claims once were wrong, with random constants: pointers, tables, guards, omissions."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from tests.claims.small_program import (
    Address,
    Assert,
    Assign,
    Binary,
    Call,
    DeclareObject,
    Deref,
    Elem,
    Expr,
    For,
    Function,
    If,
    Input,
    Num,
    Program,
    Return,
    Statement,
    Unary,
    Var,
)

Shape = Callable[[random.Random], tuple[list[Statement], list[Function]]]
_DOMAIN = 8


def let(name: str, value: Expr | int, kind: str = "int") -> Assign:
    """The declaration of a variable."""
    return Assign(Var(name), Num(value) if isinstance(value, int) else value, kind)


def put(name: str, value: Expr | int) -> Assign:
    """An assignment."""
    return Assign(Var(name), Num(value) if isinstance(value, int) else value)


def op(sign: str, left: Expr | str, right: Expr | int | str) -> Binary:
    """An operation; texts are variables."""
    a = Var(left) if isinstance(left, str) else left
    b = Var(right) if isinstance(right, str) else Num(right) if isinstance(right, int) else right
    return Binary(sign, a, b)


def _same_in_both_arms(rng: random.Random) -> tuple[list[Statement], list[Function]]:
    bad = rng.randint(6, 8)
    other = bad if rng.random() < 0.6 else rng.randint(5, 9)
    arms: list[list[Statement]] = [[put("y", bad)], [put("y", other)]]
    rng.shuffle(arms)
    return [let("y", 5), If(op(">", "n", rng.randint(1, 6)), *arms), Assert(op("!=", "y", bad))], []


def _changed_input(rng: random.Random) -> tuple[list[Statement], list[Function]]:
    k = rng.randint(1, 5)
    return [let("y", Var("n")), If(op("==", "y", k), [put("y", op("+", "y", 1))], []),
            Assert(op("!=", "y", k + 1))], []  # fmt: skip


def _wrong_pointer(rng: random.Random) -> tuple[list[Statement], list[Function]]:
    x, y, k = rng.randint(1, 5), rng.randint(0, 5), rng.randint(1, 5)
    first, second = ("y", "x") if rng.random() < 0.7 else ("x", "y")
    return [
        let("x", x), let("y", y), Assign(Var("p"), Address(Var(first)), "int *"),
        If(op(rng.choice((">", "<")), "n", k), [Assign(Var("p"), Address(Var(second)))], []),
        Assign(Deref("p"), Num(0)), Assert(op("!=", "x", 0)),
    ], []  # fmt: skip


def _wrong_index(rng: random.Random) -> tuple[list[Statement], list[Function]]:
    k, other, cell = rng.randrange(4), rng.randrange(4), rng.randrange(4)
    table = tuple(rng.randint(1, 4) for _ in range(4))
    return [
        DeclareObject("t", table), let("k", k),
        If(op(">", "n", rng.randint(1, 5)), [put("k", other)], []),
        Assign(Elem("t", op("&", "k", 3) if rng.random() < 0.5 else Var("k")), Num(0)),
        Assert(op("!=", Elem("t", Num(cell)), 0)),
    ], []  # fmt: skip


def _table_of_equals(rng: random.Random) -> tuple[list[Statement], list[Function]]:
    value = rng.randint(0, 2)
    table = tuple(value if rng.random() < 0.8 else rng.randint(0, 2) for _ in range(4))
    index = op("&", op("+", "k", "n") if rng.random() < 0.3 else Var("k"), 3)
    return [
        DeclareObject("a", table), let("k", rng.randint(0, 3)), put("k", op("+", "k", 1)),
        let("x", Elem("a", index)), Assert(op("!=", "x", value)),
    ], []  # fmt: skip


def _exceptional_round(rng: random.Random) -> tuple[list[Statement], list[Function]]:
    k = rng.randint(0, 5)
    body: list[Statement] = [If(op("==", "i", k), [put("s", 100)], []), put("s", op("+", "s", 1))]
    if rng.random() < 0.3:
        body.reverse()
    loop = For(let("i", 0), op("<", "i", "n"), put("i", op("+", "i", 1)), body)
    return [let("s", 0), loop, Assert(op("==", "s", "n"))], []


def _needless_operand(rng: random.Random) -> tuple[list[Statement], list[Function]]:
    k = rng.randint(1, 5)
    r = op("+", op("-", "n", "n"), k) if rng.random() < 0.6 else op("+", op("*", "n", 0), k)
    return [let("r", r), Assert(op("==", "r", k + rng.choice((-1, 1))))], []


def _two_together(rng: random.Random) -> tuple[list[Statement], list[Function]]:
    x, y = rng.randint(3, 6), rng.randint(3, 6)
    check = Binary("&&", op("!=", "x", x), op("!=", "y", y))
    extra: list[Statement] = [put("x", Var("x"))] if rng.random() < 0.4 else []
    return [let("x", x), let("y", y), *extra, Assert(check)], []


def _incomplete_cases(rng: random.Random) -> tuple[list[Statement], list[Function]]:
    a, b = rng.randint(1, 3), rng.randint(4, 6)
    inner = If(op(">", "z", 0), [put("z", 3), put("lock", 0)], [])
    return [
        let("z", 0), let("lock", 1), let("x", 0), let("y", op("-", "n", a)),
        If(op("==", "x", 0), [If(op("==", "y", 0), [put("z", 1)], [])], []),
        If(op("!=", "y", 0), [put("z", Var("y"))], []),
        If(op("!=", "x", 0), [put("z", 2), put("lock", 0)], [inner]),
        Assert(Binary("||", op("==", "lock", 0), op(">", "n", b))),
    ], []  # fmt: skip


def _early_return(rng: random.Random) -> tuple[list[Statement], list[Function]]:
    k = rng.randint(1, 4)
    f = Function("magnitude", (("int", "v"),), [
        let("r", Var("v")),
        If(op("==", "v", 0), [Return(Num(0))], []),
        If(op("<", "v", 0), [let("s", Unary("-", Var("v")))], []),
        Return(Var("r")),
    ])  # fmt: skip
    return [
        let("d", op("-", "n", k)), Call(Var("m"), "magnitude", (Var("d"),), "int"), Assert(op(">=", "m", 0)),
    ], [f]  # fmt: skip


def _wrong_guard(rng: random.Random) -> tuple[list[Statement], list[Function]]:
    k = rng.randint(2, 5)
    return [let("m", Var("n")), If(op(">", "m", k), [put("m", 0)], []), Assert(op("<", "m", k))], []


def _frame_kept(rng: random.Random) -> tuple[list[Statement], list[Function]]:
    k = rng.randint(1, 5)
    x = rng.randint(0, 1)
    return [
        let("x", x), let("y", op("-", "n", k)),
        If(op("<", "y", 0), [put("x", 0)], [] if rng.random() < 0.6 else [put("y", 2)]),
        Assert(op("!=", "x", 0)),
    ], []  # fmt: skip


def _past_the_end(rng: random.Random) -> tuple[list[Statement], list[Function]]:
    table = tuple(rng.randint(0, 4) for _ in range(4))
    bound: Expr = Var("n") if rng.random() < 0.6 else op("+", "n", 1)
    body: list[Statement] = [put("s", op("+", "s", Elem("t", Var("i"))))]
    loop = For(let("i", 0), Binary(rng.choice(("<", "<=")), Var("i"), bound), put("i", op("+", "i", 1)), body)
    return [DeclareObject("t", table), let("s", 0), loop, Assert(op(">=", "s", 0))], []


def _null_pointer(rng: random.Random) -> tuple[list[Statement], list[Function]]:
    k = rng.randint(1, 5)
    return [
        let("x", 1), Assign(Var("p"), Num(0), "int *"),
        If(op(">", "n", k), [Assign(Var("p"), Address(Var("x")))], []),
        Assign(Deref("p"), Var("n")), Assert(op("!=", "x", 1)),
    ], []  # fmt: skip


def _zero_divisor(rng: random.Random) -> tuple[list[Statement], list[Function]]:
    k = rng.randint(0, 6)
    return [
        let("d", op("-", "n", k)), If(op(">", "d", 3), [put("d", 1)], []),
        let("q", op(rng.choice("/%"), Num(rng.randint(5, 9)), "d")), Assert(op("<", "q", 100)),
    ], []  # fmt: skip


SHAPES: tuple[Shape, ...] = (
    _same_in_both_arms, _changed_input, _wrong_pointer, _wrong_index, _table_of_equals, _exceptional_round,
    _needless_operand, _two_together, _incomplete_cases, _early_return, _wrong_guard, _frame_kept,
    _past_the_end, _null_pointer, _zero_divisor,
)  # fmt: skip


def shaped(rng: random.Random, shapes: Sequence[Shape] = SHAPES) -> Program:
    """A C program of one of the shapes, with statements between that do not matter."""
    body, functions = rng.choice(shapes)(rng)
    first = Assign(Var("n"), Binary("&", Input(0), Num(_DOMAIN - 1)), "int")
    noise: list[Statement] = [let("w", rng.randint(0, 3))]
    if rng.random() < 0.5:
        noise.append(If(op(">", "w", 1), [put("w", op("+", "w", 1))], []))
    if rng.random() < 0.5:
        noise.append(put("w", op("+", "w", "n")))
    at = rng.randrange(len(body))
    whole: list[Statement] = [first, *body[:at], *noise, *body[at:], Return(Num(0))]
    style = rng.choice(("nondet", "atoi", "getchar"))
    return Program("c", [*functions, Function("main", (), whole)], (_DOMAIN,), style)  # type: ignore[arg-type]
