"""Whole answers as text, kept in this folder; everything else is checked by its structure, not by its words."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.commands import butfor_command

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"


def output(words: list[str], folder: Path) -> str:
    """What a command prints at 100 columns."""
    shutil.copytree(EXAMPLES, folder / "examples")
    done = butfor_command(words, folder, env={"COLUMNS": "100", "NO_COLOR": "1"})
    assert done.code == 0
    return done.stdout


def timeless(text: str) -> str:
    """The text without what a slow machine may not get done in time: proofs, and inputs that control the failure."""
    text = re.sub(r" · (?:proved|heuristic)\b", " · known", text)
    return re.sub(r"notes:\n  • the failure is controlled by [^•]*?\n\n", "", text).rstrip()


def test_the_explanation_of_the_triangle(tmp_path: Path) -> None:
    printed = output(["explain", "examples/triangle.c", "--", "6", "5", "4"], tmp_path)
    assert timeless(printed) == timeless((HERE / "triangle.txt").read_text("utf-8"))


@pytest.mark.slow
def test_the_repairs_of_the_triangle(tmp_path: Path) -> None:
    words = ["repair", "examples/triangle.c", "--tests", "examples/triangle-tests.json", "--budget", "120"]
    assert output(words, tmp_path) == (HERE / "triangle-repair.txt").read_text("utf-8")
