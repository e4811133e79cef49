"""A command run as ever; what failed in it is run a second time, and recorded."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import stat
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from butfor.errors import ButforError
from butfor.failures.crash import signal_name
from butfor.frontends.c.build import Build
from butfor.frontends.c.c_frontend import finished_recording, new_recording_folder, record
from butfor.frontends.c.observed_runs.observe_starts import Ended, HandOver, Observer, Start
from butfor.frontends.c.whole_programs.build_twin import build_twin
from butfor.options import RunOptions
from butfor.trace.recording import Meta, Recording
from butfor.trace.recording_file import save

Progress = Callable[[str], None]
_FAILURE_SIGNALS = frozenset(
    (signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGTRAP, signal.SIGSYS)
)
_MAX_STDIN_BYTES = 64 * 2**20  # of a file or a pipe, kept with the recording
_PIPE_SECONDS = 1.0  # to wait for the end of what is written to a program; a partner that answers never ends
_LIMIT_END = b"reason 7\n"  # the runtime's: how its file `end` begins when the log was full
_LOG_BYTES_PER_PROCESS = 2 * 2**30
_LOG_BYTES_IN_ALL = 6 * 2**30  # of recordings that are kept until the end of the command


@dataclass(frozen=True, slots=True)
class ObserveOptions:
    """What counts as a failure, and how failures are recorded."""

    exit_status: bool = False  # a status other than 0 is a failure too
    rerun_only: bool = False  # run the failed starts again, not the whole command
    always: bool = False  # record every start the first time
    max_recordings: int = 10
    folder: Path = Path("butfor-failures")


@dataclass(frozen=True, slots=True)
class FailedStart:
    """A start that failed: how, and the file with its recording, or why there is none."""

    start: Start
    status: int
    recording: Path | None = None
    reason: str = ""

    @property
    def how(self) -> str:
        """How it ended, in words."""
        if self.status < 0:
            return f"was ended by {signal_name(-self.status)}"
        return f"ended with exit status {self.status}"


@dataclass(frozen=True, slots=True)
class ObservedCommand:
    """A command that was run: its exit status, how many starts were seen, and which of them failed."""

    status: int
    starts: int
    failures: tuple[FailedStart, ...]
    unseen: int = 0  # starts whose end nobody could see


def observe(command: Sequence[str], options: ObserveOptions, progress: Progress) -> ObservedCommand:
    """The command after it has run, with recordings of the starts that failed."""
    recorder = _Recorder(options, progress)
    first = Observer(recorder.hand_over_all if options.always else lambda start, pid: None)
    status = first.run(command)
    failed = [ended for ended in first.ended if recorder.is_failure(ended)]
    unseen = sum(1 for ended in first.ended if ended.status is None)
    if options.always:
        failures = [recorder.kept(ended) for ended in failed]
    elif not failed:
        failures = []
    elif options.rerun_only:
        failures = [recorder.rerun(ended) for ended in failed]
    else:
        failures = _run_again(command, failed, recorder, progress)
    recorder.clean_up()
    return ObservedCommand(status, len(first.ended), tuple(failures), unseen)


def _run_again(
    command: Sequence[str], failed: Sequence[Ended], recorder: _Recorder, progress: Progress
) -> list[FailedStart]:
    """What came of the failed starts when the command was run a second time, with recording."""
    recorder.prepare(failed)
    progress(f"running it again to record {len(recorder.wanted)} of {len(failed)} failures")
    second = Observer(recorder.hand_over_wanted)
    second.run(command)
    ended = {one.start: one for one in second.ended}
    return [recorder.confirmed(one, ended.get(one.start)) for one in failed]


@dataclass
class _Recorder:
    """Makes twins, hands starts over to them, and turns what they leave into recordings."""

    options: ObserveOptions
    progress: Progress
    twins: dict[tuple[str, Path], Build | str] = field(default_factory=dict)  # or why there is none
    wanted: set[Start] = field(default_factory=set)
    folders: list[Path] = field(default_factory=list)
    reasons: dict[Start, str] = field(default_factory=dict)  # why starts were not handed over
    saved: int = 0

    def is_failure(self, ended: Ended) -> bool:
        """Whether a start failed."""
        if ended.status is None:
            return False
        return -ended.status in _FAILURE_SIGNALS or (self.options.exit_status and ended.status > 0)

    def twin(self, start: Start) -> Build | str:
        """The twin of a program, or why there is none."""
        key = start.link, start.program
        if key not in self.twins:
            try:
                self.progress(f"making a recording twin of {start.program.name}")
                self.twins[key] = replace(build_twin(start.program, self.progress), binary=start.program)
            except ButforError as error:
                self.twins[key] = str(error)
        return self.twins[key]

    def prepare(self, failed: Sequence[Ended]) -> None:
        """Make the twins of failed starts, and choose which starts are recorded."""
        for ended in failed:
            if len(self.wanted) < self.options.max_recordings and isinstance(self.twin(ended.start), Build):
                self.wanted.add(ended.start)

    def hand_over_wanted(self, start: Start, pid: int) -> HandOver | None:
        """The twin for a start that failed the first time."""
        return self.hand_over_all(start, pid) if start in self.wanted else None

    def hand_over_all(self, start: Start, pid: int) -> HandOver | None:
        """The twin for any start that has one."""
        twin = self.twin(start)
        if not isinstance(twin, Build):
            return None
        if _folder_bytes(self.folders) > _LOG_BYTES_IN_ALL:
            self.reasons[start] = "too much had been recorded before"
            return None
        if _is_address_space_limited(pid):
            self.reasons[start] = "its address space is limited (ulimit -v), and a recording takes a lot of it"
            return None
        folder = new_recording_folder()
        self.folders.append(folder)
        return HandOver(twin.executable, folder, _kept_stdin(pid, folder / "stdin"), _LOG_BYTES_PER_PROCESS)

    def kept(self, ended: Ended) -> FailedStart:
        """A failed start that was recorded the first time."""
        assert ended.status is not None
        twin = self.twin(ended.start)
        if ended.was_recorded_in is None or not isinstance(twin, Build):
            reason = twin if isinstance(twin, str) else self.reasons.get(ended.start, "it was not recorded")
            return FailedStart(ended.start, ended.status, None, reason)
        return self._saved(ended, twin, ended.was_recorded_in)

    def confirmed(self, first: Ended, second: Ended | None) -> FailedStart:
        """A failed start, with what came of it the second time."""
        assert first.status is not None
        twin = self.twin(first.start)
        reason = ""
        if isinstance(twin, str):
            reason = twin
        elif first.start not in self.wanted:
            reason = f"only {self.options.max_recordings} failures are recorded (--max-recordings)"
        elif second is None:
            reason = "it was not started the second time"
        elif not self.is_failure(second):
            reason = "it did not fail the second time"
        elif second.was_recorded_in is None:
            reason = self.reasons.get(first.start, "it was not recorded")
        if reason or second is None or second.was_recorded_in is None or isinstance(twin, str):
            return FailedStart(first.start, first.status, None, reason)
        return self._saved(second, twin, second.was_recorded_in)

    def _saved(self, ended: Ended, twin: Build, folder: Path) -> FailedStart:
        assert ended.status is not None
        if not (folder / "end").exists():
            return FailedStart(ended.start, ended.status, None, "its recording could not be finished")
        if (folder / "end").read_bytes().startswith(_LIMIT_END):
            return FailedStart(ended.start, ended.status, None, "it is too long to be recorded")
        for name in ("stdin", "stdout", "stderr"):
            (folder / name).touch()
        meta = Meta(
            args=ended.start.args[1:],
            name=_invoked(ended.start),
            folder=ended.start.folder,
            env=_environment_changes(ended.start.environment),
            returncode=ended.status,
            seconds=ended.seconds,
            expect_exit=0 if ended.status > 0 else None,
        )
        return self._written(finished_recording(twin, folder, meta), ended)

    def rerun(self, ended: Ended) -> FailedStart:
        """A failed start, run once more by itself."""
        assert ended.status is not None
        twin = self.twin(ended.start)
        if isinstance(twin, str):
            return FailedStart(ended.start, ended.status, None, twin)
        if self.saved >= self.options.max_recordings:
            reason = f"only {self.options.max_recordings} failures are recorded (--max-recordings)"
            return FailedStart(ended.start, ended.status, None, reason)
        stdin = Path(ended.start.stdin)
        options = RunOptions(
            args=ended.start.args[1:],
            stdin=stdin if stdin.is_file() and stdin.stat().st_size <= _MAX_STDIN_BYTES else b"",
            env=_environment_changes(ended.start.environment),
            expect_exit=0 if ended.status > 0 else None,
            time_limit=max(RunOptions().time_limit, _SLOWER * ended.seconds),
        )
        try:
            recording = record(
                options, replace(twin, binary=Path(_invoked(ended.start))), self.progress, Path(ended.start.folder)
            )
        except ButforError as error:
            return FailedStart(ended.start, ended.status, None, str(error))
        again = replace(ended, status=recording.meta.returncode)
        if not self.is_failure(again):
            return FailedStart(ended.start, ended.status, None, "it did not fail the second time")
        return self._written(recording, again)

    def _written(self, recording: Recording, ended: Ended) -> FailedStart:
        assert ended.status is not None
        self.saved += 1
        self.options.folder.mkdir(parents=True, exist_ok=True)
        out = self.options.folder / f"{self.saved}-{ended.start.program.name}.bfr"
        save(recording, out)
        return FailedStart(ended.start, ended.status, out)

    def clean_up(self) -> None:
        """Remove recordings that were not kept."""
        for folder in self.folders:
            shutil.rmtree(folder, ignore_errors=True)


_SLOWER = 100  # times, at most, that a recorded program takes longer than the plain one


def _invoked(start: Start) -> str:
    """What the program found in argv[0]; where it was found on the PATH, its own path."""
    return start.args[0] if start.args and "/" in start.args[0] else str(start.program)


def _environment_changes(environment: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """The variables that differ from butfor's own, which a recorded run is given on top."""
    return tuple((name, value) for name, value in environment.items() if os.environ.get(name) != value and name)


def _folder_bytes(folders: Sequence[Path]) -> int:
    total = 0
    for folder in folders:
        with contextlib.suppress(OSError):
            total += sum(entry.stat().st_size for entry in os.scandir(folder))
    return total


def _is_address_space_limited(pid: int) -> bool:
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/limits").read_text().splitlines():
            if line.startswith("Max address space"):
                return "unlimited" not in line.split()[3]
    return False


def _kept_stdin(pid: int, to: Path) -> Path | None:
    """A copy of what a process finds on its standard input, to be read in its place; None where that cannot be known.

    Of a file, the process goes on with its own descriptor, so None is returned for it too, after copying.
    """
    there = f"/proc/{pid}/fd/0"
    try:
        kind = os.stat(there).st_mode
        if stat.S_ISREG(kind):
            if os.stat(there).st_size <= _MAX_STDIN_BYTES:
                shutil.copyfile(os.readlink(there), to)
            return None
        if stat.S_ISFIFO(kind):
            return to if _drained(there, to) else None
    except OSError:
        pass
    return None


def _drained(pipe: str, to: Path) -> bool:
    """Whether all that will ever be written to a pipe was copied: only once nobody can write to it any more."""
    with open(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0) as source:
        poll = select.poll()
        poll.register(source, 0)  # only the end: it is reported without being asked for
        if not poll.poll(_PIPE_SECONDS * 1000):
            return False
        to.write_bytes(source.read() or b"")
        return True
