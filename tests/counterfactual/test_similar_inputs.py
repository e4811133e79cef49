"""Inputs near a given one: small, different, and the same ones every time."""

from __future__ import annotations

from butfor.counterfactual.similar_inputs import similar_inputs
from butfor.frontends.c.run_program import RunSpec

SPEC = RunSpec(args=("7", "averyverylongname"), stdin=b"add someothername 5\nlist\n")


def test_the_inputs_differ_and_are_the_same_every_time() -> None:
    found = list(similar_inputs(SPEC, 40))
    assert len(found) == 40
    assert len({(s.args, s.stdin) for s in found} | {(SPEC.args, SPEC.stdin)}) == 41
    assert found == list(similar_inputs(SPEC, 40))


def test_a_long_word_is_cut_to_half_before_anything_else() -> None:
    """A program that fails because of a word too long for its buffer is tried with one that fits."""
    first, second = list(similar_inputs(SPEC, 2))
    assert first.stdin == b"add someot 5\nlist\n"
    assert first.args == SPEC.args
    assert second.args == ("7", "averyver")
    assert second.stdin == SPEC.stdin


def test_an_input_of_nothing_has_no_similar_ones() -> None:
    assert list(similar_inputs(RunSpec(), 5)) == []
