"""Runs that do not end by themselves: limits, full disks, interruption. A message, a status, nothing left behind."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.commands import Done, butfor_process, run_in, scratch_environment
from tests.small import file_of

FINE = "int main(void) { return 0; }\n"


def limited(work: Path, resource_kind: int, most: int) -> Done:
    """The result of `butfor explain prog.c` as a process that gets at most so much of a resource."""

    def limit() -> None:
        resource.setrlimit(resource_kind, (most, most))

    return butfor_process(["explain", "prog.c"], work, env=scratch_environment(work), preexec_fn=limit)


def test_a_program_that_never_ends(work: Path) -> None:
    file_of(work, "int main(void) {\n  volatile int n = 1;\n  while (n)\n    n = 2 - n % 2;\n  return 0; }\n")
    done = run_in(work, "explain", "prog.c", "--method", "slice", "--time-limit", "0.05")
    assert done.code == 0
    assert "prog.c:3:3: the program was still running after 0." in done.stdout


def test_a_limit_that_is_over_before_the_recording_begins(work: Path) -> None:
    file_of(work, "int main(void) {\n  volatile int n = 1;\n  while (n)\n    n = 2 - n % 2;\n  return 0; }\n")
    done = run_in(work, "explain", "prog.c", "--method", "slice", "--time-limit", "0.0001")
    assert done.code == 0
    assert "prog.c:3:3: the program was still running after" in done.stdout


def test_a_program_that_sleeps(work: Path) -> None:
    file_of(work, "#include <unistd.h>\nint main(void) {\n  sleep(60);\n  return 0; }\n")
    done = run_in(work, "explain", "prog.c", "--method", "slice", "--time-limit", "0.2")
    assert done.code == 0
    assert "prog.c:3:3: the program was still running after" in done.stdout


def test_a_program_that_stops_itself(work: Path) -> None:
    file_of(work, "#include <signal.h>\nint main(void) {\n  raise(SIGSTOP);\n  return 1; }\n")
    done = run_in(work, "explain", "prog.c", "--method", "slice", "--time-limit", "0.2")
    assert done.code == 0
    assert "prog.c:3:3: the program was still running after" in done.stdout
    assert "line 3  `raise(SIGSTOP);` has not come back" in done.stdout


def test_a_program_that_blocks_all_signals(work: Path) -> None:
    text = (
        "#include <signal.h>\nint main(void) {\n  sigset_t all;\n  sigfillset(&all);\n"
        "  sigprocmask(SIG_BLOCK, &all, 0);\n"
        "  for (volatile int n = 1; n; n = 1) ;\n  return 0; }\n"
    )
    done = run_in(work, "explain", file_of(work, text), "--method", "slice", "--time-limit", "0.05")
    assert done.stderr or "still running" in done.stdout


def test_a_program_that_is_killed(work: Path) -> None:
    done = run_in(
        work, "explain", file_of(work, "#include <signal.h>\nint main(void) {\n  raise(SIGKILL);\n  return 0; }\n")
    )
    assert done.code in (0, 3)
    assert "SIGKILL" in done.stdout + done.stderr


def test_a_program_that_fills_the_disk(work: Path) -> None:
    file_of(
        work,
        "#include <stdio.h>\nint main(void) {\n  int n = 1;\n  while (n)\n"
        '    puts("a line that comes again and again");\n  return 0; }\n',
    )
    done = run_in(work, "explain", "prog.c", "--method", "slice", "--output-limit", "100000", "--time-limit", "20")
    assert done.code == 0
    assert "prog.c:4:3: the program wrote more output than the limit" in done.stdout


def test_no_room_for_the_recording(work: Path) -> None:
    """Files may not grow beyond 300 kB, as on a disk that is nearly full: said in words, status 3."""
    file_of(
        work, "int main(void) {\n  volatile int s = 0;\n  for (int i = 0; i < 300000; i++) s += i;\n  return 0; }\n"
    )
    assert run_in(work, "explain", "prog.c").code == 0  # compiled, without a limit
    done = limited(work, resource.RLIMIT_FSIZE, 300_000)
    assert (done.code, done.stdout) == (3, "")
    assert done.stderr.startswith("butfor: error: ")


def test_no_address_space(work: Path) -> None:
    file_of(work, FINE)
    assert run_in(work, "explain", "prog.c").code == 0
    done = limited(work, resource.RLIMIT_AS, 4 * 2**30)
    assert (done.code, done.stdout) == (3, "")
    assert "ulimit -v" in done.stderr


CLOSING = """#define _GNU_SOURCE
#include <assert.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int bad = 0, s = 0;
  closefrom(3);
  bad += close_range(3, ~0u, 0) != 0;
  for (int i = 3; i < 1024; i++) bad += close(i) == 0;
  for (int i = 3; i < 1024; i++) bad += dup2(i, 500) >= 0;
  for (int i = 0; i < 30000; i++) s += i;
  assert(bad == 0);
  assert(s == argc);
  return 0; }
"""


def test_a_program_that_closes_all_descriptors(work: Path) -> None:
    done = run_in(work, "explain", file_of(work, CLOSING), "--method", "slice")
    assert (done.code, done.stderr) == (0, "")
    assert "prog.c:12:3: assertion failed: s == argc" in done.stdout


def test_a_program_that_takes_all_memory(work: Path) -> None:
    file_of(
        work,
        "#include <stdlib.h>\nint main(void) {\n  char *p = malloc((size_t)1 << 62);\n"
        "  if (!p) return 4;\n  return 0; }\n",
    )
    done = run_in(work, "explain", "prog.c", "--method", "slice")
    assert done.code == 0
    assert "exit status 4, expected 0" in done.stdout


def test_the_budget_is_used_up(work: Path) -> None:
    text = (
        "#include <assert.h>\nint main(void) {\n  int s = 0;\n  for (int i = 0; i < 60000; i++) s += i % 3;\n"
        "  assert(s == 1);\n  return 0; }\n"
    )
    done = run_in(work, "explain", file_of(work, text), "--budget", "0.01")
    assert (done.code, done.stderr) == (4, "")
    assert "partial" in done.stdout
    assert "the budget of 0.01 s was used up" in done.stdout


def test_interrupted_while_the_program_runs(work: Path) -> None:
    file_of(
        work,
        "#include <stdio.h>\n#include <unistd.h>\nint main(void) {\n"
        '  printf("%d\\n", getpid()); fflush(stdout);\n  sleep(50);\n  return 0; }\n',
    )
    scratch = work.parent / "scratch"
    (work / "report").write_text("old")
    process = subprocess.Popen(
        [sys.executable, "-m", "butfor", "explain", "prog.c", "-o", "report", "--time-limit", "60"],
        cwd=work,
        env={**os.environ, "TMPDIR": str(scratch)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=_heeds_interrupts,
    )
    pid = _pid_written_below(scratch)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err.strip()) == (130, b"", b"butfor: interrupted; nothing was written")
    assert (work / "report").read_text() == "old"
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def _heeds_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell starts background jobs with it ignored


def _pid_written_below(scratch: Path) -> int:
    for _ in range(600):
        for path in scratch.glob("*/stdout"):
            if path.stat().st_size:
                return int(path.read_text())
        time.sleep(0.05)
    raise AssertionError("the program did not start")


def test_the_scratch_folder_is_empty_after_every_command(work: Path) -> None:
    file_of(work, "#include <assert.h>\nint main(void) { assert(0); }\n")
    assert run_in(work, "record", "prog.c", "-o", "run.bfr").code == 0
    assert run_in(work, "replay", "run.bfr", "--check").code == 0
    (work / "t.json").write_text('{"tests": [{}, {"args": ["x"]}]}')
    assert run_in(work, "explain", "prog.c", "--tests", "t.json").code == 0
