"""Recordings whose columns do not fit together, or not their program, are refused before anything else reads them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from butfor.errors import RecordingError
from butfor.trace import frame_consistency
from butfor.trace.consistency import check_consistency
from butfor.trace.kernel.kernel_run import kernels
from butfor.trace.log.record_layout import DTYPES
from butfor.trace.recording import Recording
from tests.small import recorded

PROGRAM = """static jmp_buf back;
static int deep(int n, int *p) { if (n == 0) longjmp(back, 3); p[n % 4] += n; return deep(n - 1, p) + 1; }
struct two { int a, b; };
static int larger(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(int argc, char **argv) {
 int t[4] = {0};
 struct two s = {1, 2}, r;
 memcpy(&r, &s, sizeof r);
 qsort(t, 4, sizeof *t, larger);
 if (!setjmp(back)) deep(2000, t);
 printf("%d %d\\n", t[1], r.b);
 char *p = malloc(3);
 int x = p[1];
 free(p);
 return t[x & 3] + p[0]; }
"""


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    """A run of several windows with calls, copies, a jump, output and errors."""
    recording = recorded(tmp_path_factory.mktemp("good"), PROGRAM)
    check_consistency(recording.trace)
    return recording


def changed(good: Recording, to: Path, column: str, change: Callable[[Any], Any]) -> Recording:
    """The recording with another content of a column."""
    shutil.copytree(good.home, to)
    kind = good.log.seg.dtype if column == "seg" else DTYPES[column]
    rows = np.fromfile(to / column, kind)
    changed_rows = change(rows)
    (rows if changed_rows is None else changed_rows).tofile(to / column)
    return Recording(to, good.meta, good._contents.code, owned=False)


def put(row: int, name: str, value: int) -> Callable[[Any], None]:
    """A change of one number of a column of records."""

    def change(rows: Any) -> None:
        rows[name][row] = value

    return change


def set_all(value: int) -> Callable[[Any], None]:
    """A change of all numbers of a column."""

    def change(rows: Any) -> None:
        rows[:] = value

    return change


@pytest.mark.parametrize(
    ("column", "change", "said"),
    [
        ("seg", set_all(60000), "the number of a segment"),
        ("seg", lambda rows: rows[:-1], "truncated"),
        ("load", lambda rows: rows[:-9], "loads"),
        ("load", set_all(255), "writer"),
        ("value", lambda rows: rows[:-60], "too short"),
        ("address", lambda rows: rows[:-9], "too short"),
        ("word", lambda rows: rows[:3], "too short"),
        ("word", set_all(2**63), "frame of segment"),
        ("check", lambda rows: rows[:1], "truncated"),
        ("check", lambda rows: np.concatenate([rows, rows]), "checkpoints"),
        ("check", put(1, "loads", 2**63), "loads at a checkpoint"),
        ("check", put(1, "stores", 0), "stores at a checkpoint"),
        ("check", put(1, "frame", 1), "frame of segment"),
        ("check", put(0, "frames", 3), "frame of segment"),
        ("check", put(1, "escapes", 2**31), "at checkpoint"),
        ("check", put(1, "events", 2**31), "at checkpoint"),
        ("frame", lambda rows: rows[:5], "frame of segment"),
        ("frame", put(7, "parent", 9), "the caller of frame 7"),
        ("frame", put(7, "caller", 2**31), "the place of the call of frame 7"),
        ("frame", put(7, "entry", 3), "frame 7"),
        ("frame", put(7, "parent", 2), "frame of segment"),
        ("frame", put(7, "object", 2**31), "the first object of frame 7"),
        ("read", put(0, "runs", 200), "the parts of irregular read 0"),
        ("read", put(0, "size", 200), "the size of irregular read 0"),
        ("read", put(0, "source", 2**31 + 2**20), "irregular read 0"),
        ("event", put(0, "kind", 77), "the kind of event 0"),
        ("event", put(0, "run", 2**31), "the runs of event 0"),
        ("event", put(0, "runs", 2**31), "the runs of event 0"),
        ("event", put(0, "seg", 2**31), "the place of event 0"),
        ("event", put(0, "site", 2**20), "the instruction of event 0"),
        ("run", put(1, "id", 2**31 + 2**20), "the writer of bytes: 1"),
        ("object", lambda rows: rows[:1], "lacks objects"),
        ("object", put(-1, "size", 2**64 - 1), "the size of object"),
        ("object", put(-1, "kind", 9), "the kind of object"),
        ("object", put(-1, "frame", 2**30), "the frame of object"),
        ("object", put(-1, "birth", 2**30), "the birth of object"),
        ("death", put(0, "object", 2**30), "the object of death 0"),
        ("error", put(0, "object", 2**30), "the object of error 0"),
        ("error", put(0, "kind", 200), "the kind of error 0"),
        ("error", put(0, "seg", 2**30), "the place of error 0"),
        ("output", put(0, "piece", 2**30), "the pieces of output 0"),
        ("piece", put(0, "start", 2**30), "the bounds of piece 0"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_columns_that_do_not_fit(
    column: str, change: Callable[[Any], Any], said: str, good: Recording, tmp_path: Path
) -> None:
    bad = changed(good, tmp_path / "bad", column, change)
    with pytest.raises(RecordingError, match=said):
        check_consistency(bad.trace)


@pytest.mark.parametrize(
    ("column", "change"),
    [
        ("check", put(1, "frame", 1)),
        ("check", put(1, "frames", 9)),
        ("frame", put(7, "entry", 3)),
        ("frame", put(9, "parent", 2)),
        ("frame", lambda rows: rows[:1000]),
        ("word", set_all(2**63)),
        ("word", set_all(1)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_kernel_and_python_find_the_same_segment(
    column: str, change: Callable[[Any], Any], good: Recording, tmp_path: Path
) -> None:
    log = changed(good, tmp_path / "bad", column, change)
    found = frame_consistency.first_segment_out_of_place(log.trace)
    assert found == frame_consistency.out_of_place_by_python(log.log)
    assert found is not None


def test_the_kernel_and_python_accept_what_is_right(good: Recording) -> None:
    assert kernels() is not None
    assert frame_consistency.first_segment_out_of_place(good.trace) is None
    assert frame_consistency.out_of_place_by_python(good.log) is None


def test_code_of_another_program(good: Recording, tmp_path: Path) -> None:
    other = recorded(tmp_path, "int main(void) {\n int s = 0; for (int i = 0; i < 9; i++) s += i; return s; }\n")
    with pytest.raises(RecordingError):
        check_consistency(Recording(good.home, good.meta, other._contents.code, owned=False).trace)
