"""The path of a run, printed for those who work on butfor."""

from __future__ import annotations

from pathlib import Path

import pytest

from butfor.cli.show_path import main


def test_the_path_is_printed_and_verified(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prog.c", "--check"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any("main::x :=" in line for line in lines)
    assert lines[-1] == "the check cannot hold along the path: unsat"
