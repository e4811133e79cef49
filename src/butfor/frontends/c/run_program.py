"""One run of a program that records itself, under limits."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from butfor.errors import CannotRecord, DiskFull, ReachesBeyond, UnsupportedError
from butfor.failures.crash import signal_name
from butfor.native.kept_process import KeptProcess
from butfor.options import DEFAULT_LOG_LIMIT

STOP_SIGNAL = 41  # the runtime's: finish the recording and end
_ADDR_NO_RANDOMIZE = 0x0040000  # of personality(2)
_QUERY_PERSONALITY = 0xFFFFFFFF
_MAX_POLL_SECONDS = 0.02  # between looks at the limits: a program writes megabytes meanwhile
_GRACE_SECONDS = 1.0  # for the runtime to finish the recording
_MIN_FREE_DISK_BYTES = 64 * 2**20  # what finishing the recording may need
_NO_ADDRESS_SPACE_STATUS = 125  # the runtime's: the shadow memory could not be mapped
_REFUSED = "refused"  # the file that says that the fence kept the run from something
_DISK_FULL_END = b"reason 8\n"  # the runtime's: how its file `end` begins when it could not write


@dataclass(frozen=True, slots=True)
class RunSpec:
    """One run: arguments, input, environment and limits (seconds, bytes of output and of log, megabytes of memory).

    `record_last` instructions at least are kept of a longer run, and what fits into `log_limit`. A run that `is_fenced`
    changes nothing outside of itself: nobody has asked for its effects.
    """

    args: tuple[str, ...] = ()
    stdin: bytes = b""
    env: tuple[tuple[str, str], ...] = ()
    nondet: tuple[int, ...] = ()
    time_limit: float = 10.0
    step_limit: int | None = None
    output_limit: int = 64 * 2**20
    log_limit: int = DEFAULT_LOG_LIMIT
    record_last: int | None = None
    memory_limit: int | None = None
    is_fenced: bool = False


@dataclass(frozen=True, slots=True)
class RunResult:
    """How the process ended. `limit` names the limit that stopped it, if one did."""

    returncode: int
    seconds: float
    limit: str


@contextlib.contextmanager
def reproducible_children() -> Iterator[None]:
    """Give programs started meanwhile the same addresses every time, and no core file.

    It is done in this process, because a child that prepares itself cannot be started the fast way; nothing lasts.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    personality = getattr(ctypes.CDLL(None), "personality", None)
    before = personality(_QUERY_PERSONALITY) if personality else -1
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, hard))
        if personality and before != -1:
            personality(before | _ADDR_NO_RANDOMIZE)
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, (soft, hard))
        if personality and before != -1:
            personality(before)


@contextlib.contextmanager
def _stop_signal_waits() -> Iterator[None]:
    """Let programs started meanwhile get the signal to stop only when their runtime can heed it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {STOP_SIGNAL})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def run(executable: Path, name: str, spec: RunSpec, home: Path, cwd: Path | None = None) -> RunResult:
    """How the program ended; its log, stdout and stderr are in files in `home`."""
    env = {**os.environ, **dict(spec.env), "BUTFOR_DIR": str(home)}
    if spec.step_limit is not None:
        env["BUTFOR_SEGMENTS"] = str(spec.step_limit)
    env["BUTFOR_LOG_LIMIT"] = str(spec.log_limit)
    if spec.record_last is not None:
        env["BUTFOR_LAST"] = str(spec.record_last)  # segments have at least one instruction each
    if spec.is_fenced:
        env["BUTFOR_FENCE"] = "1"
    if spec.nondet:
        env["BUTFOR_NONDET"] = ",".join(str(v & (2**64 - 1)) for v in spec.nondet)
    try:
        (home / "stdin").write_bytes(spec.stdin)
        with (
            open(home / "stdin", "rb") as stdin,
            open(home / "stdout", "wb") as out,
            open(home / "stderr", "wb") as err,
        ):
            start = time.perf_counter()
            with reproducible_children(), _stop_signal_waits():
                process = KeptProcess(
                    [name, *spec.args],
                    executable=executable,
                    stdin=stdin.fileno(),
                    stdout=out.fileno(),
                    stderr=err.fileno(),
                    env=env,
                    cwd=cwd,
                )
            with process:
                limit = _watch(process, spec, home, start)
            seconds = time.perf_counter() - start
    except OSError as e:
        raise DiskFull(f"the run could not be recorded in {home}: {e.strerror}") from e
    if limit == "disk" or ((home / "end").exists() and (home / "end").read_bytes().startswith(_DISK_FULL_END)):
        raise DiskFull(f"the disk became full while the run was recorded in {home.parent}")
    if spec.is_fenced and (process.returncode == -signal.SIGSYS or (home / _REFUSED).exists()):
        raise ReachesBeyond("the program was kept from changing files, or from acting on other programs or the machine")
    assert process.returncode is not None
    if limit and not (home / "end").exists():
        raise CannotRecord(
            f"the program reached its limit of {limit}, and did not let its recording be finished before it was ended"
        )
    if process.returncode != _NO_ADDRESS_SPACE_STATUS and not (home / "end").exists():
        how = (
            f"was ended by {signal_name(-process.returncode)}"
            if process.returncode < 0
            else f"ended with status {process.returncode}"
        )
        raise CannotRecord(f"the program {how} before its recording could be finished")
    if process.returncode == _NO_ADDRESS_SPACE_STATUS and not (home / "end").exists():
        raise UnsupportedError("recording without a large address space (ulimit -v or vm.overcommit_memory=2 is set)")
    return RunResult(process.returncode, seconds, limit)


def _watch(process: KeptProcess, spec: RunSpec, home: Path, start: float) -> str:
    """The name of the limit at which the process was stopped; empty when it ended by itself."""
    wait = 0.001
    while True:
        if process.wait(wait) is not None:
            return ""
        wait = min(wait * 2, _MAX_POLL_SECONDS)
        limit = _exceeded(process.pid, spec, home, time.perf_counter() - start)
        if limit:
            _stop(process)
            return limit


def _exceeded(pid: int, spec: RunSpec, home: Path, seconds: float) -> str:
    if seconds > spec.time_limit:
        return "time"
    if spec.memory_limit is not None and _resident_megabytes(pid) > spec.memory_limit:
        return "memory"
    if _size(home / "stdout") > spec.output_limit or _size(home / "stderr") > spec.output_limit:
        return "output"
    free = os.statvfs(home)
    if free.f_bavail * free.f_frsize < _MIN_FREE_DISK_BYTES:
        return "disk"
    return ""


def _resident_megabytes(pid: int) -> int:
    """The memory of a process, without files that it has mapped: these need not stay in memory."""
    try:
        _, resident, shared, *_ = Path(f"/proc/{pid}/statm").read_text().split()
    except (OSError, ValueError):
        return 0  # it has just ended
    return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE") >> 20


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _stop(process: KeptProcess) -> None:
    """Ask the runtime to finish, twice, then end the program; what it has started ends in any case."""
    for _ in range(2):
        process.send_signal(STOP_SIGNAL)
        process.send_signal(signal.SIGCONT)  # it may have stopped itself
        if process.wait(_GRACE_SECONDS) is not None:
            break
    process.end()
