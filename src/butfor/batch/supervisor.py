"""A function called in a process of its own, with limits of time and memory, and with nothing left behind.

Between the caller and that process stands a supervisor, a process that becomes the parent of all orphans below it. It
ends what takes too long or grows too large, reaps every child, and writes how it went to a file. So a call that hangs,
crashes or fills its memory costs itself only, and the caller need not be the one who waits for its children.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_SECONDS_PER_LOOK = 0.1  # between two looks at clock and memory
_FAILED_STATUS = 70  # of a call that raised an error
_ENDING_ROUNDS = 1000  # of killing what new children there are: a program that forks without end is left to the system
_SECONDS_PER_ROUND = 0.002
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True, slots=True)
class CallLimits:
    """What ends a call."""

    seconds: float
    megabytes: int


@dataclass(frozen=True, slots=True)
class CallEnd:
    """How a call ended: `how` is done, time, memory, signal, error or lost (the supervisor itself was ended)."""

    how: str
    detail: str = ""

    @property
    def words(self) -> str:
        """What happened, as the predicate of a sentence about the run."""
        match self.how:
            case "time":
                return f"took longer than {self.detail} s"
            case "memory":
                return f"took more than {self.detail} MB of memory"
            case "signal":
                return f"brought down the process that looked at it ({self.detail})"
            case "lost":
                return "was lost: the process that watched over it was ended"
        return f"could not be looked at: {self.detail}"


def supervised(call: Callable[[], None], limits: CallLimits, status: Path) -> CallEnd:
    """How the call ended, after it was made in a process of its own; `status` is a file for the supervisor's notes."""
    status.unlink(missing_ok=True)
    sys.stdout.flush()
    sys.stderr.flush()
    caller = os.getpid()
    supervisor = os.fork()
    if supervisor == 0:
        _supervise_and_exit(call, limits, status, caller)
    _wait_for(supervisor)
    try:
        found = json.loads(status.read_text("utf-8"))
    except (OSError, ValueError):
        return CallEnd("lost")
    finally:
        status.unlink(missing_ok=True)
    return CallEnd(found["how"], found["detail"])


def ends_with_its_parent(parent: int) -> None:
    """Let the system end this process when its parent ends; `parent` is the parent's number."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before the system was asked
        os._exit(_FAILED_STATUS)


def end_descendants() -> None:
    """End and reap all processes below this one, orphans included if this process adopts them."""
    for _ in range(_ENDING_ROUNDS):
        for number in _descendants(os.getpid()):
            with contextlib.suppress(OSError):
                os.kill(number, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(_SECONDS_PER_ROUND)


def end_process_and_descendants(process: int) -> None:
    """End a process and all below it; the process is a child of this one, which has to reap it."""
    for number in (*_descendants(process), process):
        with contextlib.suppress(OSError):
            os.kill(number, signal.SIGKILL)


def _supervise_and_exit(call: Callable[[], None], limits: CallLimits, status: Path, caller: int) -> None:
    """Make the call in a child, see it end, write how; this process ends here."""
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the batch, which then ends its workers
        ends_with_its_parent(caller)
        _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        own = os.getpid()
        child = os.fork()
        if child == 0:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
            ends_with_its_parent(own)
            _call_and_exit(call, status)
        end = _watched(child, limits, status)
        end_descendants()
        _write(status, end)
    finally:
        os._exit(0)


def _call_and_exit(call: Callable[[], None], status: Path) -> None:
    code = _FAILED_STATUS
    try:
        call()
        gc.collect()  # what was kept for the call, such as temporary folders, is given up with it
        code = 0
    except BaseException as error:
        _write(status, CallEnd("error", f"{type(error).__name__}: {error}"))
    finally:
        os._exit(code)


def _watched(child: int, limits: CallLimits, status: Path) -> CallEnd:
    """How the child ended, by itself or at a limit."""
    end = time.monotonic() + limits.seconds
    while True:
        done, how = os.waitpid(child, os.WNOHANG)
        if done:
            break
        signal.sigtimedwait({signal.SIGCHLD}, _SECONDS_PER_LOOK)
        if time.monotonic() >= end:
            return CallEnd("time", f"{limits.seconds:g}")
        if _memory_below(os.getpid()) > limits.megabytes << 20:
            return CallEnd("memory", str(limits.megabytes))
    if os.WIFSIGNALED(how):
        return CallEnd("signal", signal.Signals(os.WTERMSIG(how)).name)
    if os.WEXITSTATUS(how) == 0:
        return CallEnd("done")
    with contextlib.suppress(OSError, ValueError):
        found = json.loads(status.read_text("utf-8"))
        return CallEnd(found["how"], found["detail"])
    return CallEnd("error", f"exit status {os.WEXITSTATUS(how)}")


def _write(status: Path, end: CallEnd) -> None:
    temporary = status.with_name(f"{status.name}.new")
    temporary.write_text(json.dumps({"how": end.how, "detail": end.detail}), "utf-8")
    os.replace(temporary, status)


def _wait_for(process: int) -> None:
    with contextlib.suppress(ChildProcessError):
        os.waitpid(process, 0)


def _children(process: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(OSError):  # it ended meanwhile
        for thread in os.listdir(f"/proc/{process}/task"):
            found += map(int, Path(f"/proc/{process}/task/{thread}/children").read_text().split())
    return found


def _descendants(process: int) -> Iterator[int]:
    left = _children(process)
    while left:
        number = left.pop()
        yield number
        left += _children(number)


def _memory_below(process: int) -> int:
    """The bytes of memory of all processes below this one, without what they share with others."""
    total = 0
    for number in _descendants(process):
        with contextlib.suppress(OSError, ValueError):
            _, resident, shared, *_ = Path(f"/proc/{number}/statm").read_text().split()
            total += (int(resident) - int(shared)) * _PAGE_BYTES
    return total
