"""The store of results: whole ones only, damaged ones are not believed."""

from __future__ import annotations

from pathlib import Path

import pytest

from butfor.batch.result_store import ResultStore

KEY = "ab12cd"


@pytest.fixture
def store(tmp_path: Path) -> ResultStore:
    """A store with one result."""
    made = ResultStore(tmp_path / "store")
    made.put(KEY, {"status": "failed", "line": 7})
    return made


def file_of(store: ResultStore) -> Path:
    """The file of the only result."""
    (found,) = (path for path in store.folder.rglob("*") if path.is_file())
    return found


def test_a_result_is_found_again(store: ResultStore) -> None:
    assert ResultStore(store.folder).get(KEY) == {"status": "failed", "line": 7}
    assert store.get("ab12ce") is None


@pytest.mark.parametrize("at", [0, 30, 70, -1])
def test_a_damaged_result_is_taken_for_missing(store: ResultStore, at: int) -> None:
    path = file_of(store)
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)
    assert store.get(KEY) is None


@pytest.mark.parametrize("size", [0, 10, 64, 65, 80])
def test_a_result_that_was_cut_off_is_taken_for_missing(store: ResultStore, size: int) -> None:
    path = file_of(store)
    path.write_bytes(path.read_bytes()[:size])
    assert store.get(KEY) is None


def test_what_a_killed_batch_left_is_removed(store: ResultStore) -> None:
    left = file_of(store).with_name(".cd.json.999999999.0a1b")
    left.write_bytes(b"half")
    store.remove_leftovers()
    assert not left.exists()
    assert store.get(KEY) is not None
