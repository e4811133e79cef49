"""The example of docs/add-a-report-format.md, added to a copy of the package as the page says, and used."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.report.sample import SOURCE

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "add-a-report-format.md").read_text("utf-8")
MODULE, RECORD = re.findall(r"^```python\n(.*?)^```", PAGE, re.M | re.S)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package and its tests, with the steps of the page done."""
    folder = tmp_path_factory.mktemp("checkout")
    for name in ("src", "tests/report", "tests/cli", "docs"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, folder)
    report = folder / "src" / "butfor" / "report"
    (report / "quickfix.py").write_text(MODULE)
    formats = (report / "formats.py").read_text("utf-8")
    (report / "formats.py").write_text(formats.replace("    PATCH,\n)", f"    {RECORD.strip()},\n    PATCH,\n)"))
    return folder


def python(checkout: Path, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """What `python WORDS` gives, with the package of the checkout."""
    path = os.pathsep.join([str(checkout / "src"), str(checkout)])
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.run(
        [sys.executable, *words], cwd=cwd, env=environment, input="", capture_output=True, text=True, check=False
    )


def test_the_new_format_is_offered_and_written(checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "prog.c").write_text(SOURCE)
    words = ["explain", "prog.c", "--method", "slice", "--no-memory-errors", "-o", "causes.err"]
    done = python(checkout, "-m", "butfor", *words, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    lines = (tmp_path / "causes.err").read_text().splitlines()
    assert all(re.match(rf"prog\.c:\d+:\d+: cause {rank}: ", line) for rank, line in enumerate(lines, 1))
    assert any("prog.c:7:9: " in line and ": x = x - 2; (" in line for line in lines)


def test_the_tests_of_all_formats_are_its_tests_too(checkout: Path) -> None:
    words = ["-q", "-k", "quickfix or documents", "tests/report/test_formats.py", "tests/cli/test_report_targets.py"]
    done = python(checkout, "-m", "pytest", *words, cwd=checkout)
    assert "1 failed, 3 passed" in done.stdout, done.stdout
    assert "AssertionError: quickfix" in done.stdout  # its row in the documents is missing, and the test says so
