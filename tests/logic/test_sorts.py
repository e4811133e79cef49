"""Unbounded numbers and maps: terms, their values, and the same values from solvers."""

from __future__ import annotations

import pickle
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from butfor.logic import terms as t
from butfor.logic.evaluate import Evaluator
from butfor.logic.solvers import Limit, Solver, Verdict, default_stack
from butfor.logic.solvers.process_solver import ProcessSolver, ProcessStack
from butfor.logic.solvers.solver import Problem
from butfor.logic.solvers.z3_solver import Z3Solver
from butfor.logic.sorts import INT, REAL, MapSort, MapValue, Value, default_value, same_value, sort_name
from butfor.logic.terms import Term, TermError, constant, equal, negate, number, variable

INTS = MapSort(INT, INT)
NESTED = MapSort(INT, INTS)
FLAGS = MapSort(0, 0)
N, J, R, M, X, B = (variable(n, s) for n, s in (("i", INT), ("j", INT), ("r", REAL), ("m", INTS), ("x", 8), ("b", 0)))
Z3 = Path(sys.executable).parent / "z3"
SOLVERS = [
    pytest.param(Z3Solver(), id="z3"),
    pytest.param(
        ProcessSolver([str(Z3), "-in"]),
        id="process",
        marks=pytest.mark.skipif(not Z3.exists(), reason="the z3 program is not installed"),
    ),
]


def test_sorts_are_numbers() -> None:
    assert MapSort(INT, INT) == INTS
    assert len({INT, REAL, INTS, NESTED, FLAGS, 0, 8}) == 7
    assert sort_name(NESTED) == "(Array Int (Array Int Int))"
    assert pickle.loads(pickle.dumps(NESTED)) == NESTED
    with pytest.raises(ValueError):
        MapSort(INTS, INT)


def test_maps_between_different_sorts_are_different_sorts() -> None:
    simple = (INT, REAL, *range(70))
    flat = {MapSort(index, value) for index in simple for value in simple}
    nested = {MapSort(index, value) for index in simple for value in flat}
    assert len(flat | nested) == len(simple) ** 2 + len(simple) ** 3
    assert max(flat | nested) < REAL


@pytest.mark.parametrize(
    "make",
    [
        lambda: t.binary("add", N, J),
        lambda: t.compare("ult", N, J),
        lambda: t.compare("sle", R, R),
        lambda: t.concat((X, N)),
        lambda: t.concat((M, X)),
        lambda: t.resize(N, 8),
        lambda: t.extract(N, 0, 1),
        lambda: t.negate(N),
        lambda: t.conjunction((N,)),
        lambda: t.ite(N, X, X),
        lambda: t.const(1, INT),
        lambda: t.variable("x", -1000),
        lambda: t.number(Fraction(1, 2), INT),
        lambda: t.number(1, 8),
        lambda: t.arithmetic("plus", X, X),
        lambda: t.arithmetic("over", N, N),
        lambda: t.arithmetic("mod", R, R),
        lambda: t.arithmetic("plus", N, R),
        lambda: t.order("lt", X, X),
        lambda: t.order("lt", B, B),
        lambda: t.converted(X, INT),
        lambda: t.select(N, J),
        lambda: t.select(M, R),
        lambda: t.store(M, N, R),
        lambda: equal(N, R),
        lambda: t.rebuild(equal(N, J), (X, X)),
    ],
)
def test_sorts_that_do_not_fit_are_refused(make: object) -> None:
    assert callable(make)
    with pytest.raises(TermError):
        make()


@pytest.mark.parametrize(
    ("x", "y", "div", "mod"),
    [(7, 2, 3, 1), (-7, 2, -4, 1), (7, -2, -3, 1), (-7, -2, 4, 1), (6, 3, 2, 0), (-6, 3, -2, 0), (5, 0, 0, 5)],
)
def test_integer_division_leaves_no_negative_rest(x: int, y: int, div: int, mod: int) -> None:
    value = Evaluator({"i": x, "j": y})
    assert (value(t.arithmetic("div", N, J)), value(t.arithmetic("mod", N, J))) == (div, mod)


def test_maps_are_equal_when_all_their_elements_are() -> None:
    assert same_value(INTS, MapValue(0, {1: 2}), MapValue(0).having(1, 5).having(1, 2))
    assert MapValue(0).having(1, 5).having(1, 0) == MapValue(0)
    assert not same_value(INTS, MapValue(0, {1: 2}), MapValue(2, {1: 2}))
    assert same_value(FLAGS, MapValue(0, {1: 1}), MapValue(1, {0: 0}))
    assert not same_value(FLAGS, MapValue(0), MapValue(0, {1: 1}))


_VALUES: dict[int, st.SearchStrategy[Value]] = {
    0: st.integers(0, 1),
    8: st.integers(0, 255),
    INT: st.integers(-50, 50),
    REAL: st.fractions(-9, 9, max_denominator=7),
    INTS: st.builds(MapValue, st.integers(-3, 3), st.dictionaries(st.integers(-4, 4), st.integers(4, 9), max_size=3)),
    FLAGS: st.builds(MapValue, st.just(0), st.dictionaries(st.integers(0, 1), st.just(1), max_size=2)),
    NESTED: st.builds(lambda d: MapValue(MapValue(0), {3: MapValue(d, {1: 20})}), st.integers(-3, 3)),
}


@pytest.mark.parametrize("solver", SOLVERS)
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_values_come_back_from_solvers(solver: Solver, data: st.DataObject) -> None:
    wanted = {sort: data.draw(strategy) for sort, strategy in _VALUES.items()}
    cells = {sort: variable(f"v{k}", sort) for k, sort in enumerate(wanted)}
    problem = Problem((((0, 0), tuple(equal(cells[s], constant(v, s)) for s, v in wanted.items())),), t.TRUE)
    result = solver.check(problem, Limit.after(20.0))
    assert result.verdict is Verdict.SAT
    for sort, value in wanted.items():
        assert same_value(sort, result.model[str(cells[sort].data)], value)
        assert same_value(sort, Evaluator({})(constant(value, sort)), value)


def _ints(depth: int) -> st.SearchStrategy[Term]:
    leaf = st.one_of(st.sampled_from((N, J)), st.integers(-5, 5).map(lambda n: number(n, INT)))
    if not depth:
        return leaf
    inner = _ints(depth - 1)
    return st.one_of(
        leaf,
        st.builds(t.arithmetic, st.sampled_from(("plus", "minus", "times", "div", "mod")), inner, inner),
        st.builds(lambda i, k, v: t.select(t.store(M, k, v), i), inner, inner, inner),
        st.builds(lambda i: t.converted(t.arithmetic("over", t.converted(i, REAL), R), INT), inner),
        st.builds(lambda c, x, y: t.ite(t.order("lt", c, x), x, y), inner, inner, inner),
    )


@settings(max_examples=40, deadline=None)
@given(_ints(2), st.integers(-6, 6), st.integers(-6, 6), st.fractions(-3, 3, max_denominator=4), _VALUES[INTS])
def test_z3_computes_what_the_evaluator_computes(term: Term, i: int, j: int, r: Fraction, m: MapValue) -> None:
    value = Evaluator({"i": i, "j": j, "r": r, "m": m})(term)
    known = (equal(N, number(i, INT)), equal(J, number(j, INT)), equal(R, number(r, REAL)), equal(M, constant(m, INTS)))
    problem = Problem((((0, 0), known),), negate(equal(term, number(value, INT))))
    assert Z3Solver().check(problem, Limit.after(20.0)).verdict is Verdict.UNSAT


@pytest.mark.parametrize(
    "process",
    [False, pytest.param(True, marks=pytest.mark.skipif(not Z3.exists(), reason="the z3 program is not installed"))],
)
def test_layers_come_and_go(process: bool) -> None:
    stack = ProcessStack([str(Z3), "-in"]) if process else default_stack()
    first, small, large = (
        (t.order("lt", number(3, INT), N),),
        (equal(N, number(5, INT)),),
        (t.order("lt", N, number(2, INT)),),
    )
    limit = Limit.after(20.0)
    assert stack.check([first, small], limit, [N, J]).model == {"i": 5, "j": default_value(INT)}
    assert stack.check([first, large], limit).verdict is Verdict.UNSAT
    assert stack.check([large], limit).verdict is Verdict.SAT
    assert stack.check([first, small], limit, [N]).model == {"i": 5}


def test_a_number_that_is_no_fraction_is_unknown() -> None:
    square = equal(t.arithmetic("times", R, R), number(2, REAL))
    assert Z3Solver().check(Problem((((0, 0), (square,)),), t.TRUE), Limit.after(20.0)).verdict is Verdict.UNKNOWN
