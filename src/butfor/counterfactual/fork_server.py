"""The fork server of a hooked program: thousands of runs per second, each with its own rules."""

from __future__ import annotations

import contextlib
import enum
import os
import select
import shutil
import struct
import subprocess
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from butfor.counterfactual.change_rules import Rule
from butfor.errors import CannotRecord
from butfor.frontends.c.c_frontend import scratch_folder
from butfor.frontends.c.hooked_build import HookedBuild
from butfor.frontends.c.run_program import RunSpec, reproducible_children
from butfor.trace.semantics.integers import signed

_REQUEST_FD, _ANSWER_FD = 900, 901  # as server.c has them
_STARTING = threading.Lock()  # only one server at a time can be started with these descriptors
_REQUEST = struct.Struct("<IIIIQQ")
_RULE = struct.Struct("<IIqqII")
_ANSWER = struct.Struct("<iIIIQQQQQQII128s")
_OBSERVE, _ADOPT = 1, 2  # modes of a request
_WORD_MASK = 2**64 - 1
_MAX_PENDING_REQUESTS = 8  # in the pipe of one server: enough to keep it busy, few to wait for when a search ends
_MACHINE_MEGABYTES = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20

# What a site saw in an observed run: `struct seen` in hooks.h.
OBSERVATION = np.dtype([("count", "u8"), ("first", "u8"), ("relations", "u4"), ("nvalues", "u4"), ("values", "i8", 12)])


class Ending(enum.IntEnum):
    """How a run ended: `enum end` in hooks.h."""

    NORMAL = 0  # by itself, or by a signal
    ASSERT = 1
    REACH_ERROR = 2
    ASSUME = 3
    LIMIT = 4
    MEMORY = 5


@dataclass(frozen=True, slots=True)
class RunLimits:
    """What one run may use."""

    milliseconds: int = 500
    events: int = 20_000_000  # conditions and calls
    file_size: int = 16 * 2**20  # bytes
    megabytes: int = min(4096, max(256, _MACHINE_MEGABYTES // 4))


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """How a run went."""

    status: int  # as wait() gives it
    end: int  # an `Ending`
    changed: int  # how often a rule made a difference
    timed_out: bool
    events: int  # conditions and calls
    change_event: int  # events before the first change
    reached: int  # how often the probe was reached
    output: int  # bytes written to standard output
    matched: int  # bytes of it that were as expected
    touched: int = 0  # unless 0, it wrote files or tried what runs are not allowed to do
    message: str = ""  # the assertion that failed, with its position
    error: int = 0  # the kind of the memory error
    error_at: int = 0  # the number of the check that found it

    @property
    def is_cut(self) -> bool:
        """Whether a limit ended the run."""
        return self.timed_out or self.end == Ending.LIMIT

    @property
    def exit_status(self) -> int | None:
        """The exit status of a run that ended by itself, else None."""
        is_exit = self.end == Ending.NORMAL and not self.timed_out and os.WIFEXITED(self.status)
        return os.waitstatus_to_exitcode(self.status) if is_exit else None


@contextlib.contextmanager
def _under_number(descriptor: int, number: int) -> Iterator[None]:
    """Give an open file a second descriptor, the one under which the server expects it.

    Done in this process, not in the child: a child that runs Python before its program cannot be started the fast way.
    """
    try:
        kept = os.dup(number)
    except OSError:
        kept = -1  # the usual case: the number is free
    os.dup2(descriptor, number)
    try:
        yield
    finally:
        if kept == -1:
            os.close(number)
        else:
            os.dup2(kept, number, inheritable=False)
            os.close(kept)


class ForkServer:
    """One server process, to be used in a `with` block."""

    def __init__(
        self,
        build: HookedBuild,
        name: str,
        spec: RunSpec,
        expected: bytes,
        limits: RunLimits | None = None,
        cwd: str | None = None,
    ) -> None:
        self.limits = limits or RunLimits()
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

        try:
            with (
                _STARTING,
                _under_number(to_server, _REQUEST_FD),
                _under_number(from_server, _ANSWER_FD),
                reproducible_children(),
            ):
                self.process = subprocess.Popen(
                    [name, *spec.args],
                    executable=build.executable,
                    env=env,
                    cwd=cwd,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    pass_fds=(_REQUEST_FD, _ANSWER_FD),
                    start_new_session=True,
                )
        finally:
            os.close(to_server)
            os.close(from_server)
        stack.callback(self._kill)

    def _kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def __enter__(self) -> ForkServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stack.close()

    def set_stdin(self, stdin: bytes) -> None:
        """Give the following runs another standard input."""
        (self.home / "stdin").write_bytes(stdin)

    def set_input(self, args: Sequence[bytes], stdin: bytes, nondet: Sequence[int]) -> None:
        """Give the following runs another input, with as many arguments as the server was started with."""
        self.set_stdin(stdin)
        (self.home / "arguments").write_bytes(b"".join(a + b"\0" for a in args))
        (self.home / "nondet").write_text(",".join(str(v & _WORD_MASK) for v in nondet))

    def run(self, rules: Sequence[Rule] = ()) -> RunOutcome:
        """The outcome of one run with these rules."""
        self.send(rules)
        return self.receive()

    def observe(self) -> tuple[RunOutcome, NDArray[np.void]]:
        """The outcome of one run without rules, and what every site saw; row 0 is no site."""
        self.send((), _OBSERVE)
        outcome = self.receive()
        return outcome, np.frombuffer(self._read((self.sites + 1) * OBSERVATION.itemsize), OBSERVATION)

    def adopt_output(self, rules: Sequence[Rule] = ()) -> RunOutcome:
        """The outcome of one run, whose output is the expected one from now on; its rules change no site."""
        self.send(rules, _ADOPT)
        return self.receive()

    def output(self) -> bytes:
        """The standard output of the last run."""
        return (self.home / "output").read_bytes()

    def send(self, rules: Sequence[Rule], mode: int = 0) -> None:
        """Send the request for one run."""
        limits = self.limits
        head = _REQUEST.pack(len(rules), mode, limits.milliseconds, limits.megabytes, limits.events, limits.file_size)
        body = b"".join(
            _RULE.pack(r.site, r.op, signed(r.a & _WORD_MASK, 64), signed(r.b & _WORD_MASK, 64), r.only, r.size)
            for r in rules
        )
        try:
            os.write(self._to, head + body)
        except OSError as e:
            raise CannotRecord("the program could not be run again") from e

    def receive(self) -> RunOutcome:
        """The outcome of the oldest run requested."""
        status, end, changed, timed_out, *numbers, error, error_at, text = _ANSWER.unpack(self._read(_ANSWER.size))
        events, change_event, reached, output, matched, touched = numbers
        message = text.partition(b"\0")[0].decode("utf-8", "replace")
        return RunOutcome(
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
            message,
            error,
            error_at,
        )

    def fileno(self) -> int:
        """The file descriptor of the answers, for select."""
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


def observed_values(row: np.void) -> list[int]:
    """The first few distinct values that a site saw; for a comparison, left minus right."""
    return [int(v) for v in row["values"][: int(row["nvalues"])]]


def run_all(
    servers: Sequence[ForkServer], requests: Iterable[Sequence[Rule]]
) -> Iterator[tuple[Sequence[Rule], RunOutcome]]:
    """The outcomes of runs with each of these sets of rules, on all servers, as they come.

    A consumer that stops early leaves nothing in the pipes.
    """
    source = iter(requests)
    waiting: dict[ForkServer, list[Sequence[Rule]]] = {server: [] for server in servers}
    is_open = True
    try:
        while True:
            for server, queue in waiting.items():
                while is_open and len(queue) < _MAX_PENDING_REQUESTS:
                    rules = next(source, None)
                    if rules is None:
                        is_open = False
                        break
                    server.send(rules)
                    queue.append(rules)
            busy = [server for server, queue in waiting.items() if queue]
            if not busy:
                return
            for server in select.select(busy, (), ())[0]:
                outcome = server.receive()
                yield waiting[server].pop(0), outcome
    finally:
        for server, queue in waiting.items():
            while queue:
                queue.pop()
                server.receive()
