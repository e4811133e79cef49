"""Programs that would harm others do not, neither in changed runs nor in recordings that are to have no effects."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from butfor.counterfactual.fork_server import ForkServer, RunLimits
from butfor.errors import ReachesBeyond
from butfor.frontends.c.build import Build
from butfor.frontends.c.c_frontend import compile_program, record
from butfor.frontends.c.hooked_build import HookedBuild
from butfor.frontends.c.run_program import RunSpec
from butfor.options import Options
from butfor.trace.log.columns import EndReason
from tests.counterfactual.builds import build_of

SOURCE = Path(__file__).parent / "hostile.c"
DANGERS = re.findall(r'CASE\("(.+?)"\)', SOURCE.read_text())
# The kernel refuses these without telling the run's keeper.
SILENT = frozenset(("raw tgkill", "raw memfd", "raw send", "raw openat2", "raw clone3", "shared map"))
ASSEMBLY = frozenset(("32 open", "32 unlink"))  # which is not recorded: the recording ends there


@dataclass(frozen=True, slots=True)
class Victims:
    """A file and a process that somebody needs."""

    file: Path
    process: int

    def look(self) -> tuple[object, ...]:
        """All that a hostile program could change."""
        s = self.file.stat()
        proc = Path("/proc", str(self.process))
        lines = (proc / "status").read_text().splitlines()
        status = [line for line in lines if line.startswith(("TracerPid", "Cpus_allowed:"))]
        status += [line for line in lines if line.startswith(("State:\tT", "State:\tt", "State:\tZ"))]
        return (
            (s.st_mode, s.st_uid, s.st_mtime_ns, s.st_ctime_ns, s.st_nlink, self.file.read_bytes()),
            sorted(self.file.parent.iterdir()),
            status,
            (proc / "limits").read_text(),
            (proc / "oom_score_adj").read_text(),
            os.getpriority(os.PRIO_PROCESS, self.process),
            os.sched_getscheduler(self.process),
        )


@pytest.fixture
def victims(tmp_path: Path) -> Iterator[Victims]:
    folder = tmp_path / "precious"
    folder.mkdir()
    file = folder / "file"
    file.write_text("precious")
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as process:
        yield Victims(file, process.pid)
        process.kill()


@pytest.fixture(scope="module")
def hooked() -> HookedBuild:
    return build_of(SOURCE)[0]


@pytest.fixture(scope="module")
def recording() -> Build:
    return compile_program(Options(sources=(SOURCE,)), lambda text: None)


def test_changed_runs_harm_nobody(hooked: HookedBuild, victims: Victims) -> None:
    before = victims.look()
    own = ("nothing", str(victims.file), str(victims.process))
    limits = RunLimits(milliseconds=20_000)
    with ForkServer(hooked, "./hostile", RunSpec(own), b"", limits, str(victims.file.parent)) as server:
        for danger in DANGERS:
            server.set_input(RunSpec((danger, *own[1:])))
            outcome = server.run()
            if danger == "blocked":
                assert (os.WTERMSIG(outcome.status), bool(outcome.touched)) == (signal.SIGSYS, True)
                continue
            assert (danger, server.output(), outcome.exit_status) == (danger, b"done\n", 3)
            assert victims.look() == before, danger


def test_recordings_without_effects_harm_nobody_and_say_what_was_tried(
    recording: Build, victims: Victims, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = victims.look()
    monkeypatch.chdir(victims.file.parent)
    for danger in DANGERS:
        options = Options(sources=(SOURCE,), args=(danger, str(victims.file), str(victims.process)))
        try:
            made = record(options, recording, lambda text: None, is_fenced=True)
        except ReachesBeyond:
            pass
        else:
            if danger in ASSEMBLY:
                assert made.log.end.reason == EndReason.UNSUPPORTED
            else:
                assert danger in SILENT
                assert made.stdout == b"done\n"
        assert victims.look() == before, danger


def test_a_recording_without_effects_is_like_any_other_where_it_would_have_none(
    recording: Build, victims: Victims
) -> None:
    options = Options(sources=(SOURCE,), args=("nothing", str(victims.file), "0"))
    fenced = record(options, recording, lambda text: None, is_fenced=True)
    free = record(options, recording, lambda text: None)
    assert (fenced.stdout, fenced.log.end.status) == (free.stdout, free.log.end.status) == (b"done\n", 3)
    assert (fenced.log.seg == free.log.seg).all()
