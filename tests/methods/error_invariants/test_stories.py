"""How programs came to fail: each program has the structure of its story beside it, three their full text."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from butfor import explain
from butfor.explanation import Explanation
from butfor.options import Options
from butfor.report.error_invariants_text import error_invariants_block
from butfor.report.text_page import make_page
from tests.answer_structure import REWRITE, compare_with_golden, story, structure
from tests.corpus import read

FOLDER = Path(__file__).parent / "stories"
PROGRAMS = sorted(FOLDER.glob("*.c"))
IN_FULL = ("account", "count", "list")  # calls and members; a loop that is folded; an assignment that did not happen


@cache
def explained(program: Path) -> Explanation:
    """The answer for a program of the folder."""
    options: Options = read(program).options
    return explain(program, args=options.args, stdin=options.stdin, methods=["error-invariants"], budget=60.0)


def test_there_are_enough() -> None:
    assert len(PROGRAMS) >= 10


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.stem)
def test_structure_of_the_story(program: Path) -> None:
    found = explained(program)
    assert found.methods["error-invariants"]["complete"]
    compare_with_golden({**structure(found), "story": story(found)}, program.with_suffix(".json"))


@pytest.mark.parametrize("name", IN_FULL)
def test_text_of_the_story(name: str) -> None:
    block = error_invariants_block(make_page(110, False, "utf-8"), explained(FOLDER / f"{name}.c"), False)
    told = "\n".join(block) + "\n"
    golden = FOLDER / f"{name}.txt"
    if os.environ.get(REWRITE) == "write":
        golden.write_text(told)
    assert told == golden.read_text()
