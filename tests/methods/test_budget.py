"""The time and memory of an analysis: shares end with the whole, and code that does not look at the clock is ended."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from butfor.methods.budget import Budget, LimitReached, MemoryIsUp, TimeIsUp, stopped_at

FAR_OFF = 3600.0  # seconds, that no test takes
WITHOUT_END = 1 << 60  # rounds


def _loop() -> None:
    for _ in range(WITHOUT_END):
        pass


def test_a_part_ends_with_the_whole_at_the_latest() -> None:
    budget = Budget(10.0)
    with budget.limited_to(FAR_OFF):
        assert budget.left <= 10.0
    with budget.limited_to(0.0):
        assert budget.is_over()
        assert budget.part(5.0).is_over()
        with budget.limited_to(5.0):
            assert budget.is_over()
    assert not budget.is_over()


def test_a_loop_without_a_look_at_the_clock_is_ended() -> None:
    with pytest.raises(TimeIsUp), stopped_at(time.monotonic() + 0.05):
        _loop()


def test_a_stop_that_was_caught_comes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("butfor.methods.budget._SECONDS_TO_UNWIND", 0.05)
    caught = []

    def swallow_once() -> None:
        try:
            _loop()
        except LimitReached as e:
            caught.append(e)
        _loop()

    with pytest.raises(TimeIsUp), stopped_at(time.monotonic()):
        swallow_once()
    assert len(caught) == 1


def test_memory_is_watched_too() -> None:
    with pytest.raises(MemoryIsUp), stopped_at(time.monotonic() + FAR_OFF, most_bytes=1):
        _loop()


def test_no_error_handler_takes_the_stop_for_an_error() -> None:
    assert not issubclass(LimitReached, Exception)


def test_the_alarm_is_as_it_was_afterwards() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with stopped_at(time.monotonic() + FAR_OFF):
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 0
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_other_threads_are_not_stopped() -> None:
    done = []

    def work() -> None:
        with stopped_at(time.monotonic()):
            time.sleep(0.15)
            done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done


@pytest.mark.parametrize("number", [signal.SIGALRM, signal.SIGINT], ids=lambda s: s.name)
def test_nothing_is_raised_inside_of_the_bindings_of_the_solver(
    number: signal.Signals,
) -> None:
    """An exception while ctypes converts arguments would come out as another one."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    bindings: dict[str, Any] = {"__name__": "z3.z3core", "os": os, "time": time}
    text = "def call(number):\n    os.kill(os.getpid(), number)\n    time.sleep(0.05)\n    said.append('converted')\n"
    said = bindings["said"] = []
    exec(text, bindings)
    expected = KeyboardInterrupt if number is signal.SIGINT else TimeIsUp
    with pytest.raises(expected), stopped_at(time.monotonic() - 1):
        _call_and_loop(lambda: bindings["call"](number))
    assert said == ["converted"]


def _call_and_loop(call: Callable[[], None]) -> None:
    call()
    _loop()
