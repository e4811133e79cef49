"""The little of ptrace(2) that it takes to learn how a process ended that is not our child."""

from __future__ import annotations

import ctypes
import os
import signal

_CONT, _SEIZE, _LISTEN = 7, 0x4206, 0x4208
_TRACE_EXIT = 0x40
_EVENT_EXIT, _EVENT_STOP = 6, 128
_STOPPING = (signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU)
_ALL_CHILDREN = 0x40000000  # __WALL: traced processes too

_ptrace = ctypes.CDLL(None, use_errno=True).ptrace
_ptrace.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
_ptrace.restype = ctypes.c_long


def watch_end(pid: int) -> bool:
    """Whether the end of this process will be reported by `next_event`."""
    return bool(_ptrace(_SEIZE, pid, None, _TRACE_EXIT) == 0)


def next_event() -> tuple[int, int | None] | None:
    """The next process that is about to end (status None) or has ended (its status); None when there is no news.

    One that is about to end waits for `go_on`. Signals are passed on to processes that are watched.
    """
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG | _ALL_CHILDREN)
        except ChildProcessError:
            return None
        if pid == 0:
            return None
        if not os.WIFSTOPPED(status):
            return pid, os.waitstatus_to_exitcode(status)
        event, stopped_by = status >> 16, os.WSTOPSIG(status)
        if event == _EVENT_EXIT:
            return pid, None
        if event == _EVENT_STOP:
            _ptrace(_LISTEN if stopped_by in _STOPPING else _CONT, pid, None, None)
        else:
            _ptrace(_CONT, pid, None, stopped_by)


def go_on(pid: int) -> None:
    """Let a process end that is about to."""
    _ptrace(_CONT, pid, None, None)
