"""Terms: shared by identity, checked when they are made, walked without recursion."""

from __future__ import annotations

import pytest

from butfor.logic import terms
from butfor.logic.evaluate import Evaluator
from butfor.logic.solvers.solver import Problem
from butfor.logic.terms import FALSE, TRUE, Term, TermError, binary, compare, const, equal, variable

X, Y, B = variable("x", 8), variable("y", 8), variable("b", 0)


def test_equal_terms_are_one_object() -> None:
    assert binary("add", X, const(1, 8)) is binary("add", variable("x", 8), const(257, 8))
    assert binary("add", X, Y) is not binary("add", Y, X)
    assert variable("x", 8) is not variable("x", 16)


@pytest.mark.parametrize(
    ("op", "x", "y", "result"),
    [
        ("udiv", 7, 0, 255),
        ("urem", 7, 0, 7),
        ("sdiv", 7, 0, 255),
        ("sdiv", 0xF9, 0, 1),
        ("srem", 0xF9, 0, 0xF9),
        ("sdiv", 0xF9, 2, 0xFD),
        ("srem", 0xF9, 2, 0xFF),
        ("sdiv", 0x80, 0xFF, 0x80),
        ("srem", 7, 0xFE, 1),
        ("shl", 3, 8, 0),
        ("lshr", 0x80, 7, 1),
        ("ashr", 0x80, 7, 0xFF),
        ("ashr", 0x80, 200, 0xFF),
        ("sub", 1, 2, 0xFF),
        ("mul", 0x11, 0x10, 0x10),
    ],
)
def test_operations_have_the_meaning_of_smt_lib(op: str, x: int, y: int, result: int) -> None:
    assert Evaluator({"x": x, "y": y})(binary(op, X, Y)) == result


@pytest.mark.parametrize(("op", "result"), [("eq", 0), ("ult", 0), ("ule", 0), ("slt", 1), ("sle", 1)])
def test_comparisons_know_the_sign(op: str, result: int) -> None:
    assert Evaluator({"x": 0xFF, "y": 1})(compare(op, X, Y)) == result


def test_parts_and_extensions() -> None:
    value = Evaluator({"x": 0xA5, "y": 0x3C})
    assert value(terms.concat((X, Y))) == 0x3CA5
    assert value(terms.extract(X, 4, 4)) == 0xA
    assert value(terms.resize(X, 16)) == 0x00A5
    assert value(terms.resize(X, 16, signed=True)) == 0xFFA5
    assert value(terms.resize(X, 4)) == 0x5


def test_trivial_terms_are_not_made() -> None:
    assert equal(X, X) is TRUE
    assert terms.conjunction(()) is TRUE
    assert terms.disjunction(()) is FALSE
    assert terms.conjunction((TRUE, B)) is B
    assert terms.negate(terms.negate(B)) is B
    assert terms.implies(TRUE, B) is B
    assert terms.ite(B, X, X) is X


@pytest.mark.parametrize(
    "make",
    [
        lambda: binary("add", X, const(1, 9)),
        lambda: binary("add", B, B),
        lambda: binary("pow", X, X),
        lambda: compare("ult", B, B),
        lambda: const(0, 0),
        lambda: terms.extract(X, 4, 5),
        lambda: terms.extract(X, -1, 1),
        lambda: terms.concat((X, B)),
        lambda: terms.negate(X),
        lambda: terms.conjunction((X,)),
        lambda: terms.disjunction((B, X)),
        lambda: terms.ite(X, X, Y),
        lambda: Evaluator({})(X),
        lambda: Evaluator({})(Term("pow", (), 8)),
    ],
)
def test_nonsense_is_refused(make: object) -> None:
    assert callable(make)
    with pytest.raises(TermError):
        make()


def test_a_chain_of_100_000_terms_is_walked() -> None:
    t: Term = X
    for k in range(100_000):
        t = binary("add", t, const(k, 8))
    assert Evaluator({"x": 3})(t) == (3 + sum(range(100_000))) % 256
    assert terms.variables((t,)) == (X,)


def test_problems_are_cut_by_group() -> None:
    problem = Problem((((1, 0), (equal(X, Y),)), ((2, 0), (B,))), terms.negate(B))
    assert problem.names == ((1, 0), (2, 0))
    assert problem.without((1, 0)).names == ((2, 0),)
    assert problem.only([(1, 0)]).names == ((1, 0),)
    assert set(problem.variables()) == {X, Y, B}
