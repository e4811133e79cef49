"""Calls in processes of their own: what hangs, crashes or grows costs itself only, and nothing stays behind."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from butfor.batch.supervisor import CallLimits, supervised

LIMITS = CallLimits(seconds=20, megabytes=2000)


def crash() -> None:
    """End this process as a crash does."""
    os.kill(os.getpid(), signal.SIGKILL)


def fail() -> None:
    """Raise an error."""
    raise ValueError("no such thing")


def hang() -> None:
    """Take no end."""
    time.sleep(1000)


def grow() -> None:
    """Take more and more memory."""
    kept = []
    while True:
        kept.append(bytearray(os.urandom(1 << 20)) * 8)


def test_a_call_that_returns_is_done(tmp_path: Path) -> None:
    end = supervised(lambda: tmp_path.joinpath("out").touch(), LIMITS, tmp_path / "status")
    assert end.how == "done"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize(
    ("call", "limits", "how", "words"),
    [
        (crash, LIMITS, "signal", "SIGKILL"),
        (fail, LIMITS, "error", "ValueError: no such thing"),
        (hang, CallLimits(0.3, 2000), "time", "longer than 0.3 s"),
        (grow, CallLimits(20, 600), "memory", "more than 600 MB"),
    ],
)
def test_a_call_that_goes_wrong_says_how(
    tmp_path: Path, call: object, limits: CallLimits, how: str, words: str
) -> None:
    assert callable(call)
    end = supervised(call, limits, tmp_path / "status")
    assert end.how == how
    assert words in end.words


def test_orphans_of_a_call_are_ended(tmp_path: Path) -> None:
    mark = f"sleep {1000 + os.getpid() % 1000}.25"

    def leave_one_behind() -> None:
        # The shell ends at once, so that its child has lost its parent when the call is over.
        subprocess.run(["sh", "-c", f"{mark} & echo $! > {tmp_path}/orphan"], check=True)

    assert supervised(leave_one_behind, LIMITS, tmp_path / "status").how == "done"
    orphan = int((tmp_path / "orphan").read_text())
    assert not Path(f"/proc/{orphan}").exists()


def test_a_supervisor_that_is_killed_costs_the_call_only(tmp_path: Path) -> None:
    def kill_the_supervisor() -> None:
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(1000)

    assert supervised(kill_the_supervisor, LIMITS, tmp_path / "status").how == "lost"
