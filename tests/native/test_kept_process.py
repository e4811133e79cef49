"""Nothing that butfor has started, and none of its folders, is there after its end, whichever end that is."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from butfor.errors import CompileError
from butfor.native import build_cache
from butfor.native.kept_process import KeptProcess, new_folder, remove_folder
from butfor.native.run_tool import run_tool
from tests.commands import scratch_environment
from tests.small import file_of

# A session of its own, and a parent that is gone: neither its group nor its family leads to the last one.
FAMILY = "setsid sh -c 'sleep 1000 & sleep 1000 & :' & (setsid sleep 1000 &); sleep 1000"
BUTFOR = f"""
import os, signal, time
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # ignored, as by nohup, it would end nothing
signal.signal(signal.SIGINT, signal.default_int_handler)
from butfor.native.kept_process import KeptProcess, new_folder
home = new_folder()
(home / "file").touch()
program = KeptProcess(["sh", "-c", {FAMILY!r}], executable="/bin/sh", env=dict(os.environ))
print(home, flush=True)
time.sleep(1000)
"""
STAYS = r"""
#include <stdlib.h>
#include <unistd.h>
int main(void) {
  if (!fork()) {
    setsid();
    if (!fork())
      for (;;) pause();
    _exit(0);
  }
  for (;;) pause();
}
"""


def marked(mark: str) -> list[int]:
    """The processes that have this in their environment."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and f"BUTFOR_TEST_MARK={mark}\0".encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def running(mark: str, name: str) -> list[int]:
    """Those of them that run a program of this name."""
    found = []
    for process in marked(mark):
        with contextlib.suppress(OSError):  # it has just ended
            if Path(os.readlink(f"/proc/{process}/exe")).name == name:
                found.append(process)
    return found


def comes_true(ask: Callable[[], bool]) -> bool:
    """Whether the answer is yes within a time that is enough on a loaded machine."""
    end = time.monotonic() + 120
    while not ask() and time.monotonic() < end:
        time.sleep(0.02)
    return ask()


@pytest.mark.parametrize("end", ["SIGTERM", "SIGHUP", "SIGINT", "SIGKILL"])
def test_nothing_is_left_when_butfor_ends(end: str, tmp_path: Path) -> None:
    env = {**os.environ, "BUTFOR_TEST_MARK": str(tmp_path), "TMPDIR": str(tmp_path)}
    with (
        tempfile.TemporaryFile() as said,
        subprocess.Popen([sys.executable, "-c", BUTFOR], env=env, stdout=subprocess.PIPE, stderr=said) as p,
    ):
        assert p.stdout is not None
        home = Path(p.stdout.readline().decode().strip())
        has_begun = (home / "file").exists() and comes_true(lambda: len(marked(str(tmp_path))) >= 6)
        p.send_signal(signal.Signals[end])
        said.seek(0)
        assert has_begun, (home, marked(str(tmp_path)), said.read())
    assert comes_true(lambda: not marked(str(tmp_path)))
    assert comes_true(lambda: not home.exists())
    assert list(tmp_path.iterdir()) == []


def test_a_recorded_program_and_its_children_end_with_butfor(work: Path) -> None:
    file_of(work, STAYS)
    env = {**os.environ, **scratch_environment(work), "BUTFOR_TEST_MARK": str(work)}
    command = [sys.executable, "-m", "butfor", "explain", "prog.c", "--time-limit", "600"]
    with subprocess.Popen(command, cwd=work, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as p:
        has_begun = comes_true(lambda: len(running(str(work), "program")) == 2)
        p.kill()
    assert has_begun, "the program and its grandchild"
    assert comes_true(lambda: not marked(str(work)))
    assert comes_true(lambda: not list(Path(env["TMPDIR"]).glob("butfor-*")))


def test_how_a_program_ended_is_told() -> None:
    def ended(script: str) -> int | None:
        return KeptProcess(["sh", "-c", script], executable="/bin/sh", env={}).wait(20)

    assert [ended("exit 7"), ended("kill -9 $$"), ended("kill -TERM $$")] == [7, -signal.SIGKILL, -signal.SIGTERM]


def test_a_program_that_stops_itself_is_ended() -> None:
    with KeptProcess(["sh", "-c", "kill -STOP $$"], executable="/bin/sh", env={}) as process:
        assert process.wait(0.2) is None
        process.end()
        assert process.returncode == -signal.SIGKILL


def test_the_loader_of_the_keeper_does_not_see_what_is_for_the_program(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with open(out, "wb") as file:
        env = {"A": "1", "LD_BIND_NOW": "yes", "B": "2"}
        KeptProcess(["env"], executable="/usr/bin/env", env=env, stdout=file.fileno()).wait()
    assert out.read_text() == "A=1\nLD_BIND_NOW=yes\nB=2\n"


def test_a_cache_that_was_cleared_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(build_cache.CACHE_VARIABLE, str(tmp_path / "cache"))
    for _ in range(2):
        assert KeptProcess(["true"], executable="/bin/true", env={}).wait(20) == 0
        build_cache.clear()


def test_a_folder_that_was_removed_stays_removed() -> None:
    home = new_folder()
    remove_folder(home)
    assert not home.exists()


def test_a_compiler_that_waits_or_reads_without_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("butfor.native.run_tool._IDLE_SECONDS", 0.2)
    monkeypatch.setattr("butfor.native.run_tool._LOOK_SECONDS", 0.1)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CompileError, match="it waited for an input that did not come"):
        run_tool(["cat", str(tmp_path / "pipe")], "it does not compile")
    monkeypatch.setattr("butfor.native.run_tool._MEMORY_SHARE", 1e-4)
    with pytest.raises(CompileError, match="MB of memory"):
        run_tool([sys.executable, "-c", "x = bytearray(1 << 26)\nwhile True: pass"], "it does not compile")


def test_a_compiler_leaves_no_files_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    run_tool(["sh", "-c", 'touch "$TMPDIR/crash.c"'], "it does not compile")
    assert list(tmp_path.iterdir()) == []
