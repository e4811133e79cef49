"""What substitution calls implied is implied, and the usual steps of a path are decided by it."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from butfor.logic.evaluate import Evaluator
from butfor.logic.local_implication import surely_implies
from butfor.logic.terms import Term, binary, compare, conjunction, const, disjunction, equal, implies, negate, variable

BITS = 2
A, B, C = (variable(name, BITS) for name in "abc")
P, Q = variable("p", 0), variable("q", 0)
VALUES = [
    dict(zip("abcpq", row, strict=True)) for row in product(*(range(1 << BITS) for _ in "abc"), range(2), range(2))
]

numbers = st.sampled_from((A, B, C, const(1, BITS), const(2, BITS)))
sums = st.one_of(numbers, st.builds(binary, st.sampled_from(("add", "sub")), numbers, numbers))
truths = st.sampled_from((P, Q, negate(P)))
atoms = st.one_of(truths, st.builds(equal, numbers, sums), st.builds(compare, st.just("ult"), numbers, sums))
facts = st.one_of(
    atoms,
    atoms.map(negate),
    st.builds(implies, truths, atoms),
    st.builds(equal, truths, atoms),
    st.builds(lambda x, y: conjunction((x, y)), atoms, atoms),
    st.builds(lambda x, y: disjunction((x, y)), atoms, atoms),
)


@given(st.lists(facts, max_size=5), st.lists(facts, min_size=1, max_size=2))
def test_what_is_called_implied_is_implied(known: list[Term], wanted: list[Term]) -> None:
    if surely_implies(known, wanted):
        for values in VALUES:
            holds = Evaluator(values)
            assert not all(map(holds, known)) or all(map(holds, wanted))


def test_an_assignment_of_constants_is_decided() -> None:
    assert surely_implies(
        [equal(A, const(1, BITS)), equal(B, binary("add", A, const(1, BITS)))], [equal(B, const(2, BITS))]
    )


def test_a_frame_under_a_condition_that_holds_is_decided() -> None:
    less = compare("ult", A, C)
    assert surely_implies([less, equal(P, less), implies(P, equal(B, A))], [compare("ult", B, C)])


def test_what_does_not_follow_is_not_decided() -> None:
    assert not surely_implies([equal(P, compare("ult", A, C)), implies(P, equal(B, A))], [compare("ult", B, C)])
