"""SIGINT, SIGTERM and SIGHUP at any moment: butfor ends soon, says what it may, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.small import file_of

DRIVER = Path(__file__).with_name("signalled_butfor.py")
PROGRAM = """#include <stdio.h>
#include <assert.h>
int main(int argc, char **argv) {
    int s = 0;
    for (int i = 0; i < 50; i++) s += i % 7;
    printf("%d\\n", s);
    assert(s == argc);
    return 0; }
"""
WORDS = ("explain", "prog.c", "-o", "report.json", "--method", "slice,cascade,butfor")
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
MAX_SECONDS = 60.0


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with the program, an older report, and a folder for temporary files beside it."""
    work = tmp_path / "work"
    work.mkdir()
    (tmp_path / "scratch").mkdir()
    file_of(work, PROGRAM)
    (work / "report.json").write_text("old")
    return work


def signalled(place: Path, number: int, count: int) -> subprocess.CompletedProcess[bytes]:
    """How butfor ends that gets a signal after so many calls of its functions; 0: none, and stderr has their number."""
    environment = {**os.environ, "TMPDIR": str(place.parent / "scratch"), "BUTFOR_SIGNAL_TEST": str(place)}
    return subprocess.run(
        [sys.executable, str(DRIVER), str(int(number)), str(count), *WORDS],
        cwd=place,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=MAX_SECONDS,
        check=False,
        start_new_session=True,
        preexec_fn=lambda: [signal.signal(s, signal.SIG_DFL) for s in SIGNALS],
    )


def processes_of(place: Path) -> Iterator[str]:
    """Processes that butfor, or what it started, has left."""
    mark = f"BUTFOR_SIGNAL_TEST={place}".encode()
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and mark in (folder / "environ").read_bytes() and _is_alive(folder):
                yield (folder / "cmdline").read_bytes().decode("utf-8", "replace")
        except OSError:
            continue


def left_by(place: Path) -> list[str]:
    """Temporary files and processes that are still there."""
    return [*(p.name for p in (place.parent / "scratch").iterdir()), *processes_of(place)]


def _is_alive(folder: Path) -> bool:
    return (folder / "stat").read_text().rpartition(")")[2].split()[0] != "Z"


def check_ending(place: Path, number: int, count: int) -> None:
    """Fail unless butfor ends as it should when the signal comes at this moment."""
    (place / "report.json").write_text("old")
    done = signalled(place, number, count)
    what = (signal.Signals(number).name, count, done.returncode, done.stderr)
    assert done.returncode in (0, 4, 130, -number), what
    assert b"Traceback" not in done.stderr, what
    assert b"internal error" not in done.stderr, what
    text = (place / "report.json").read_text()
    assert text == "old" or json.loads(text)["failure"]["line"] == 7, what
    assert done.returncode not in (0, 4) or text != "old", what
    until = time.monotonic() + 10  # what looks after folders and processes ends after butfor
    while time.monotonic() < until and left_by(place):
        time.sleep(0.05)
    assert left_by(place) == [], what
    assert sorted(p.name for p in place.iterdir()) == ["prog.c", "report.json"], what


def calls_of_a_whole_run(place: Path) -> int:
    """How many functions are called in a run without a signal."""
    done = signalled(place, 0, 0)
    assert done.returncode == 0, done.stderr
    return int(done.stderr)


@pytest.mark.parametrize("count", [2_000, 60_000])
@pytest.mark.parametrize("number", SIGNALS, ids=lambda s: s.name)
def test_signals_at_some_moments(number: int, count: int, place: Path) -> None:
    check_ending(place, number, count)


@pytest.mark.slow
@pytest.mark.parametrize("number", SIGNALS, ids=lambda s: s.name)
def test_signals_at_a_thousand_moments(number: int, place: Path) -> None:
    whole = calls_of_a_whole_run(place)
    for count in random.Random(int(number)).sample(range(1, whole), 334):
        check_ending(place, number, count)
