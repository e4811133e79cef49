"""Fixtures that tests of several folders share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Path]:
    """A folder to work in; the scratch folder beside it, which `tests.small.run_in` gives to butfor, must be empty at the end."""
    folder, scratch = tmp_path / "work", tmp_path / "scratch"
    folder.mkdir()
    scratch.mkdir()
    yield folder
    assert list(scratch.iterdir()) == []
