"""What the default answer costs: CPU seconds by method, of small programs and of runs of 10 million instructions.

The CPU time includes that of the changed runs. `of budget` is the time that passed against the default budget.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from butfor.api import explain
from butfor.explanation import Explanation
from butfor.options import Options

_EXAMPLES = Path(__file__).parents[1] / "examples"
_PROGRAMS = Path(__file__).parent / "programs"
CASES = {
    "triangle": Options(sources=(_EXAMPLES / "triangle.c",), args=("6", "5", "4")),
    "wordcount (wrong output)": Options(
        sources=(_EXAMPLES / "wordcount.c",),
        stdin=b"to be or not to be",
        expect_stdout=(_EXAMPLES / "wordcount.expected").read_bytes(),
    ),
    "loops 63": Options(sources=(_PROGRAMS / "loops.c",), args=("63",)),
    "pointers 65000": Options(sources=(_PROGRAMS / "pointers.c",), args=("65000",)),
    "calls 640": Options(sources=(_PROGRAMS / "calls.c",), args=("640",)),
}
_METHOD = "method "  # how a line of progress begins that names one
_BEFORE = "before"  # the methods: build, run, failure
MIN_SHOWN_SECONDS = 0.05  # of a method


def cpu_seconds() -> float:
    """The CPU time of this process and of those that it has seen end."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(u.ru_utime + u.ru_stime for u in used)


@dataclass
class Stages:
    """The CPU time between lines of progress, by the method that was asked."""

    seconds: dict[str, float] = field(default_factory=dict)
    first_rows: float = 0.0  # until there were some, on the clock
    _now: str = _BEFORE
    _since: float = field(default_factory=cpu_seconds)
    _start: float = field(default_factory=time.monotonic)

    def progress(self, text: str) -> None:
        """Note that something else begins."""
        if text.startswith(_METHOD):
            self.enter(text.removeprefix(_METHOD).partition(";")[0])

    def enter(self, name: str) -> None:
        """Count the time so far for what went before."""
        now = cpu_seconds()
        self.seconds[self._now] = self.seconds.get(self._now, 0.0) + now - self._since
        self._now, self._since = name, now

    def known(self, answer: Explanation) -> None:
        """Note when the first rows are there."""
        if answer.ranking and not self.first_rows:
            self.first_rows = time.monotonic() - self._start


def rows() -> Iterator[str]:
    """The lines of the table."""
    yield f"{'program':<26}{'status':<11}{'first rows':>11}{'all':>9}{'of budget':>11}{'CPU':>9}   CPU by method"
    for name, options in CASES.items():
        explain(options)  # builds what is kept
        stages, start = Stages(), time.monotonic()
        answer = explain(options, stages.progress, stages.known)
        taken = time.monotonic() - start
        stages.enter("")
        parts = ", ".join(f"{m} {s:.2f}" for m, s in stages.seconds.items() if s >= MIN_SHOWN_SECONDS)
        times = f"{stages.first_rows:>9.2f} s{taken:>7.2f} s{taken / options.budget:>11.2f}"
        yield f"{name:<26}{answer.status.value:<11}{times}{sum(stages.seconds.values()):>7.2f} s   {parts}"


if __name__ == "__main__":
    for line in rows():
        print(line, flush=True)
