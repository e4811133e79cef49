"""Edits change the bytes they name and no others; differences can be applied by `patch`."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from butfor.source.edits import Edit, apply_edits, lines_touched, unified_diff

STRANGE = "int größe = 1;\t/* € */\r\nint b = 2;\r\nint c = 3;".encode() + b"\xff\xfe // no text\n\x0c\n"


def edit_of(data: bytes, old: bytes, new: bytes) -> Edit:
    """The replacement of the only place of a text."""
    (at,) = [k for k in range(len(data)) if data.startswith(old, k)]
    return Edit("f.c", at, at + len(old), new)


def test_all_other_bytes_stay() -> None:
    done = apply_edits(STRANGE, [edit_of(STRANGE, b"3", b"30"), edit_of(STRANGE, b"= 1", b"= 4")])
    assert done == STRANGE.replace(b"= 1", b"= 4").replace(b"= 3", b"= 30")


def test_edits_that_overlap_are_refused() -> None:
    with pytest.raises(ValueError):
        apply_edits(b"abcdef", [Edit("f.c", 0, 3, b""), Edit("f.c", 2, 4, b"")])
    with pytest.raises(ValueError):
        apply_edits(b"abc", [Edit("f.c", 2, 9, b"")])


@pytest.mark.skipif(shutil.which("patch") is None, reason="needs `patch`")
@pytest.mark.parametrize("name", ["f.c", "a b.c", "tab\there.c", 'quote".c', "ü.c"])
@pytest.mark.parametrize("data", [STRANGE, STRANGE.rstrip(b"\n"), b"int c = 3;"])
def test_a_difference_makes_the_new_file_of_the_old_one(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    new = apply_edits(data, [edit_of(data, b"c = 3", b"c = 33")])
    text = unified_diff(data, new, name).encode("utf-8", "surrogateescape")
    subprocess.run(["patch", "-p1", "--binary"], input=text, cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / name).read_bytes() == new


def test_a_name_with_a_line_end_stays_on_its_line() -> None:
    head = unified_diff(b"a\n", b"b\n", "x\n--- evil.c").splitlines()
    assert len([row for row in head if row.startswith("---")]) == 1


def test_the_lines_that_an_edit_touches() -> None:
    data = b"int a;\n  if (a < 3)\n    b();\n"
    assert lines_touched(data, edit_of(data, b"<", b"<=")) == (2, "if (a < 3)", "if (a <= 3)")
