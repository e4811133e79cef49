"""Simplification and substitution keep the value of a term, whatever its variables are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butfor.logic.byte_rules import BYTES
from butfor.logic.evaluate import Evaluator
from butfor.logic.rules import Rules
from butfor.logic.simplify import ALGEBRA, FOLDING, NORMAL_FORM, Simplifier
from butfor.logic.substitute import substitute
from butfor.logic.terms import (
    BINARY,
    COMPARISONS,
    FALSE,
    TRUE,
    Term,
    binary,
    compare,
    concat,
    conjunction,
    const,
    disjunction,
    equal,
    extract,
    ite,
    negate,
    resize,
    variable,
)

X, Y, B = variable("x", 8), variable("y", 8), variable("b", 0)


def terms(width: int, depth: int) -> st.SearchStrategy[Term]:
    """Terms of 8 bits, or booleans when the width is 0."""
    if width:
        leaves: st.SearchStrategy[Term] = st.one_of(
            st.sampled_from((X, Y)), st.integers(0, 255).map(lambda v: const(v, 8))
        )
    else:
        leaves = st.sampled_from((B, TRUE, FALSE))
    if not depth:
        return leaves
    inner, truth = terms(8, depth - 1), terms(0, depth - 1)
    if width:
        return st.one_of(
            leaves,
            st.builds(binary, st.sampled_from(sorted(BINARY)), inner, inner),
            st.builds(ite, truth, inner, inner),
            st.builds(
                lambda t, low, signed: resize(extract(t, low, 4), 8, signed), inner, st.integers(0, 4), st.booleans()
            ),
            st.builds(lambda a, b: extract(concat((a, b)), 4, 8), inner, inner),
            st.builds(lambda t, signed: extract(resize(t, 16, signed), 0, 8), inner, st.booleans()),
        )
    return st.one_of(
        leaves,
        st.builds(compare, st.sampled_from(sorted(COMPARISONS)), inner, inner),
        st.builds(
            lambda t, k, size, signed: equal(binary("mul", resize(t, 32, signed), const(size, 32)), const(k, 32)),
            inner,
            *_SCALED,
        ),
        st.builds(
            lambda b, c, d, k: equal(binary("mul", ite(b, const(c, 8), const(d, 8)), const(48, 8)), const(k, 8)),
            truth,
            *(st.integers(0, 255) for _ in range(3)),
        ),
        st.builds(
            lambda t, k, signed: equal(resize(t, 16, signed), const(k, 16)), inner, st.integers(0, 65535), st.booleans()
        ),
        st.builds(negate, truth),
        st.builds(lambda a, b: conjunction((a, b)), truth, truth),
        st.builds(lambda a, b: disjunction((a, b)), truth, truth),
    )


_SCALED = (st.integers(-2000, 2000), st.integers(0, 40), st.booleans())


@pytest.mark.parametrize("rules", [FOLDING, ALGEBRA, NORMAL_FORM, BYTES])
@given(term=st.one_of(terms(8, 3), terms(0, 3)), x=st.integers(0, 255), y=st.integers(0, 255), b=st.integers(0, 1))
def test_a_simpler_term_has_the_same_value(rules: Rules, term: Term, x: int, y: int, b: int) -> None:
    value = Evaluator({"x": x, "y": y, "b": b})
    assert value(Simplifier(rules)(term)) == value(term)


@given(terms(0, 2), terms(8, 2), st.integers(0, 255), st.integers(0, 255), st.integers(0, 1))
def test_substitution_is_evaluation_in_two_steps(term: Term, new: Term, x: int, y: int, b: int) -> None:
    values = {"x": x, "y": y, "b": b}
    inner = Evaluator(values)(new)
    expected = Evaluator({**values, "x": inner})(term)
    assert Evaluator(values)(substitute(term, {"x": new})) == expected
    assert Evaluator(values)(substitute(term, {"x": new}, ALGEBRA)) == expected


@pytest.mark.parametrize(
    ("term", "simple"),
    [
        (
            equal(
                binary("add", binary("mul", resize(X, 64, signed=True), const(4, 64)), const(1000, 64)), const(1012, 64)
            ),
            equal(X, const(3, 8)),
        ),
        (equal(binary("mul", resize(X, 64), const(4, 64)), const(6, 64)), FALSE),
        (equal(binary("mul", resize(ite(B, const(1, 32), const(0, 32)), 64), const(16, 64)), const(16, 64)), B),
        (equal(resize(ite(B, const(1, 1), const(0, 1)), 32), const(0, 32)), negate(B)),
        (
            equal(ite(B, ite(equal(X, Y), const(1, 1), const(0, 1)), const(0, 1)), const(1, 1)),
            conjunction((B, equal(X, Y))),
        ),
    ],
)
def test_addresses_and_truth_values_become_readable(term: Term, simple: Term) -> None:
    assert Simplifier(NORMAL_FORM)(term) is simple
