"""Fixtures that tests of several folders share."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Path]:
    """A folder to work in; the scratch folder beside it, for temporary files of butfor, must be empty at the end."""
    folder, scratch = tmp_path / "work", tmp_path / "scratch"
    folder.mkdir()
    scratch.mkdir()
    yield folder
    if any(scratch.iterdir()):
        gc.collect()  # a recording removes its folder when nothing refers to it, at the latest when the process ends
    assert list(scratch.iterdir()) == []
