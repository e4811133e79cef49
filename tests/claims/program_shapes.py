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


def _let(name: str, value: Expr | int) -> Assign:
    return Assign(Var(name), Num(value) if isinstance(value, int) else value, "int")


def _set(name: str, value: Expr | int) -> Assign:
    return Assign(Var(name), Num(value) if isinstance(value, int) else value)


def _op(op: str, left: Expr | str, right: Expr | int | str) -> Binary:
    a = Var(left) if isinstance(left, str) else left
    b = Var(right) if isinstance(right, str) else Num(right) if isinstance(right, int) else right
    return Binary(op, a, b)


def _same_in_both_arms(rng: random.Random) -> tuple[list[Statement], list[Function]]:
    bad = rng.randint(6, 8)
    other = bad if rng.random() < 0.6 else rng.randint(5, 9)
    arms: list[list[Statement]] = [[_set("y", bad)], [_set("y", other)]]
    rng.shuffle(arms)
    return [_let("y", 5), If(_op(">", "n", rng.randint(1, 6)), *arms), Assert(_op("!=", "y", bad))], []


def _changed_input(rng: random.Random) -> tuple[list[Statement], list[Function]]:
    k = rng.randint(1, 5)
    return [_let("y", Var("n")), If(_op("==", "y", k), [_set("y", _op("+", "y", 1))], []),
            Assert(_op("!=", "y", k + 1))], []  # fmt: skip


def _wrong_pointer(rng: random.Random) -> tuple[list[Statement], list[Function]]:
    x, y, k = rng.randint(1, 5), rng.randint(0, 5), rng.randint(1, 5)
    first, second = ("y", "x") if rng.random() < 0.7 else ("x", "y")
    return [
        _let("x", x), _let("y", y), Assign(Var("p"), Address(Var(first)), "int *"),
        If(_op(rng.choice((">", "<")), "n", k), [Assign(Var("p"), Address(Var(second)))], []),
        Assign(Deref("p"), Num(0)), Assert(_op("!=", "x", 0)),
    ], []  # fmt: skip


def _wrong_index(rng: random.Random) -> tuple[list[Statement], list[Function]]:
    k, other, cell = rng.randrange(4), rng.randrange(4), rng.randrange(4)
    table = tuple(rng.randint(1, 4) for _ in range(4))
    return [
        DeclareObject("t", table), _let("k", k),
        If(_op(">", "n", rng.randint(1, 5)), [_set("k", other)], []),
        Assign(Elem("t", _op("&", "k", 3) if rng.random() < 0.5 else Var("k")), Num(0)),
        Assert(_op("!=", Elem("t", Num(cell)), 0)),
    ], []  # fmt: skip


def _table_of_equals(rng: random.Random) -> tuple[list[Statement], list[Function]]:
    value = rng.randint(0, 2)
    table = tuple(value if rng.random() < 0.8 else rng.randint(0, 2) for _ in range(4))
    index = _op("&", _op("+", "k", "n") if rng.random() < 0.3 else Var("k"), 3)
    return [
        DeclareObject("a", table), _let("k", rng.randint(0, 3)), _set("k", _op("+", "k", 1)),
        _let("x", Elem("a", index)), Assert(_op("!=", "x", value)),
    ], []  # fmt: skip


def _exceptional_round(rng: random.Random) -> tuple[list[Statement], list[Function]]:
    k = rng.randint(0, 5)
    body: list[Statement] = [If(_op("==", "i", k), [_set("s", 100)], []), _set("s", _op("+", "s", 1))]
    if rng.random() < 0.3:
        body.reverse()
    loop = For(_let("i", 0), _op("<", "i", "n"), _set("i", _op("+", "i", 1)), body)
    return [_let("s", 0), loop, Assert(_op("==", "s", "n"))], []


def _needless_operand(rng: random.Random) -> tuple[list[Statement], list[Function]]:
    k = rng.randint(1, 5)
    r = _op("+", _op("-", "n", "n"), k) if rng.random() < 0.6 else _op("+", _op("*", "n", 0), k)
    return [_let("r", r), Assert(_op("==", "r", k + rng.choice((-1, 1))))], []


def _two_together(rng: random.Random) -> tuple[list[Statement], list[Function]]:
    x, y = rng.randint(3, 6), rng.randint(3, 6)
    check = Binary("&&", _op("!=", "x", x), _op("!=", "y", y))
    extra: list[Statement] = [_set("x", Var("x"))] if rng.random() < 0.4 else []
    return [_let("x", x), _let("y", y), *extra, Assert(check)], []


def _incomplete_cases(rng: random.Random) -> tuple[list[Statement], list[Function]]:
    a, b = rng.randint(1, 3), rng.randint(4, 6)
    inner = If(_op(">", "z", 0), [_set("z", 3), _set("lock", 0)], [])
    return [
        _let("z", 0), _let("lock", 1), _let("x", 0), _let("y", _op("-", "n", a)),
        If(_op("==", "x", 0), [If(_op("==", "y", 0), [_set("z", 1)], [])], []),
        If(_op("!=", "y", 0), [_set("z", Var("y"))], []),
        If(_op("!=", "x", 0), [_set("z", 2), _set("lock", 0)], [inner]),
        Assert(Binary("||", _op("==", "lock", 0), _op(">", "n", b))),
    ], []  # fmt: skip


def _early_return(rng: random.Random) -> tuple[list[Statement], list[Function]]:
    k = rng.randint(1, 4)
    f = Function("magnitude", (("int", "v"),), [
        _let("r", Var("v")),
        If(_op("==", "v", 0), [Return(Num(0))], []),
        If(_op("<", "v", 0), [_let("s", Unary("-", Var("v")))], []),
        Return(Var("r")),
    ])  # fmt: skip
    return [
        _let("d", _op("-", "n", k)), Call(Var("m"), "magnitude", (Var("d"),), "int"), Assert(_op(">=", "m", 0)),
    ], [f]  # fmt: skip


def _wrong_guard(rng: random.Random) -> tuple[list[Statement], list[Function]]:
    k = rng.randint(2, 5)
    return [_let("m", Var("n")), If(_op(">", "m", k), [_set("m", 0)], []), Assert(_op("<", "m", k))], []


def _frame_kept(rng: random.Random) -> tuple[list[Statement], list[Function]]:
    k = rng.randint(1, 5)
    x = rng.randint(0, 1)
    return [
        _let("x", x), _let("y", _op("-", "n", k)),
        If(_op("<", "y", 0), [_set("x", 0)], [] if rng.random() < 0.6 else [_set("y", 2)]),
        Assert(_op("!=", "x", 0)),
    ], []  # fmt: skip


def _past_the_end(rng: random.Random) -> tuple[list[Statement], list[Function]]:
    table = tuple(rng.randint(0, 4) for _ in range(4))
    bound: Expr = Var("n") if rng.random() < 0.6 else _op("+", "n", 1)
    body: list[Statement] = [_set("s", _op("+", "s", Elem("t", Var("i"))))]
    loop = For(_let("i", 0), Binary(rng.choice(("<", "<=")), Var("i"), bound), _set("i", _op("+", "i", 1)), body)
    return [DeclareObject("t", table), _let("s", 0), loop, Assert(_op(">=", "s", 0))], []


def _null_pointer(rng: random.Random) -> tuple[list[Statement], list[Function]]:
    k = rng.randint(1, 5)
    return [
        _let("x", 1), Assign(Var("p"), Num(0), "int *"),
        If(_op(">", "n", k), [Assign(Var("p"), Address(Var("x")))], []),
        Assign(Deref("p"), Var("n")), Assert(_op("!=", "x", 1)),
    ], []  # fmt: skip


def _zero_divisor(rng: random.Random) -> tuple[list[Statement], list[Function]]:
    k = rng.randint(0, 6)
    return [
        _let("d", _op("-", "n", k)), If(_op(">", "d", 3), [_set("d", 1)], []),
        _let("q", _op(rng.choice("/%"), Num(rng.randint(5, 9)), "d")), Assert(_op("<", "q", 100)),
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
    noise: list[Statement] = [_let("w", rng.randint(0, 3))]
    if rng.random() < 0.5:
        noise.append(If(_op(">", "w", 1), [_set("w", _op("+", "w", 1))], []))
    if rng.random() < 0.5:
        noise.append(_set("w", _op("+", "w", "n")))
    at = rng.randrange(len(body))
    whole: list[Statement] = [first, *body[:at], *noise, *body[at:], Return(Num(0))]
    style = rng.choice(("nondet", "atoi", "getchar"))
    return Program("c", [*functions, Function("main", (), whole)], (_DOMAIN,), style)  # type: ignore[arg-type]
