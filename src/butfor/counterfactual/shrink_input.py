"""Input reduction: a smaller input with which the program fails in the same way.

Parts are removed, numbers brought closer to 0 and unprintable characters replaced. A smaller input is first tried with
the hooked program, which writes no files. Only if it ends as before, and tried to change nothing outside, the real
program is run and recorded with it, to see whether it fails in the same way at the same position.
"""

from __future__ import annotations

import re
import shlex
import string
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

from butfor.counterfactual.fork_server import RunOutcome
from butfor.explanation import Failure, FailureKind
from butfor.frontends.c.run_program import RunSpec
from butfor.options import RunOptions

SHRINK_SHARE = 0.25  # of the budget: the explanation itself needs most of it
_MAX_BYTES_SHOWN = 300  # of a reduced input in a note: a few lines
_INTEGER = re.compile(r"-?[1-9]\d{0,18}\Z")
_TOKEN = re.compile(r"\s+|\w+|[^\w\s]")
_BYTES_TOKEN = re.compile(_TOKEN.pattern.encode())
_PRINTABLE = frozenset(string.printable) - frozenset("\v\f\r")
_MAX_CHARACTERS_REPLACED = 200  # by printable ones; each costs up to three runs
_T = TypeVar("_T")
# Failures for which the hooked program must end as before. It does not detect memory errors.
_COMPARED_KINDS = (
    FailureKind.ASSERTION,
    FailureKind.SIGNAL,
    FailureKind.DIVISION,
    FailureKind.REACH_ERROR,
    FailureKind.EXIT_STATUS,
)


class NotShrinkable(Exception):
    """The input cannot be reduced; the text says why."""


class _OutOfTime(Exception):
    """The time is used up."""


class InputServer(Protocol):
    """Something that runs the program with hooks on one input after the other."""

    def set_input(self, spec: RunSpec) -> None:
        """Let the next runs have this input."""

    def run(self) -> RunOutcome:
        """One run."""


@dataclass(frozen=True, slots=True)
class Shrunk:
    """A reduced input."""

    spec: RunSpec
    before: int  # bytes
    after: int  # bytes
    tried: int  # inputs
    complete: bool  # False if the time was used up

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes about what was reduced."""
        if self.after == self.before:
            end = "" if self.complete else " (the time for it was used up)"
            return (f"no smaller input was found that fails in the same way{end}",)
        reduced = f"the input was reduced from {self.before} to {self.after} bytes; it still fails the same way"
        if self.after > _MAX_BYTES_SHOWN:
            return (reduced,)
        parts = (("arguments", shlex.join(self.spec.args)), ("nondet", ",".join(map(str, self.spec.nondet))))
        text = [f"{name} {part}" for name, part in parts if part]
        text += [f"standard input {self.spec.stdin.decode('utf-8', 'backslashreplace')!r}"] if self.spec.stdin else []
        return reduced, f"the reduced input: {'; '.join(text) or 'nothing'}"

    def to_dict(self) -> dict[str, Any]:
        """Its part of the JSON report."""
        spec = self.spec
        return {
            "bytes_before": self.before,
            "bytes": self.after,
            "args": list(spec.args),
            "stdin": spec.stdin,
            "nondet": list(spec.nondet),
            "tried": self.tried,
            "complete": self.complete,
        }


def check_shrinkable(failure: Failure, options: RunOptions) -> None:
    """Raise NotShrinkable for failures that cannot be recognised with another input."""
    is_expected = failure.kind is FailureKind.EXIT_STATUS and (
        options.expect_exit is not None or options.expect_stdout is not None
    )
    if failure.kind is FailureKind.OUTPUT or is_expected:
        raise NotShrinkable("the input is not reduced: what the program should do is known for this input only")
    if failure.kind is FailureKind.NO_END:
        raise NotShrinkable(
            "the input is not reduced: it would take too long to see that the program does not end with a smaller one"
        )


def is_same_failure(a: Failure | None, b: Failure) -> bool:
    """Whether two runs failed in the same way at the same position."""
    return a is not None and failure_identity(a) == failure_identity(b)


def failure_identity(f: Failure) -> tuple[object, ...]:
    """What two failures must have in common to be the same: how and where, not with which values."""
    return (
        f.kind,
        f.file,
        f.line,
        f.column,
        f.function,
        *(f.details.get(key) for key in ("assertion", "signal", "memory", "arithmetic", "use", "status")),
    )


def size_of(spec: RunSpec) -> int:
    """The bytes of input: arguments, standard input, nondeterministic values."""
    return (
        len(spec.stdin)
        + sum(len(a.encode("utf-8", "surrogateescape")) + 1 for a in spec.args)
        + sum(len(str(n)) + 1 for n in spec.nondet)
    )


def shrink(
    server: InputServer,
    spec: RunSpec,
    kind: FailureKind,
    fails_alike: Callable[[RunSpec], bool],
    is_over: Callable[[], bool],
) -> Shrunk:
    """The smallest input found in time; `server` tries inputs, `fails_alike` runs the real program."""
    if not size_of(spec):
        raise NotShrinkable("there is no input that could be reduced")
    work = _Reduction(server, spec, fails_alike, is_over)
    baseline = work.hooked_run(spec)
    if baseline.touched:
        reason = "the program writes files or acts on other programs, and would do so with any input"
        raise NotShrinkable(f"the input is not reduced: {reason}")
    if kind in _COMPARED_KINDS and (baseline.exit_status is None) == (kind is not FailureKind.EXIT_STATUS):
        work.baseline = _ending(baseline)
    try:
        _reduce_to_fixpoint(work)
        complete = True
    except _OutOfTime:
        complete = False
    return Shrunk(work.spec, size_of(spec), size_of(work.spec), work.tried, complete)


def _reduce_to_fixpoint(work: _Reduction) -> None:
    """Apply all reductions until none of them makes the input smaller."""
    before = None
    while before != work.spec:
        before = work.spec
        _remove_parts(work.spec.args, lambda args: work.accepts(replace(work.spec, args=tuple(args))))
        for split in (_lines, _tokens, _bytes):
            _remove_parts(split(work.spec.stdin), lambda parts: work.accepts(replace(work.spec, stdin=b"".join(parts))))
        for k in range(len(work.spec.args)):
            _reduce_argument(work, k)
        _remove_parts(work.spec.nondet, lambda values: work.accepts(replace(work.spec, nondet=tuple(values))))
        for k in range(len(work.spec.nondet)):
            _reduce_nondet(work, k)
        _make_readable(work.spec.stdin, lambda data: work.accepts(replace(work.spec, stdin=data)))
        for k in range(len(work.spec.args)):
            _make_argument_readable(work, k)


def _make_argument_readable(work: _Reduction, k: int) -> None:
    def accepts(data: bytes) -> bool:
        return work.accepts(
            replace(work.spec, args=_replaced(work.spec.args, k, data.decode("utf-8", "surrogateescape")))
        )

    _make_readable(work.spec.args[k].encode("utf-8", "surrogateescape"), accepts)


def _make_readable(data: bytes, accepts: Callable[[bytes], bool]) -> None:
    """Replace unprintable characters by printable ones where that is accepted."""
    for k in [k for k, b in enumerate(data) if chr(b) not in _PRINTABLE][:_MAX_CHARACTERS_REPLACED]:
        for plain in b"a0 ":
            new = data[:k] + bytes([plain]) + data[k + 1 :]
            if accepts(new):
                data = new
                break


class _Reduction:
    """The smallest input so far and the server that inputs are tried with."""

    def __init__(
        self,
        server: InputServer,
        spec: RunSpec,
        fails_alike: Callable[[RunSpec], bool],
        is_over: Callable[[], bool],
    ) -> None:
        self.spec = spec
        self.baseline: tuple[int, int, str] | None = None
        self.tried = 0
        self._known: set[tuple[object, ...]] = {(spec.args, spec.stdin, spec.nondet)}
        self._server, self._fails_alike, self._is_over = server, fails_alike, is_over

    def hooked_run(self, spec: RunSpec) -> RunOutcome:
        """The outcome of a run of the hooked program."""
        self._server.set_input(spec)
        return self._server.run()

    def accepts(self, spec: RunSpec) -> bool:
        """Whether the program fails in the same way with this input, which then becomes the smallest."""
        key = (spec.args, spec.stdin, spec.nondet)
        if key in self._known:
            return False
        self._known.add(key)
        if self._is_over():
            raise _OutOfTime
        self.tried += 1
        outcome = self.hooked_run(spec)
        if (
            outcome.touched
            or outcome.timed_out
            or (self.baseline is not None and _ending(outcome) != self.baseline)
            or not self._fails_alike(spec)
        ):
            return False
        self.spec = spec
        return True


def _ending(outcome: RunOutcome) -> tuple[int, int, str]:
    return outcome.status, outcome.end, outcome.message


def _remove_parts(parts: Sequence[_T], accepts: Callable[[Sequence[_T]], bool]) -> None:
    """Remove as many parts as possible: all, then halves, quarters and so on, from the end (delta debugging)."""
    left = list(parts)
    size = len(left)
    while size:
        at, is_smaller = len(left), False
        while at > 0:
            start = max(0, at - size)
            fewer = [*left[:start], *left[at:]]
            if accepts(fewer):
                left, is_smaller = fewer, True
            at = start
        if size > 1:
            size = min(size // 2, max(len(left), 1))
        elif not is_smaller:
            return


def _reduce_number(n: int, accepts: Callable[[int], bool]) -> None:
    """Bring a number as close to 0 as possible."""
    step = abs(n)
    while step and n:
        new = n - step if n > 0 else n + step
        if step <= abs(n) and accepts(new):
            n = new
        else:
            step //= 2


def _reduce_nondet(work: _Reduction, k: int) -> None:
    """Bring a nondeterministic value closer to zero."""
    _reduce_number(
        work.spec.nondet[k], lambda n: work.accepts(replace(work.spec, nondet=_replaced(work.spec.nondet, k, n)))
    )


def _reduce_argument(work: _Reduction, k: int) -> None:
    """Reduce the number or the text of an argument."""
    text = work.spec.args[k]
    with suppress(OSError, ValueError):
        if Path(text).exists():
            return  # part of a file name would name another file
    if _INTEGER.match(text):
        _reduce_number(int(text), lambda n: work.accepts(replace(work.spec, args=_replaced(work.spec.args, k, str(n)))))
        return
    for split in (_TOKEN.findall, list):
        _remove_parts(
            split(work.spec.args[k]),
            lambda parts: work.accepts(replace(work.spec, args=_replaced(work.spec.args, k, "".join(parts)))),
        )


def _replaced(values: tuple[_T, ...], k: int, value: _T) -> tuple[_T, ...]:
    return (*values[:k], value, *values[k + 1 :])


def _lines(data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True)


def _tokens(data: bytes) -> list[bytes]:
    return _BYTES_TOKEN.findall(data)


def _bytes(data: bytes) -> list[bytes]:
    return [bytes([b]) for b in data]
