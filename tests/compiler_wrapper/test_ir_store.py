"""The store of IR: nothing is kept twice, and what was not used for longest goes."""

from __future__ import annotations

import os
from pathlib import Path

from butfor.compiler_wrapper.ir_store import keep, place_of, prune


def _kept(store: Path, name: str, used: float) -> Path:
    """A kept unit of ten bytes that was used at that time."""
    path = Path(keep(str(store), "units", name, ".bc", b"0123456789"))
    os.utime(path, (used, used))
    return path


def test_what_was_not_used_for_longest_is_removed_first(tmp_path: Path) -> None:
    units = [_kept(tmp_path, f"{k}{k}{k}", 1000.0 + k) for k in range(4)]
    prune(str(tmp_path), max_bytes=25)
    assert [unit.exists() for unit in units] == [False, False, True, True]


def test_what_is_kept_again_counts_as_used(tmp_path: Path) -> None:
    units = [_kept(tmp_path, f"{k}{k}{k}", 1000.0 + k) for k in range(3)]
    keep(str(tmp_path), "units", "000", ".bc", b"0123456789")
    prune(str(tmp_path), max_bytes=10)
    assert [unit.exists() for unit in units] == [True, False, False]


def test_what_was_used_lately_and_the_compilers_stay(tmp_path: Path) -> None:
    unit = Path(keep(str(tmp_path), "units", "abc", ".bc", b"x" * 100))
    compiler = Path(keep(str(tmp_path), "bin", "abc", "", b"x" * 100))
    os.utime(compiler, (1000, 1000))
    prune(str(tmp_path), max_bytes=10)
    assert unit.exists()
    assert compiler.exists()
    assert place_of(str(tmp_path), "units", "abc", ".bc") == str(unit)
