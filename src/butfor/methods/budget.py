"""The time and memory that an analysis may take: a clock that methods ask, and a stop for those that do not."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

_SECONDS_PER_TICK = 0.1  # between two looks at clock and memory: what passes unnoticed is small against any budget
_SECONDS_TO_LEAVE_SOLVER = 0.005  # until the next look, where an exception would have come at a bad moment
_SECONDS_TO_UNWIND = 1.0  # until the stop is raised again: something must have caught it
_MEMORY_SHARE = 0.5  # of the machine's memory: the programs that are run again need some, and so do others
_STATM = Path("/proc/self/statm")


class LimitReached(BaseException):
    """Time or memory is used up. Like Ctrl-C it is no `Exception`: what handles errors must let it pass."""


class TimeIsUp(LimitReached):
    """The time for the analysis is used up."""


class MemoryIsUp(LimitReached):
    """The analysis uses more memory than it may."""


class Budget:
    """Time that an analysis may take; what runs inside `limited_to` sees the end of its own part."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._ends = [time.monotonic() + seconds]

    @property
    def end(self) -> float:
        """When the time is up, on the monotonic clock."""
        return self._ends[-1]

    @property
    def left(self) -> float:
        """The seconds that are left, at least 0."""
        return max(0.0, self.end - time.monotonic())

    def is_over(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() >= self.end

    def part(self, seconds: float) -> Budget:
        """A budget of its own that ends with this one at the latest."""
        return Budget(min(seconds, self.left))

    @contextmanager
    def limited_to(self, seconds: float) -> Iterator[None]:
        """Let the time be up after so many seconds, for as long as the block runs."""
        self._ends.append(min(self.end, time.monotonic() + seconds))
        try:
            yield
        finally:
            self._ends.pop()


def memory_limit() -> int:
    """The bytes of memory that an analysis may use."""
    return int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * _MEMORY_SHARE)


def _memory_in_use() -> int:
    """The bytes of memory that this process uses now, without files that are mapped."""
    try:
        _, resident, shared, *_ = _STATM.read_text().split()
    except (OSError, ValueError):  # no such file system here
        return 0
    return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def stopped_at(end: float, most_bytes: int | None = None) -> Iterator[None]:
    """Raise TimeIsUp in the block when it still runs at `end`, and MemoryIsUp when it uses too much memory.

    This is for code that does not ask the clock itself. It needs the alarm signal, so it does nothing outside of the
    main thread, or where somebody else has set an alarm.
    """
    if threading.current_thread() is not threading.main_thread() or signal.getitimer(signal.ITIMER_REAL)[0]:
        yield
        return
    look = _watch(end, memory_limit() if most_bytes is None else most_bytes)
    before = signal.signal(signal.SIGALRM, look)
    heeds_interrupts = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if heeds_interrupts:
        signal.signal(signal.SIGINT, look)
    hook, sys.unraisablehook = sys.unraisablehook, _without_limits(sys.unraisablehook)
    try:
        signal.setitimer(signal.ITIMER_REAL, _SECONDS_PER_TICK, _SECONDS_PER_TICK)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if heeds_interrupts:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.unraisablehook = hook


def _watch(end: float, most_bytes: int) -> Callable[[int, FrameType | None], None]:
    """The handler of the alarm and of Ctrl-C. A finaliser may swallow what it raises, so it raises again after a while.

    It raises nothing inside of the solver's bindings: what comes while arguments are converted becomes another error,
    and objects that are half made complain when they are deleted.
    """
    quiet_until = 0.0
    is_interrupted = False

    def look(number: int, frame: FrameType | None) -> None:
        nonlocal quiet_until, is_interrupted
        is_interrupted = is_interrupted or number == signal.SIGINT
        now = time.monotonic()
        if _is_in_solver(frame):
            if is_interrupted or now >= end:
                signal.setitimer(signal.ITIMER_REAL, _SECONDS_TO_LEAVE_SOLVER, _SECONDS_PER_TICK)
            return
        if is_interrupted:
            is_interrupted = False
            raise KeyboardInterrupt
        if now < quiet_until:
            return
        is_late = now >= end
        if is_late or _memory_in_use() > most_bytes:
            quiet_until = now + _SECONDS_TO_UNWIND
            raise TimeIsUp if is_late else MemoryIsUp

    return look


def _is_in_solver(frame: FrameType | None) -> bool:
    return frame is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] == "z3"


def _without_limits(report: Callable[[Any], None]) -> Callable[[Any], None]:
    """The hook for exceptions in finalisers, silent about limits: these are raised again."""

    def hook(unraisable: Any) -> None:
        if not isinstance(unraisable.exc_value, LimitReached):
            report(unraisable)

    return hook
