"""Writing repairs: only to files that are as they were, all or nothing, with a copy of the old content."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from butfor.errors import UsageError
from butfor.explanation import Explanation, Status
from butfor.methods.repair.apply_repair import BEST, apply_repair, chosen_repair

TEXT = "int a = 1;\r\nint b = 2; /* é */\n"


def repair(file: Path, new: str = "<=", kept: int = 1) -> dict[str, Any]:
    """A repair that replaces the `1`."""
    edit = {"file": str(file), "start": 8, "end": 9, "new": new}
    return {"edits": [edit], "failing_fixed": 1, "failing_total": 1, "passing_kept": kept, "passing_total": 1}


def explained(*repairs: dict[str, Any]) -> Explanation:
    """An answer with these repairs."""
    return Explanation(Status.EXPLAINED, methods={"repair": {"repairs": list(repairs)}})


@pytest.mark.parametrize("name", ["p.c", "a b;$(id).c", "-rf.c", "ü\n.c"])
def test_the_edit_is_written_and_the_old_content_kept(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_bytes(TEXT.encode())
    file.chmod(0o640)
    (written,) = apply_repair(repair(file, "7"), {str(file): TEXT})
    assert file.read_bytes() == TEXT.replace("1", "7", 1).encode()
    assert file.stat().st_mode & 0o777 == 0o640
    assert (written.file, written.backup) == (file, tmp_path / f"{name}.orig")
    assert written.backup.read_bytes() == TEXT.encode()
    assert sorted(os.listdir(tmp_path)) == sorted([name, f"{name}.orig"])


def test_copies_that_are_there_are_left_alone(tmp_path: Path) -> None:
    file, old = tmp_path / "p.c", tmp_path / "p.c.orig"
    file.write_bytes(TEXT.encode())
    old.write_text("older")
    (written,) = apply_repair(repair(file), {str(file): TEXT})
    assert old.read_text() == "older"
    assert written.backup.read_bytes() == TEXT.encode()


def test_a_file_that_changed_meanwhile_is_not_touched(tmp_path: Path) -> None:
    file = tmp_path / "p.c"
    file.write_text(TEXT + "// more\n")
    with pytest.raises(UsageError) as error:
        apply_repair(repair(file), {str(file): TEXT})
    assert "has changed since" in str(error.value)
    assert os.listdir(tmp_path) == ["p.c"]
    assert (
        file.read_text() == TEXT.replace("\r", "") + "// more\n" or file.read_bytes() == (TEXT + "// more\n").encode()
    )


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    file, link = tmp_path / "real.c", tmp_path / "link.c"
    file.write_bytes(TEXT.encode())
    link.symlink_to(file)
    apply_repair(repair(link, "7"), {str(link): TEXT})
    assert link.is_symlink()
    assert b"a = 7" in file.read_bytes()


def test_the_best_is_the_first_that_passes_all_tests(tmp_path: Path) -> None:
    bad, good = repair(tmp_path / "p.c", kept=0), repair(tmp_path / "p.c", "9")
    assert chosen_repair(explained(bad, good), BEST) == good
    assert chosen_repair(explained(bad, good), 1) == bad
    for answer, number in ((explained(bad), BEST), (explained(), BEST), (explained(good), 2)):
        with pytest.raises(UsageError):
            chosen_repair(answer, number)
