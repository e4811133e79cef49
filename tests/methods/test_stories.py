"""Stories as users read them: each program of the folder has its story next to it. `STORIES=write` writes them anew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from butfor import explain
from butfor.options import Options
from butfor.report.error_invariants_text import error_invariants_block
from butfor.report.text_page import make_page
from tests.corpus import read

FOLDER = Path(__file__).parent / "stories"
PROGRAMS = sorted(FOLDER.glob("*.c"))


def test_there_are_enough() -> None:
    assert len(PROGRAMS) >= 10


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.stem)
def test_story(program: Path) -> None:
    options: Options = read(program).options
    found = explain(program, args=options.args, stdin=options.stdin, methods=["error-invariants"], budget=60.0)
    told = "\n".join(error_invariants_block(make_page(110, False, "utf-8"), found, False)) + "\n"
    golden = program.with_suffix(".txt")
    if os.environ.get("STORIES") == "write":
        golden.write_text(told)
    assert told == golden.read_text()
    assert found.methods["error-invariants"]["complete"]
