"""Projects built as a user would, with `butfor cc` as the compiler."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

LEDGER = Path(__file__).parent / "ledger"
BUTFOR = (sys.executable, "-m", "butfor")
WRAPPED_CC = " ".join((*BUTFOR, "cc"))


def run(command: list[str], folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """What a command wrote and how it ended."""
    env = {**os.environ, **variables}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=600)


def cc(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """One call of `butfor cc`."""
    return run([*BUTFOR, "cc", *arguments], folder, **variables)


def copied_ledger(folder: Path) -> Path:
    """A copy of the small project."""
    return Path(shutil.copytree(LEDGER, folder / "led ger"))


def built_by_make(folder: Path) -> Path:
    """The program of the small project, built by make."""
    project = copied_ledger(folder)
    done = run(["make", f"CC={WRAPPED_CC}", "ledger"], project)
    assert done.returncode == 0, done.stderr
    return project / "ledger"
