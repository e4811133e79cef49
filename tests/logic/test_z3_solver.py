"""The solver and the evaluator are two opinions about the same terms; cores, limits and cancelling."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from butfor.logic import terms
from butfor.logic.evaluate import Evaluator
from butfor.logic.solvers import Limit, Verdict, default_solver
from butfor.logic.solvers.smtlib import script
from butfor.logic.solvers.solver import Problem
from butfor.logic.terms import Term, binary, compare, const, equal, negate, variable

WIDTHS = (1, 3, 8, 16, 32, 64, 80, 128)
CHEAP = sorted(terms.BINARY - {"mul", "udiv", "urem", "sdiv", "srem"})


@st.composite
def pools(draw: st.DrawFn) -> tuple[dict[str, int], list[Term]]:
    """Values of variables, and terms over them of every operation."""
    values: dict[str, int] = {}
    pool: list[Term] = []
    for k in range(draw(st.integers(1, 4))):
        width = draw(st.sampled_from(WIDTHS))
        values[f"x{k}"] = draw(st.integers(0, 2**width - 1) | st.sampled_from([0, 1, 2**width - 1, 2 ** (width - 1)]))
        pool.append(variable(f"x{k}", width))
    for _ in range(draw(st.integers(1, 25))):
        pool.append(_grown(draw, [t for t in pool if t.width], [t for t in pool if not t.width]))
    return values, pool


def _grown(draw: st.DrawFn, vectors: list[Term], booleans: list[Term]) -> Term:
    x = draw(st.sampled_from(vectors))
    y = terms.resize(draw(st.sampled_from(vectors)), x.width, draw(st.booleans()))
    match draw(st.sampled_from(("binary", "compare", "extract", "concat", "resize", "ite", "bool"))):
        case "binary":
            return binary(draw(st.sampled_from(sorted(terms.BINARY) if x.width <= 16 else CHEAP)), x, y)
        case "extract":
            low = draw(st.integers(0, x.width - 1))
            return terms.extract(x, low, draw(st.integers(1, x.width - low)))
        case "concat" if x.width <= 128:
            return terms.concat((x, terms.resize(y, min(y.width, 64))))
        case "resize":
            return terms.resize(x, draw(st.sampled_from(WIDTHS)), draw(st.booleans()))
        case "ite" if booleans:
            return terms.ite(draw(st.sampled_from(booleans)), x, y)
        case "bool" if booleans:
            some = draw(st.lists(st.sampled_from(booleans), max_size=3))
            return draw(st.sampled_from((negate(booleans[0]), terms.conjunction(some), terms.disjunction(some))))
        case _:
            return compare(draw(st.sampled_from(sorted(terms.COMPARISONS))), x, y)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(pools())
def test_the_evaluator_agrees_with_z3(drawn: tuple[dict[str, int], list[Term]]) -> None:
    values, pool = drawn
    evaluator = Evaluator(values)
    given_values = tuple(equal(t, const(values[str(t.data)], t.width)) for t in terms.variables(pool))
    as_evaluated = [
        equal(t, const(evaluator(t), t.width)) if t.width else t if evaluator(t) else negate(t) for t in pool
    ]
    result = default_solver().check(
        Problem((((0, 0), given_values),), negate(terms.conjunction(as_evaluated))), Limit.after(60)
    )
    assert result.verdict is Verdict.UNSAT


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(pools())
def test_a_model_satisfies_what_it_is_a_model_of(drawn: tuple[dict[str, int], list[Term]]) -> None:
    _, pool = drawn
    goals = [t for t in pool if not t.width]
    result = default_solver().check(
        Problem((((0, 0), tuple(goals[:-1])),), terms.conjunction(goals[-1:])), Limit.after(60)
    )
    assert result.verdict is not Verdict.UNKNOWN
    if result.verdict is Verdict.SAT:
        evaluator = Evaluator({**{str(v.data): 0 for v in terms.variables(pool)}, **result.model})
        assert all(evaluator(g) for g in goals)


X, Y, Z = (variable(name, 32) for name in "xyz")
SQUARE = Problem(
    (
        ((0, 0), (equal(X, const(3, 32)),)),
        ((0, 1), (equal(Y, binary("mul", X, X)),)),
        ((0, 2), (equal(Z, const(9, 32)),)),
        ((0, 3), (equal(Z, Y),)),
    ),
    negate(equal(Y, const(9, 32))),
)


def test_a_core_is_minimal_and_enough() -> None:
    solver = default_solver()
    result = solver.core(SQUARE, Limit.after(10))
    assert result.verdict is Verdict.UNSAT
    assert result.minimal
    assert set(result.core) in ({(0, 0), (0, 1)}, {(0, 2), (0, 3)})
    kept = SQUARE.only(result.core)
    assert solver.check(kept, Limit.after(10)).verdict is Verdict.UNSAT
    for name in result.core:
        assert solver.check(kept.without(name), Limit.after(10)).verdict is Verdict.SAT


def test_no_core_of_what_can_hold() -> None:
    result = default_solver().core(SQUARE.only([(0, 0)]), Limit.after(10))
    assert (result.verdict, result.core, result.minimal) == (Verdict.SAT, (), False)
    assert result.model["x"] == 3
    assert result.model["y"] != 9


def test_booleans_and_strange_names_come_back_in_models() -> None:
    p = variable("a name with spaces", 0)
    result = default_solver().check(Problem((((0, 0), (p,)),), negate(variable("other", 0))), Limit.after(10))
    assert dict(result.model) == {"a name with spaces": 1, "other": 0}


def _factoring() -> Problem[tuple[int, int]]:
    """A question that z3 does not answer while a test runs: the factors of a product of two large primes."""
    x, y = variable("x", 128), variable("y", 128)
    product = const(1000000000000000003 * 1000000000000000009, 128)
    small = tuple(compare("ult", const(1, 128), t) for t in (x, y)) + tuple(
        compare("ult", t, const(1 << 63, 128)) for t in (x, y)
    )
    return Problem((((0, 0), small),), equal(binary("mul", x, y), product))


@pytest.mark.parametrize("question", ["check", "core"])
def test_the_limit_ends_a_check_as_unknown(question: str) -> None:
    start = time.monotonic()
    result = getattr(default_solver(), question)(_factoring(), Limit.after(0.3))
    assert result.verdict is Verdict.UNKNOWN
    assert time.monotonic() - start < 100


@pytest.mark.parametrize("question", ["check", "core"])
def test_a_check_can_be_cancelled(question: str) -> None:
    cancelled = threading.Event()
    threading.Timer(0.2, cancelled.set).start()
    start = time.monotonic()
    result = getattr(default_solver(), question)(_factoring(), Limit.after(300, cancelled.is_set))
    assert result.verdict is Verdict.UNKNOWN
    assert time.monotonic() - start < 100


def test_nothing_is_asked_after_the_end() -> None:
    assert default_solver().check(SQUARE, Limit.after(0)).verdict is Verdict.UNKNOWN
    assert default_solver().check(SQUARE, Limit.after(9, lambda: True)).verdict is Verdict.UNKNOWN


def test_a_core_at_the_end_of_time_is_not_called_minimal() -> None:
    looks = iter([False, False])  # the first check and its watcher may go on
    result = default_solver().core(SQUARE, Limit.after(30, lambda: next(looks, True)))
    assert result.verdict is Verdict.UNKNOWN or (result.verdict is Verdict.UNSAT and not result.minimal)


def test_long_chains_and_shared_terms_do_not_blow_up() -> None:
    t: Term = variable("x", 32)
    for k in range(3_000):
        t = terms.ite(
            compare("ult", t, const(7 * k, 32)), binary("lshr", t, const(1, 32)), t
        )  # a tree of 3**3000 leaves
    problem = Problem(
        (((0, 0), (equal(variable("x", 32), const(5, 32)),)),), negate(equal(t, const(Evaluator({"x": 5})(t), 32)))
    )
    assert len(script(problem, False)) < 1_000_000
    assert default_solver().check(problem, Limit.after(60)).verdict is Verdict.UNSAT


def test_z3_is_imported_only_when_asked() -> None:
    imports = "import sys, butfor.encode.trace_formula, butfor.logic.solvers as solvers"
    code = f"{imports}; solvers.default_solver(); sys.exit('z3' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
