"""The fork server of a program with hooks: run after run, each with its own rules, thousands in a second."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from butfor.counterfactual.change_rules import Rule
from butfor.errors import CannotRecord
from butfor.frontends.c.hooked_build import HookedBuild
from butfor.frontends.c.record_run import scratch_folder
from butfor.frontends.c.run_program import RunSpec, prepare
from butfor.trace.semantics.integers import signed

_IN, _OUT = 900, 901
_REQUEST = struct.Struct("<IIIIQQ")
_RULE = struct.Struct("<IIqqII")
_ANSWER = struct.Struct("<iIIIQQQQQQII128s")
_WATCH, _ADOPT = 1, 2
LIMIT, MEMORY = 4, 5  # ends of runs
_WORD = 2**64 - 1
_AHEAD = 8  # requests that wait in the pipe of one server
_MEMORY = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20  # of the machine, in megabytes

SEEN = np.dtype([("count", "u8"), ("first", "u8"), ("relations", "u4"), ("nvalues", "u4"), ("values", "i8", 12)])


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may use; events are conditions and calls."""

    milliseconds: int = 500
    events: int = 20_000_000
    file_size: int = 16 * 2**20
    megabytes: int = min(4096, max(256, _MEMORY // 4))


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended. `end`: 0 by itself, 1 assertion, 2 reach_error, 3 assumption, LIMIT, MEMORY; `changed`: how often a rule made a difference.

    `matched` bytes of the `output` were as expected. `touched` unless 0: it wrote files, or wanted to do what runs are not allowed to do.
    `said` is the assertion that failed, with its place; `error` the kind of the memory error, `error_at` the number of the check that saw it.
    """

    status: int
    end: int
    changed: int
    timed_out: bool
    events: int
    change_event: int
    reached: int
    output: int
    matched: int
    touched: int = 0
    said: str = ""
    error: int = 0
    error_at: int = 0

    @property
    def is_cut(self) -> bool:
        """Whether a limit ended the run."""
        return self.timed_out or self.end == LIMIT

    @property
    def exit_status(self) -> int | None:
        """The exit status of a run that ended by itself."""
        return (
            os.waitstatus_to_exitcode(self.status)
            if self.end == 0 and not self.timed_out and os.WIFEXITED(self.status)
            else None
        )


class Server:
    """One server process. Use it in a `with` block."""

    def __init__(
        self,
        build: HookedBuild,
        name: str,
        spec: RunSpec,
        expected: bytes,
        limits: Limits | None = None,
        cwd: str | None = None,
    ) -> None:
        self.limits = limits or Limits()
        self.sites = len(build.sites)
        with contextlib.ExitStack() as started:
            try:
                self._start(started, build, name, spec, expected, cwd)
            except (OSError, subprocess.SubprocessError) as e:
                raise CannotRecord(f"no process could be started for it: {e}") from e
            self._stack = started.pop_all()

    def _start(
        self,
        stack: contextlib.ExitStack,
        build: HookedBuild,
        name: str,
        spec: RunSpec,
        expected: bytes,
        cwd: str | None,
    ) -> None:
        self.home = Path(tempfile.mkdtemp(prefix=f"butfor-{os.getpid()}-", dir=scratch_folder()))
        stack.callback(shutil.rmtree, self.home, ignore_errors=True)
        (self.home / "stdin").write_bytes(spec.stdin)
        (self.home / "expected").write_bytes(expected)
        env = {**os.environ, **dict(spec.env), "BUTFOR_SERVE": str(self.home)}
        if spec.nondet:
            env["BUTFOR_NONDET"] = ",".join(str(v & (2**64 - 1)) for v in spec.nondet)
        to_server, self._to = os.pipe()
        self._from, from_server = os.pipe()
        stack.callback(os.close, self._to)
        stack.callback(os.close, self._from)

        def attach() -> None:
            prepare()
            os.dup2(to_server, _IN)
            os.dup2(from_server, _OUT)
            for fd in map(int, os.listdir("/proc/self/fd")):
                if fd > 2 and fd not in (_IN, _OUT):
                    with contextlib.suppress(OSError):
                        os.set_inheritable(fd, False)

        try:
            self.process = subprocess.Popen(
                [name, *spec.args],
                executable=build.executable,
                env=env,
                cwd=cwd,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                close_fds=False,  # `attach` sees to it; the two made here stay open
                preexec_fn=attach,
            )
        finally:
            os.close(to_server)
            os.close(from_server)
        stack.callback(self._kill)

    def _kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stack.close()

    def give(self, stdin: bytes) -> None:
        """Another standard input for the runs from now on."""
        (self.home / "stdin").write_bytes(stdin)

    def give_all(self, args: Sequence[bytes], stdin: bytes, nondet: Sequence[int]) -> None:
        """Another input for the runs from now on, with as many arguments as the server was started with."""
        self.give(stdin)
        (self.home / "arguments").write_bytes(b"".join(a + b"\0" for a in args))
        (self.home / "nondet").write_text(",".join(str(v & _WORD) for v in nondet))

    def run(self, rules: Sequence[Rule] = ()) -> Outcome:
        """One run with these rules."""
        self.ask(rules)
        return self.answer()

    def watch(self) -> tuple[Outcome, NDArray[np.void]]:
        """One run without rules, and what every site saw; row 0 is no site."""
        self.ask((), _WATCH)
        outcome = self.answer()
        return outcome, np.frombuffer(self._read((self.sites + 1) * SEEN.itemsize), SEEN)

    def adopt(self, rules: Sequence[Rule] = ()) -> Outcome:
        """One run without rules at sites, whose output is the expected one from now on."""
        self.ask(rules, _ADOPT)
        return self.answer()

    def output(self) -> bytes:
        """What the last run wrote to standard output."""
        return (self.home / "output").read_bytes()

    def ask(self, rules: Sequence[Rule], mode: int = 0) -> None:
        """Sends one request."""
        limits = self.limits
        head = _REQUEST.pack(len(rules), mode, limits.milliseconds, limits.megabytes, limits.events, limits.file_size)
        body = b"".join(
            _RULE.pack(r.site, r.op, signed(r.a & _WORD, 64), signed(r.b & _WORD, 64), r.only, r.size) for r in rules
        )
        try:
            os.write(self._to, head + body)
        except OSError as e:
            raise CannotRecord("the program could not be run again") from e

    def answer(self) -> Outcome:
        """The answer to the oldest request."""
        status, end, changed, timed_out, *numbers, error, error_at, text = _ANSWER.unpack(self._read(_ANSWER.size))
        events, change_event, reached, output, matched, touched = numbers
        said = text.partition(b"\0")[0].decode("utf-8", "replace")
        return Outcome(
            status,
            end,
            changed,
            bool(timed_out),
            events,
            change_event,
            reached,
            output,
            matched,
            touched,
            said,
            error,
            error_at,
        )

    def fileno(self) -> int:
        """For select."""
        return self._from

    def _read(self, size: int) -> bytes:
        parts = []
        while size:
            part = os.read(self._from, min(size, 1 << 20))
            if not part:
                raise CannotRecord("the program could not be run again: it ended before main")
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


def run_all(servers: Sequence[Server], requests: Iterable[Sequence[Rule]]) -> Iterator[tuple[Sequence[Rule], Outcome]]:
    """Runs with each of these sets of rules, on all servers, answers as they come. A consumer that stops early leaves nothing in the pipes."""
    source = iter(requests)
    waiting: dict[Server, list[Sequence[Rule]]] = {server: [] for server in servers}
    is_open = True
    try:
        while True:
            for server, queue in waiting.items():
                while is_open and len(queue) < _AHEAD:
                    rules = next(source, None)
                    if rules is None:
                        is_open = False
                        break
                    server.ask(rules)
                    queue.append(rules)
            busy = [server for server, queue in waiting.items() if queue]
            if not busy:
                return
            for server in select.select(busy, (), ())[0]:
                outcome = server.answer()
                yield waiting[server].pop(0), outcome
    finally:
        for server, queue in waiting.items():
            while queue:
                queue.pop()
                server.answer()
