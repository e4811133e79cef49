"""Terms as functions have the values that the evaluator gives them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butfor.logic.evaluate import MAX_TREE_SIZE, Evaluations, Evaluator
from butfor.logic.terms import Term, TermError, binary, const, equal, variable
from tests.logic.test_simplify import terms


@given(st.sampled_from((0, 8)).flatmap(lambda width: terms(width, 3)), st.integers(0, 255), st.integers(0, 255))
def test_a_term_as_a_function_has_the_same_value(term: Term, x: int, y: int) -> None:
    values = {"x": x, "y": y, "b": x & 1}
    assert Evaluations()(term)(values) == Evaluator(values)(term)


def test_terms_that_share_operands_many_times_are_evaluated_once_for_each() -> None:
    term = variable("x", 8)
    for _ in range(MAX_TREE_SIZE):
        term = binary("add", term, term)
    assert Evaluations()(equal(term, const(0, 8)))({"x": 1}) == 1


def test_a_variable_without_a_value_is_named() -> None:
    with pytest.raises(TermError, match="the variable y has no value"):
        Evaluations()(binary("add", variable("x", 8), variable("y", 8)))({"x": 1})


class _Recorded(dict[str, int]):
    def __missing__(self, name: str) -> int:
        return 7


@pytest.mark.parametrize("additions", [1, MAX_TREE_SIZE])
def test_values_that_a_mapping_makes_when_they_are_asked_for_are_values(additions: int) -> None:
    """Terms are functions up to a size; the larger ones are evaluated otherwise."""
    term = variable("x", 8)
    for _ in range(additions):
        term = binary("add", term, const(1, 8))
    assert Evaluations()(term)(_Recorded()) == (7 + additions) & 255
