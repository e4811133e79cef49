"""Buffer overflows in the style of the Verisec suite: the faulty statement is among the first five repairs or rows.

Each program says in its first comment how it is run and in which line its fault is.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from butfor import api
from butfor.options import make_options
from tests.families import some_of

PROGRAMS = sorted((Path(__file__).parent / "overflows").glob("*.c"))


def head_of(program: Path) -> tuple[list[str], int]:
    """The arguments of a program and the line of its fault."""
    head = program.read_text("utf-8").partition("*/")[0]
    return re.findall(r"^ *args:(.*)", head, re.MULTILINE)[0].split(), int(re.findall(r"fault: (\d+)", head)[0])


def test_there_are_enough() -> None:
    assert len(PROGRAMS) >= 8


@pytest.mark.parametrize("program", some_of(PROGRAMS, lambda _, p: p.stem == "le_bound", lambda p: p.stem))
def test_the_fault_is_among_the_first_five(program: Path) -> None:
    args, fault = head_of(program)
    answer = api.repair(make_options(program, args=args, budget=90))
    assert answer.failure is not None
    assert answer.failure.kind in ("memory", "signal")
    found = answer.to_dict()["methods"]["repair"]
    assert found["repairs"], "every one of them can be mended with one edit"
    statements: dict[int, None] = {}
    for s in found["solutions"]:
        statements |= dict.fromkeys(row["line"] for row in s["statements"])
    assert fault in {*(r["line"] for r in found["repairs"][:5]), *list(statements)[:5]}


@pytest.mark.parametrize("program", some_of(PROGRAMS, lambda _, p: p.stem == "missing_check", lambda p: p.stem))
def test_the_fault_is_among_the_first_rows(program: Path) -> None:
    args, fault = head_of(program)
    answer = api.explain(make_options(program, args=args))
    assert fault in [row.line for row in answer.ranking[:5]]
