"""The fork server of a hooked program: thousands of runs per second, each with its own rules."""

from __future__ import annotations

import contextlib
import enum
import itertools
import os
import select
import struct
import subprocess
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from butfor.counterfactual.change_rules import Rule
from butfor.errors import CannotRecord
from butfor.frontends.c.c_frontend import scratch_folder
from butfor.frontends.c.hooked_build import HookedBuild
from butfor.frontends.c.run_program import RunSpec, reproducible_children
from butfor.native.kept_process import new_folder, remove_folder
from butfor.trace.semantics.integers import signed

_REQUEST_FD, _ANSWER_FD = 900, 901  # as server.c has them
_STARTING = threading.Lock()  # only one server at a time can be started with these descriptors
_MESSAGE = struct.Struct("<IIQ")
_TAKE_INPUT, _TAKE_EXPECTED, _RUN = range(3)  # kinds of messages
_INPUT = struct.Struct("<IIIIQQQ")
_REQUEST = struct.Struct("<IIIIIIIIQQ")
_RULE = struct.Struct("<IIqqII")
_ANSWER = struct.Struct("<iIIIQQQQQQQII128s")
_OBSERVE, _ADOPT = 1, 2  # modes of a request
_WORD_MASK = 2**64 - 1
_MAX_CHANGES_PER_REQUEST = 256  # enough that what they share costs little, and that their answers fit into a pipe
_MIN_CHANGES_PER_REQUEST = 16  # to begin with, so that a few changes are shared by all servers
_SLICE_MILLISECONDS = 100  # for the changes of one request: what a search may take longer than it has
_MAX_INPUT_BYTES = 2**29  # of arguments, variables and values: half of what input.c has room for
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
    NOT_RUN = 6  # the time for its request was over


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
    """One server process, to be used in a `with` block. It is started with one input and can be given others."""

    def __init__(
        self,
        build: HookedBuild,
        name: str,
        spec: RunSpec,
        expected: bytes = b"",
        limits: RunLimits | None = None,
        cwd: str | None = None,
    ) -> None:
        self.limits = limits or RunLimits()
        self.sites = len(build.sites)
        self._can_be_forked = build.can_be_forked
        self._own = spec
        with contextlib.ExitStack() as started:
            try:
                self._start(started, build, name, spec, cwd)
            except (OSError, subprocess.SubprocessError) as e:
                raise CannotRecord(f"no process could be started for it: {e}") from e
            self._stack = started.pop_all()
        self.set_input(spec)
        self.set_expected(expected)

    def _start(
        self, stack: contextlib.ExitStack, build: HookedBuild, name: str, spec: RunSpec, cwd: str | None
    ) -> None:
        self.home = new_folder(scratch_folder())
        stack.callback(remove_folder, self.home)
        env = {**os.environ, **dict(spec.env), "BUTFOR_SERVE": str(self.home)}
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

    # --- what the following runs are given --------------------------------------------------------------------

    def set_input(self, spec: RunSpec, cwd: str | None = None) -> None:
        """Give the following runs another input; without `cwd`, they run in the folder of the server."""
        own_args, own_env = spec.args == self._own.args, spec.env == self._own.env
        args = [] if own_args else [os.fsencode(a) for a in spec.args]
        env = [] if own_env else [os.fsencode(f"{k}={v}") for k, v in {**os.environ, **dict(spec.env)}.items()]
        texts = b"".join(text.partition(b"\0")[0] + b"\0" for text in (*args, *env, os.fsencode(cwd or "")))
        values = np.array([v & _WORD_MASK for v in spec.nondet], np.uint64).tobytes()
        if len(texts) + len(values) > _MAX_INPUT_BYTES:
            raise CannotRecord("its input is too large to run it again")
        sizes = (len(spec.nondet), len(texts), len(spec.stdin))
        head = _INPUT.pack(len(args), len(env), own_args, own_env, *sizes)
        self._send(_TAKE_INPUT, head + values + texts + spec.stdin)

    def set_expected(self, output: bytes) -> None:
        """Compare the output of the following runs with this one."""
        self._send(_TAKE_EXPECTED, output)

    # --- single runs ------------------------------------------------------------------------------------------

    def run(self, rules: Sequence[Rule] = ()) -> RunOutcome:
        """The outcome of one run with these rules."""
        self.send(rules)
        return self.receive_one()

    def observe(self) -> tuple[RunOutcome, NDArray[np.void]]:
        """The outcome of one run without rules, and what every site saw; row 0 is no site."""
        self.send((), mode=_OBSERVE)
        outcome = self.receive_one()
        return outcome, np.frombuffer(self._read((self.sites + 1) * OBSERVATION.itemsize), OBSERVATION)

    def adopt_output(self, rules: Sequence[Rule] = ()) -> RunOutcome:
        """The outcome of one run, whose output is the expected one from now on; its rules change no site."""
        self.send(rules, mode=_ADOPT)
        return self.receive_one()

    def output(self) -> bytes:
        """The standard output of the last run."""
        return (self.home / "output").read_bytes()

    # --- many runs --------------------------------------------------------------------------------------------

    def send(self, common: Sequence[Rule], changes: Sequence[Rule] = (), mode: int = 0) -> None:
        """Send the request for one run with the common rules, or for one with each of the changes besides those.

        Common rules that have a site are probes where there are changes.
        """
        limits = self.limits
        counts = (len(common), len(changes), mode, self._can_be_forked)
        head = _REQUEST.pack(
            *counts,
            limits.milliseconds,
            _SLICE_MILLISECONDS,
            limits.megabytes,
            0,
            limits.events,
            limits.file_size,
        )
        self._send(_RUN, head + b"".join(map(_packed, (*common, *changes))))

    def receive(self, count: int) -> list[RunOutcome]:
        """The outcomes of the oldest request, which was for so many changes; some may not have been run."""
        return [_outcome(row) for row in _ANSWER.iter_unpack(self._read(count * _ANSWER.size))]

    def receive_one(self) -> RunOutcome:
        """The outcome of the oldest request, which was for one run."""
        return self.receive(1)[0]

    def fileno(self) -> int:
        """The file descriptor of the answers, for select."""
        return self._from

    # --- the pipes --------------------------------------------------------------------------------------------

    def _send(self, kind: int, body: bytes) -> None:
        data = memoryview(_MESSAGE.pack(kind, 0, len(body)) + body)
        try:
            while data:
                data = data[os.write(self._to, data) :]
        except OSError as e:
            raise CannotRecord("the program could not be run again") from e

    def _read(self, size: int) -> bytes:
        parts = []
        while size:
            part = os.read(self._from, min(size, 1 << 20))
            if not part:
                raise CannotRecord("the program could not be run again: it ended before main")
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


def _packed(r: Rule) -> bytes:
    return _RULE.pack(r.site, r.op, signed(r.a & _WORD_MASK, 64), signed(r.b & _WORD_MASK, 64), r.only, r.size)


def _outcome(row: tuple[Any, ...]) -> RunOutcome:
    status, end, changed, timed_out, events, change_event, reached, output, matched, touched, _, error, at, text = row
    message = text.partition(b"\0")[0].decode("utf-8", "replace") if text[0] else ""
    sizes = (events, change_event, reached, output, matched, touched)
    return RunOutcome(status, end, changed, bool(timed_out), *sizes, message, error, at)


def observed_values(row: np.void) -> list[int]:
    """The first few distinct values that a site saw; for a comparison, left minus right."""
    return [int(v) for v in row["values"][: int(row["nvalues"])]]


class _Pending(NamedTuple):
    """Changes that a server was asked for, by their numbers."""

    numbers: list[int]
    changes: list[Rule]


def run_all(
    servers: Sequence[ForkServer], changes: Iterable[Rule], common: Sequence[Rule] = ()
) -> Iterator[tuple[int, RunOutcome]]:
    """The outcomes of runs with each of the changes besides the common rules, on all servers, as they come.

    Each comes with the number of its change. A consumer that stops early leaves nothing in the pipes.
    """
    source = enumerate(changes)
    again: deque[tuple[int, Rule]] = deque()  # not run in the time for their request
    pending: dict[ForkServer, _Pending] = {}
    size = _MIN_CHANGES_PER_REQUEST

    def ask(server: ForkServer) -> None:
        batch = [again.popleft() for _ in range(min(size, len(again)))]
        batch += itertools.islice(source, size - len(batch))
        if batch:
            pending[server] = _Pending([k for k, _ in batch], [rule for _, rule in batch])
            server.send(common, pending[server].changes)

    try:
        for server in servers:
            ask(server)
        while pending:
            for server in select.select(list(pending), (), ())[0]:
                asked = pending.pop(server)
                outcomes = server.receive(len(asked.changes))
                numbered = list(zip(asked.numbers, asked.changes, outcomes, strict=True))
                left = [(number, rule) for number, rule, outcome in numbered if outcome.end == Ending.NOT_RUN]
                again.extendleft(reversed(left))
                size = max(1, len(asked.numbers) - len(left)) if left else min(2 * size, _MAX_CHANGES_PER_REQUEST)
                for idle in servers:
                    if idle not in pending:
                        ask(idle)
                yield from ((number, outcome) for number, _, outcome in numbered if outcome.end != Ending.NOT_RUN)
    finally:
        for server, asked in pending.items():
            server.receive(len(asked.changes))


def run_each(servers: Sequence[ForkServer], requests: Iterable[Sequence[Rule]]) -> Iterator[tuple[int, RunOutcome]]:
    """The outcomes of runs with each of these sets of rules, each with its number, on all servers, as they come."""
    source = enumerate(requests)
    pending: dict[ForkServer, int] = {}
    try:
        while True:
            for server in servers:
                if server not in pending and (following := next(source, None)) is not None:
                    pending[server], rules = following
                    server.send(rules)
            if not pending:
                return
            for server in select.select(list(pending), (), ())[0]:
                yield pending.pop(server), server.receive_one()
    finally:
        for server in pending:
            server.receive_one()
