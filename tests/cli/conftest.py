"""A directory with a program in it, and an analysis that is faked."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.helpers import FakeApi
from tests.report.sample import SOURCE


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory, with `prog.c`; the environment does not decide about colours or tracebacks."""
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "BUTFOR_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "prog.c").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeApi:
    """The analysis behind the command line."""
    api = FakeApi()
    api.install(monkeypatch)
    return api
