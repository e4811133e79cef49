"""Inputs as units: what they are, and what a run is with another text in one."""

from __future__ import annotations

from pathlib import Path

from butfor.counterfactual.input_units import InputUnit, input_units, other_texts, run_inputs, with_text
from butfor.counterfactual.nondet_values import NondetType
from butfor.frontends.c.run_program import RunSpec


def test_units_of_all_sources(tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(b"7 x")
    world = run_inputs(RunSpec(("a", "data"), b"1 two", (("V", "v"),), (4,)), str(tmp_path), ())
    found = [(u.source, u.name, u.start, u.end, u.text) for u in input_units(world, ("V",), [NondetType(32)] * 2)]
    assert found == [
        ("argv", "1", 0, 1, "a"),
        ("nondet", "", 0, 1, "4"),
        ("nondet", "", 1, 2, "0"),
        ("stdin", "", 0, 1, "1"),
        ("stdin", "", 2, 5, "two"),
        ("stdin", "", 0, 5, "1 two"),
        ("env", "V", 0, 1, "v"),
        ("file", "data", 0, 1, "7"),
        ("file", "data", 2, 3, "x"),
        ("file", "data", 0, 3, "7 x"),
    ]


def test_another_text_in_a_unit(tmp_path: Path) -> None:
    world = run_inputs(RunSpec(("ab",), b"1 two", (("V", "v"),), (4,)), str(tmp_path), ())
    for unit, spec in (
        (InputUnit("argv", "1", 1, 2, "b"), RunSpec(("ax",), b"1 two", (("V", "v"),), (4,))),
        (InputUnit("stdin", "", 2, 5, "two"), RunSpec(("ab",), b"1 x", (("V", "v"),), (4,))),
        (InputUnit("env", "V", 0, 1, "v"), RunSpec(("ab",), b"1 two", (("V", "x"),), (4,))),
    ):
        changed = with_text(world, unit, "x")
        assert changed is not None
        assert changed.spec == spec
    changed = with_text(world, InputUnit("nondet", "", 2, 3, "0"), "9")
    assert changed is not None
    assert changed.spec.nondet == (4, 0, 9)
    assert with_text(world, InputUnit("argv", "1", 0, 2, "ab"), "a\0b") is None


def test_variants_differ_from_what_is_there() -> None:
    for text in ("5", "0", "abc", "", "x"):
        found = list(other_texts(InputUnit("argv", "1", 0, len(text), text)))
        assert text not in found
        assert len(found) == len(set(found)) > 2
