"""Values are shown as the program had them: what it prints of its variables is compared with what butfor says."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from butfor.frontends.c.c_frontend import compile_program, record
from butfor.ir.instructions import Const
from butfor.ir.machine_types import Kind, Type, int_type
from butfor.options import Options
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.view.source_places import Places
from butfor.trace.view.source_steps import Steps
from butfor.trace.view.string_literals import string_literal, wide_literal

SOURCES = [Path(__file__).parent / name for name in ("shown_values.c", "shown_layouts.c")]


@cache
def shown(source: Path) -> dict[tuple[str, int], tuple[str, str]]:
    """What was printed for each variable and what is shown for it, by the variable and how often it was printed."""
    options = Options(sources=(source,), args=("hello",))
    recording = record(options, compile_program(options, lambda text: None), lambda text: None)
    places = Places(recording)
    steps = Steps(places, places.objects, Dependence(recording.trace))
    latest: dict[str, str] = {}
    printed = iter(recording.stdout.decode("utf-8").splitlines())
    found: dict[tuple[str, int], tuple[str, str]] = {}
    for step in steps.between(0, len(recording.trace)):
        if step.kind == "assign" and step.target is not None and step.after is not None:
            latest[step.target] = step.after
        elif step.kind == "call" and recording.trace.instr(step.node).callee == "printf":
            name, _, value = next(printed).partition("=")
            count = sum(known == name for known, _ in found)
            found[name, count] = value, latest.get(name, "nothing")
            read = dict(step.uses).get(name, value)
            if read != value:
                found[f"{name} when it is read", count] = value, read
    return found


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_every_value_is_shown_as_the_program_printed_it(source: Path) -> None:
    wrong = {name: row for name, row in shown(source).items() if row[0] != row[1]}
    assert not wrong
    assert len(shown(source)) > 40


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"abc\0def", '"abc"'),
        (b'say "hi"\\', '"say \\"hi\\"\\\\"'),
        (b"\xff\x01\n", '"\\xff\\x01\\n"'),
        ("é".encode(), '"é"'),
        (b"x" * 41, '"' + "x" * 40 + '..."'),
    ],
)
def test_a_text_is_quoted_as_in_c(data: bytes, text: str) -> None:
    assert string_literal(data) == text


def test_a_wide_text_is_quoted_from_where_a_pointer_points() -> None:
    letters = tuple(Const("int", int_type(32), ord(c)) for c in "abc\0")
    init = Const("agg", Type(Kind.ARRAY, elems=(int_type(32),), count=4), letters)
    assert wide_literal(init, 4) == 'L"bc"'
