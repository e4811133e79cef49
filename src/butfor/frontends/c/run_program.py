"""Running a recorded program under limits."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from butfor.errors import CannotRecord, DiskFull, UnsupportedError

STOP_SIGNAL = 41  # the runtime's: finish the recording and end
_NO_RANDOM = 0x0040000
_ASK = 0xFFFFFFFF
_POLL = 0.02
_GRACE = 1.0


@dataclass(frozen=True, slots=True)
class RunSpec:
    """One run: arguments, input, environment and limits (seconds, bytes of output, bytes of log)."""

    args: tuple[str, ...] = ()
    stdin: bytes = b""
    env: tuple[tuple[str, str], ...] = ()
    nondet: tuple[int, ...] = ()
    time_limit: float = 10.0
    step_limit: int | None = None
    output_limit: int = 64 * 2**20
    log_limit: int = 8 * 2**30


@dataclass(frozen=True, slots=True)
class RunResult:
    """How the process ended. `limit` names the limit that stopped it, if one did."""

    returncode: int
    seconds: float
    limit: str


@contextlib.contextmanager
def prepared() -> Iterator[None]:
    """Programs started meanwhile get the same addresses every time and leave no core file. Done here, because a child that prepares itself
    cannot be started the fast way; of this process it changes nothing that lasts."""
    soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    personality = getattr(ctypes.CDLL(None), "personality", None)
    before = personality(_ASK) if personality else -1
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, hard))
        if personality and before != -1:
            personality(before | _NO_RANDOM)
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, (soft, hard))
        if personality and before != -1:
            personality(before)


def prepare() -> None:
    """Runs in the child: same addresses every time, no core file, a new session."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).personality(_NO_RANDOM)


def run(executable: Path, name: str, spec: RunSpec, home: Path, cwd: Path | None = None) -> RunResult:
    """Runs the program; its log, stdout and stderr go to files in `home`."""
    env = {**os.environ, **dict(spec.env), "BUTFOR_DIR": str(home)}
    if spec.step_limit is not None:
        env["BUTFOR_SEGMENTS"] = str(spec.step_limit)
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
            with prepared():
                process = subprocess.Popen(
                    [name, *spec.args],
                    executable=executable,
                    stdin=stdin,
                    stdout=out,
                    stderr=err,
                    env=env,
                    cwd=cwd,
                    start_new_session=True,
                )
            try:
                limit = _watch(process, spec, home, start)
            except BaseException:
                _kill(process)
                raise
            seconds = time.perf_counter() - start
    except OSError as e:
        raise DiskFull(f"the run could not be recorded in {home}: {e.strerror}") from e
    if limit == "disk" or ((home / "end").exists() and (home / "end").read_bytes().startswith(b"reason 8\n")):
        raise DiskFull(f"the disk became full while the run was recorded in {home.parent}")
    if process.returncode != 125 and not (home / "end").exists():
        how = (
            f"was ended by {signal.Signals(-process.returncode).name}"
            if process.returncode < 0
            else f"ended with status {process.returncode}"
        )
        raise CannotRecord(f"the program {how} before its recording could be finished")
    if process.returncode == 125 and not (home / "end").exists():
        raise UnsupportedError("recording without a large address space (ulimit -v or vm.overcommit_memory=2 is set)")
    return RunResult(process.returncode, seconds, limit)


def _watch(process: subprocess.Popen[bytes], spec: RunSpec, home: Path, start: float) -> str:
    """Waits for the end of the process; stops it at a limit, whose name is returned."""
    wait = 0.001
    while True:
        try:
            process.wait(wait)
            return ""
        except subprocess.TimeoutExpired:
            wait = min(wait * 2, _POLL)
        limit = _exceeded(spec, home, time.perf_counter() - start)
        if limit:
            _stop(process)
            return limit


def _exceeded(spec: RunSpec, home: Path, seconds: float) -> str:
    if seconds > spec.time_limit:
        return "time"
    if _size(home / "stdout") > spec.output_limit or _size(home / "stderr") > spec.output_limit:
        return "output"
    if _total(home) > spec.log_limit:
        return "log"
    free = os.statvfs(home)
    if free.f_bavail * free.f_frsize < 64 * 2**20:
        return "disk"
    return ""


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _total(home: Path) -> int:
    return sum(e.stat().st_size for e in os.scandir(home))


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Asks the runtime to finish, twice, then ends the whole group."""
    steps: tuple[Callable[[], None], ...] = (lambda: process.send_signal(STOP_SIGNAL),) * 2
    for step in steps:
        with contextlib.suppress(OSError):
            step()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)
            return
    _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
