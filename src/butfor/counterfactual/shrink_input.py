"""A smaller input with which the program fails in the same way: parts are left out, texts are cut, numbers are brought closer to 0, and
characters that cannot be read are replaced.

A smaller input is first tried with the program with hooks, which writes no files; only if it ends as before, and wanted to change nothing
outside, the real program is run and recorded with it, to see whether it fails in the same way at the same place.
"""

from __future__ import annotations

import re
import shlex
import string
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from butfor.counterfactual.fork_server import Outcome, Server
from butfor.explanation import Failure, FailureKind
from butfor.frontends.c.run_program import RunSpec
from butfor.options import RunOptions

SHRINK_SHARE = 0.25  # of the budget
_MOST_SHOWN = 300  # bytes of a reduced input that a note shows
_INTEGER = re.compile(r"-?[1-9]\d{0,18}\Z")
_WORD = re.compile(r"\s+|\w+|[^\w\s]")
_TOKEN = re.compile(_WORD.pattern.encode())
_PLAIN = frozenset(string.printable) - frozenset("\v\f\r")
_MOST_PLAIN = 200  # characters that are replaced by plainer ones
_T = TypeVar("_T")
# Where the run of the program with hooks must end as before. Of memory errors it sees nothing.
_COMPARED = (
    FailureKind.ASSERTION,
    FailureKind.SIGNAL,
    FailureKind.DIVISION,
    FailureKind.REACH_ERROR,
    FailureKind.EXIT_STATUS,
)


class NotShrinkable(Exception):
    """The input cannot be reduced; the text says why."""


class _Over(Exception):
    """The time is used up."""


@dataclass(frozen=True, slots=True)
class Shrunk:
    """The reduced input, the sizes in bytes before and after, how many inputs were tried, and whether all of it was."""

    spec: RunSpec
    before: int
    after: int
    tried: int
    complete: bool

    @property
    def notes(self) -> tuple[str, ...]:
        """What was reduced, for people."""
        if self.after == self.before:
            return (
                f"no smaller input was found that fails in the same way{'' if self.complete else ' (the time for it was used up)'}",
            )
        reduced = f"the input was reduced from {self.before} to {self.after} bytes; it still fails the same way"
        if self.after > _MOST_SHOWN:
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
    """Raises NotShrinkable for failures that cannot be told apart with another input."""
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
    """Whether two runs failed in the same way at the same place."""
    return a is not None and nature(a) == nature(b)


def nature(f: Failure) -> tuple[object, ...]:
    """What makes two failures the same: how and where, not with which values."""
    return (
        f.kind,
        f.file,
        f.line,
        f.column,
        f.function,
        *(f.details.get(key) for key in ("assertion", "signal", "memory", "use", "status")),
    )


def size_of(spec: RunSpec) -> int:
    """Bytes of input: arguments, standard input, nondeterministic values."""
    return (
        len(spec.stdin)
        + sum(len(a.encode("utf-8", "surrogateescape")) + 1 for a in spec.args)
        + sum(len(str(n)) + 1 for n in spec.nondet)
    )


def shrink(
    start: Callable[[RunSpec], Server],
    spec: RunSpec,
    kind: FailureKind,
    fails_alike: Callable[[RunSpec], bool],
    is_over: Callable[[], bool],
) -> Shrunk:
    """The smallest input found in time. `start` gives a server for an input; `fails_alike` runs the real program, if that seems harmless."""
    if not size_of(spec):
        raise NotShrinkable("there is no input that could be reduced")
    with _Work(start, spec, fails_alike, is_over) as work:
        usual = work.quick(spec)
        if usual.touched:
            raise NotShrinkable(
                "the input is not reduced: the program writes files or acts on other programs, and would do so with any input"
            )
        if kind in _COMPARED and (usual.exit_status is None) == (kind is not FailureKind.EXIT_STATUS):
            work.usual = _ending(usual)
        try:
            _until_nothing_changes(work)
            complete = True
        except _Over:
            complete = False
    return Shrunk(work.spec, size_of(spec), size_of(work.spec), work.tried, complete)


def _until_nothing_changes(work: _Work) -> None:
    before = None
    while before != work.spec:
        before = work.spec
        _parts(work.spec.args, lambda args: work.accepts(replace(work.spec, args=tuple(args))))
        for split in (_lines, _tokens, _bytes):
            _parts(split(work.spec.stdin), lambda parts: work.accepts(replace(work.spec, stdin=b"".join(parts))))
        for k in range(len(work.spec.args)):
            _argument(work, k)
        _parts(work.spec.nondet, lambda values: work.accepts(replace(work.spec, nondet=tuple(values))))
        for k in range(len(work.spec.nondet)):
            _nondet(work, k)
        _readable_bytes(work.spec.stdin, lambda data: work.accepts(replace(work.spec, stdin=data)))
        for k in range(len(work.spec.args)):
            _readable_argument(work, k)


def _readable_argument(work: _Work, k: int) -> None:
    def accepts(data: bytes) -> bool:
        return work.accepts(replace(work.spec, args=_with(work.spec.args, k, data.decode("utf-8", "surrogateescape"))))

    _readable_bytes(work.spec.args[k].encode("utf-8", "surrogateescape"), accepts)


def _readable_bytes(data: bytes, accepts: Callable[[bytes], bool]) -> None:
    """Puts plain characters where others are, as long as that is accepted."""
    for k in [k for k, b in enumerate(data) if chr(b) not in _PLAIN][:_MOST_PLAIN]:
        for plain in b"a0 ":
            new = data[:k] + bytes([plain]) + data[k + 1 :]
            if accepts(new):
                data = new
                break


class _Work:
    """The smallest input so far, and the server that inputs are tried with. Use it in a `with` block."""

    def __init__(
        self,
        start: Callable[[RunSpec], Server],
        spec: RunSpec,
        fails_alike: Callable[[RunSpec], bool],
        is_over: Callable[[], bool],
    ) -> None:
        self.spec = spec
        self.usual: tuple[int, int, str] | None = None
        self.tried = 0
        self._known: set[tuple[object, ...]] = {(spec.args, spec.stdin, spec.nondet)}
        self._start, self._fails_alike, self._is_over = start, fails_alike, is_over
        self._served = spec
        self._stack = ExitStack()
        self._server = self._stack.enter_context(start(spec))

    def __enter__(self) -> _Work:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def quick(self, spec: RunSpec) -> Outcome:
        """A run of the program with hooks; only other arguments need another server."""
        if (spec.args, spec.nondet) != (self._served.args, self._served.nondet):
            self._stack.close()
            self._server = self._stack.enter_context(self._start(spec))
            self._served = spec
        self._server.give(spec.stdin)
        return self._server.run()

    def accepts(self, spec: RunSpec) -> bool:
        """Whether the program fails in the same way with this input, which is the smallest then."""
        key = (spec.args, spec.stdin, spec.nondet)
        if key in self._known:
            return False
        self._known.add(key)
        if self._is_over():
            raise _Over
        self.tried += 1
        outcome = self.quick(spec)
        if (
            outcome.touched
            or outcome.timed_out
            or (self.usual is not None and _ending(outcome) != self.usual)
            or not self._fails_alike(spec)
        ):
            return False
        self.spec = spec
        return True


def _ending(outcome: Outcome) -> tuple[int, int, str]:
    return outcome.status, outcome.end, outcome.said


def _parts(parts: Sequence[_T], accepts: Callable[[Sequence[_T]], bool]) -> None:
    """Leaves out as many parts as possible: first all, then halves, quarters and so on, the last ones first."""
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


def _number(n: int, accepts: Callable[[int], bool]) -> None:
    """Brings a number as close to 0 as possible."""
    step = abs(n)
    while step and n:
        new = n - step if n > 0 else n + step
        if step <= abs(n) and accepts(new):
            n = new
        else:
            step //= 2


def _nondet(work: _Work, k: int) -> None:
    """Bring a nondeterministic value closer to zero."""
    _number(work.spec.nondet[k], lambda n: work.accepts(replace(work.spec, nondet=_with(work.spec.nondet, k, n))))


def _argument(work: _Work, k: int) -> None:
    text = work.spec.args[k]
    with suppress(OSError, ValueError):
        if Path(text).exists():
            return  # part of a name names something else
    if _INTEGER.match(text):
        _number(int(text), lambda n: work.accepts(replace(work.spec, args=_with(work.spec.args, k, str(n)))))
        return
    for split in (_WORD.findall, list):
        _parts(
            split(work.spec.args[k]),
            lambda parts: work.accepts(replace(work.spec, args=_with(work.spec.args, k, "".join(parts)))),
        )


def _with(values: tuple[_T, ...], k: int, value: _T) -> tuple[_T, ...]:
    return (*values[:k], value, *values[k + 1 :])


def _lines(data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True)


def _tokens(data: bytes) -> list[bytes]:
    return _TOKEN.findall(data)


def _bytes(data: bytes) -> list[bytes]:
    return [bytes([b]) for b in data]
