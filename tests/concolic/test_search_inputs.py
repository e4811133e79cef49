"""Answers of a solver as inputs, and terms made smaller."""

from __future__ import annotations

import random

import pytest

from butfor.concolic.decision_solving import guess
from butfor.concolic.search_inputs import STDIN, InputField, ProgramInput, Splice, input_from_model, with_splices
from butfor.logic.byte_rules import bit_is_set, simple_concat, simple_equal, simple_extract, simplified
from butfor.logic.evaluate import Evaluator
from butfor.logic.terms import Term, binary, compare, concat, const, extract, ite, resize, variable


def test_bytes_numbers_and_arguments() -> None:
    given = ProgramInput((b"ab",), b"xyz", (5,))
    assert input_from_model(given, {"s1": 65, "n2": 7, "a1_0": 66}, {}) == ProgramInput((b"Bb",), b"xAz", (5, 0, 7))


def test_an_argument_ends_at_a_zero_and_goes_on_without_one() -> None:
    assert input_from_model(ProgramInput((b"abc",)), {"a1_1": 0}, {}).args == (b"a",)
    assert input_from_model(ProgramInput((b"ab",)), {"a1_2": 99}, {}).args == (b"abc",)


def test_standard_input_grows_and_ends() -> None:
    assert input_from_model(ProgramInput(stdin=b"ab"), {"more": 1, "s2": 99}, {}).stdin == b"abc"
    assert input_from_model(ProgramInput(stdin=b"abc"), {"keep1": 0, "s0": 65}, {}).stdin == b"A"


def test_arguments_are_added_and_removed() -> None:
    assert len(input_from_model(ProgramInput((b"a",)), {"argc": 4}, {}).args) == 3
    assert input_from_model(ProgramInput((b"a", b"b")), {"argc": 2}, {}).args == (b"a",)


def test_fields_are_written_as_text() -> None:
    number = InputField("number", STDIN, 2, 3, 32, True)
    assert input_from_model(ProgramInput(stdin=b"x 1 y"), {"f": 2**32 - 25}, {"f": number}).stdin == b"x -25 y"
    length = InputField("length", 1, 0, 2, 64, False)
    assert input_from_model(ProgramInput((b"ab",)), {"l": 5}, {"l": length}).args == (b"abbbb",)
    assert input_from_model(
        ProgramInput((b"abcdef",)), {"l": 2}, {"l": InputField("length", 1, 0, 6, 64, False)}
    ).args == (b"ab",)


def test_of_overlapping_splices_the_first_counts() -> None:
    assert (
        with_splices(
            ProgramInput(stdin=b"abcdef"),
            [Splice(STDIN, 1, 3, b"-"), Splice(STDIN, 2, 4, b"+"), Splice(STDIN, 5, 6, b"!")],
        ).stdin
        == b"a-de!"
    )


@pytest.mark.parametrize("seed", range(60))
def test_simpler_terms_have_the_same_value(seed: int) -> None:
    pick = random.Random(seed)
    x, y = variable("x", 8), variable("y", 8)
    word = simple_concat([x, y, const(pick.randrange(256), 8), const(0, 8)])
    terms: list[Term] = [resize(x, 32), resize(y, 32, True), word]
    for _ in range(12):
        a, b = pick.choice(terms), pick.choice(terms)
        low = pick.randrange(24)
        bit = simplified(ite(compare(pick.choice(("ult", "sle", "eq")), a, b), const(1, 1), const(0, 1)))
        new = pick.choice(
            (
                simplified(binary(pick.choice(("add", "xor", "and", "sub")), a, const(pick.randrange(300), 32))),
                simplified(resize(simple_extract(a, low, 8), 32, pick.random() < 0.5)),
                simple_concat([simple_extract(a, 0, 8), simple_extract(a, 8, 8), simple_extract(a, 16, 16)]),
                simplified(resize(bit, 32)),
                simplified(ite(bit_is_set(bit), const(7, 32), const(9, 32))) if bit.op != "const" else a,
            )
        )
        plain = Evaluator({"x": 200, "y": 17})
        terms.append(new)
        k = const(pick.randrange(256), 32)
        assert plain(simple_equal(new, k)) == int(plain(new) == plain(k))
        assert plain(simple_extract(new, low, 8)) == plain(extract(new, low, 8))
        assert plain(simple_concat([simple_extract(new, 0, 16), simple_extract(new, 16, 16)])) == plain(
            concat([extract(new, 0, 16), extract(new, 16, 16)])
        )


def test_guesses_hold() -> None:
    x = variable("x", 32)
    goal = simple_equal(binary("add", x, const(3, 32)), const(100, 32))
    needed = [compare("ult", x, const(200, 32))]
    found = guess(goal, needed, {"x": 1})
    assert found is None or Evaluator({**found})(goal)
    byte = variable("b", 8)
    assert guess(simple_equal(byte, const(90, 8)), [], {"b": 0}) == {"b": 90}
    assert guess(simple_equal(byte, const(90, 8)), [simple_equal(byte, const(91, 8))], {"b": 0}) is None
