"""The example in the README is what the command prints."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def test_the_example_of_the_readme_is_real_output() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    shown = text.split("<!-- example -->\n```text\n")[1].split("\n```\n<!-- /example -->")[0]
    command = [sys.executable, "-m", "butfor", "explain", "examples/triangle.c", "--", "6", "5", "4"]
    env = {**os.environ, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1"}
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        check=True,
    )
    assert _timeless(done.stdout) == _timeless(shown)


def _timeless(text: str) -> str:
    """The text without what a slow machine may not get done in time: proofs, and the inputs that control the failure."""
    text = re.sub(r" · (?:proved|heuristic)\b", " · known", text)
    return re.sub(r"notes:\n  • the failure is controlled by [^•]*?\n\n", "", text).rstrip()


def test_the_example_of_find_is_real_output() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    shown = text.split("<!-- find -->\n```text\n")[1].split("\n```\n<!-- /find -->")[0].splitlines()
    command = [sys.executable, "-m", "butfor", "find", "examples/parking.c", "--budget", "120"]
    env = {**os.environ, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1"}
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        check=True,
    )
    lines = done.stdout.splitlines()
    assert [line for line in shown if line != "..." and line not in lines] == []


@pytest.mark.slow
def test_the_repairs_of_the_readme_are_real_output() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    shown = text.split("<!-- repair -->\n```text\n")[1].split("\n```\n<!-- /repair -->")[0]
    words = ["repair", "examples/triangle.c", "--tests", "examples/triangle-tests.json", "--budget", "120"]
    env = {**os.environ, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1"}
    command = [sys.executable, "-m", "butfor", *words]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        check=True,
    )
    assert done.stdout.rstrip() == shown
