"""Buffer overflows in the style of the Verisec suite: the faulty statement is among the first five repairs or rows.

Each program says in its first comment how it is run and in which line its fault is.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from butfor import api
from butfor.options import make_options

PROGRAMS = sorted((Path(__file__).parent / "overflows").glob("*.c"))
QUICK = ("le_bound", "missing_check")


def test_there_are_enough() -> None:
    assert len(PROGRAMS) >= 8


@pytest.mark.parametrize(
    "program",
    [pytest.param(p, marks=[] if p.stem in QUICK else [pytest.mark.slow]) for p in PROGRAMS],
    ids=lambda p: p.stem if isinstance(p, Path) else "",
)
def test_the_fault_is_among_the_first_five(program: Path) -> None:
    head = program.read_text("utf-8").partition("*/")[0]
    args = re.findall(r"^ *args:(.*)", head, re.MULTILINE)[0].split()
    fault = int(re.findall(r"fault: (\d+)", head)[0])
    answer = api.repair(make_options(program, args=args, budget=90))
    assert answer.failure is not None
    assert answer.failure.kind in ("memory", "signal")
    repairs = answer.to_dict()["methods"]["repair"]["repairs"]
    assert fault in {*(r["line"] for r in repairs[:5]), *(row.line for row in answer.ranking[:5])}
    assert repairs, "every one of them can be mended with one edit"
