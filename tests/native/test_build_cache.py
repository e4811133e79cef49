"""The cache of compiled things: whole entries or none, and not more of them than there is room for."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from butfor.native import build_cache
from tests.commands import run_in
from tests.small import file_of

LONG_AGO = 1_000_000.0


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv(build_cache.CACHE_VARIABLE, str(folder))
    monkeypatch.setattr(build_cache, "_checked", set())
    return folder


def made(key: str, content: bytes = b"content") -> Path:
    """An entry with two files."""

    def make(work: Path) -> None:
        (work / "file").write_bytes(content)
        (work / "below").mkdir()
        (work / "below" / "other").write_bytes(b"other")

    return build_cache.entry("kind", key, make)


@pytest.mark.parametrize(
    "damage",
    [
        lambda home: (home / "file").write_bytes(b"contents"),
        lambda home: (home / "file").write_bytes(b""),
        lambda home: (home / "below" / "other").unlink(),
        lambda home: (home / "ok").write_bytes(b""),
        lambda home: (home / "ok").write_bytes(b"\xff\n"),
        lambda home: (home / "ok").unlink(),
    ],
)
def test_a_damaged_entry_is_made_again(damage: Callable[[Path], object], monkeypatch: pytest.MonkeyPatch) -> None:
    damage(made("key"))
    monkeypatch.setattr(build_cache, "_checked", set())  # as in another process
    assert build_cache.find("kind", "key") is None
    home = made("key")
    assert ((home / "file").read_bytes(), (home / "below" / "other").read_bytes()) == (b"content", b"other")
    assert build_cache.find("kind", "key") == home


def test_all_entries_are_looked_at_when_many_were_made_and_not_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(build_cache.SIZE_VARIABLE, "16")
    looks: list[None] = []
    prune = build_cache.prune

    def counted() -> None:
        looks.append(None)
        prune()

    monkeypatch.setattr(build_cache, "prune", counted)
    for number in range(24):
        made(str(number), bytes(100_000))  # two units: the limit is looked at after more than a sixteenth of it
    assert len(looks) == 2


def test_what_was_not_used_for_long_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(build_cache.SIZE_VARIABLE, "1")
    old, new = made("old", bytes(600_000)), made("new", bytes(600_000))
    for home in (old, new):
        assert home.exists(), "in use by somebody, for all that is known"
    for k, home in enumerate((old, new)):
        os.utime(home / "ok", (LONG_AGO + k, LONG_AGO + k))
    made("newest", bytes(600_000))
    assert [one.home.name for one in build_cache.entries()] == ["newest"]


def test_what_killed_builds_left_is_removed(own_cache: Path) -> None:
    left = own_cache / "kind" / "new-left"
    left.mkdir(parents=True)
    os.utime(left, (LONG_AGO, LONG_AGO))
    under_way = own_cache / "kind" / "new-under-way"
    under_way.mkdir()
    build_cache.prune()
    assert (left.exists(), under_way.exists()) == (False, True)


def test_the_command_shows_the_cache_and_clears_it(tmp_path: Path) -> None:
    home = made("key", bytes(3 * 2**20))
    shown = run_in(tmp_path, "cache").stdout
    assert str(home.parent.parent) in shown
    assert "kind" in shown
    assert "3.0 MB of 4,096.0 MB" in shown
    assert "3.0 MB removed" in run_in(tmp_path, "cache", "--clear").stdout
    assert (home.exists(), build_cache.entries()) == (False, [])


def test_explanations_are_the_same_with_a_damaged_cache(work: Path, own_cache: Path) -> None:
    """Every file in the cache is damaged between two runs."""
    file_of(work, "#include <assert.h>\nint main(int n, char **v) { int x = n; assert(x > 1); return 0; }\n")
    words = ("explain", "prog.c", "--method", "slice,butfor")
    first = run_in(work, *words)
    for file in own_cache.rglob("*"):
        if file.is_file() and not file.name.endswith((".so", "keeper")):  # which this process has loaded, and runs
            data = file.read_bytes()
            file.write_bytes(data[: len(data) // 2] + b"damage" + data[len(data) // 2 + 6 :])
    build_cache._checked.clear()
    start = time.monotonic()
    again = run_in(work, *words)
    assert (again.code, again.stderr) == (first.code, first.stderr)
    assert [line for line in again.stdout.splitlines() if "causes" in line or "prog.c" in line] == [
        line for line in first.stdout.splitlines() if "causes" in line or "prog.c" in line
    ]
    assert time.monotonic() - start < 300
