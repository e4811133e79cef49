"""Runs a command, and hears of each start and each end of a program that `butfor cc` linked."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import struct
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from butfor.errors import ToolMissing
from butfor.frontends.c.observed_runs.process_tracing import go_on, next_event, watch_end
from butfor.frontends.c.run_program import STOP_SIGNAL
from butfor.native.kept_process import temporary_folder

VARIABLE = "BUTFOR_RUN"  # where programs ask
GOES_ON = "BUTFOR_GOES_ON"  # says to a program that records itself: a full log ends the recording, not the program
_OURS = (VARIABLE, GOES_ON)
_LINK_ID_BYTES = 64
_ANSWER_SECONDS = 1.0  # a program that connects says its name at once
_FORWARD_SECONDS = 0.02  # between looks at what a recorded program has written: whoever reads it may wait for it
_IDLE_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Start:
    """One start of a program: which, with what, where, and which one it is of those that are equal so far."""

    link: str
    program: Path
    args: tuple[str, ...]  # the name it was started by, first
    folder: str
    environment: Mapping[str, str] = field(compare=False)
    stdin: str = field(compare=False)  # what standard input is, as the system names it
    number: int = 0


@dataclass(frozen=True, slots=True)
class Ended:
    """A start and how it ended: the exit status, or minus the number of a signal; None when nobody could see it."""

    start: Start
    status: int | None
    seconds: float
    was_recorded_in: Path | None = None


@dataclass(frozen=True, slots=True)
class HandOver:
    """The program that takes the place of a start, and the folder for what it records and writes."""

    program: Path
    folder: Path
    stdin: Path | None  # a file in place of standard input; None: as it is
    max_bytes: int  # of its recording, which ends there; the program does not


Decide = Callable[[Start, int], HandOver | None]


@dataclass
class _Process:
    """A process under watch."""

    start: Start
    since: float
    is_watched: bool
    hand_over: HandOver | None = None
    was_stopped: bool = False
    outputs: list[tuple[Path, int, int]] = field(default_factory=list)  # file, descriptor of the original, bytes copied


class Observer:
    """Runs one command; `decide` says which starts are handed over to another program."""

    def __init__(self, decide: Decide) -> None:
        self.decide = decide
        self.ended: list[Ended] = []
        self._running: dict[int, _Process] = {}
        self._count: dict[Start, int] = {}

    def run(self, command: Sequence[str]) -> int:
        """The exit status of the command; minus the number of a signal that ended it."""
        with temporary_folder() as folder:
            path = os.path.join(folder, "run")
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server, _wakeups() as woken:
                server.bind(path)
                server.listen(128)
                server.setblocking(False)
                try:
                    pid = os.posix_spawnp(command[0], list(command), {**os.environ, VARIABLE: path, GOES_ON: "1"})
                except OSError as e:
                    raise ToolMissing(f"{command[0]} cannot be started: {e.strerror}") from e
                return self._serve(server, woken, pid)

    def _serve(self, server: socket.socket, woken: int, command: int) -> int:
        while True:
            handed_over = any(process.hand_over for process in self._running.values())
            select.select([server.fileno(), woken], [], [], _FORWARD_SECONDS if handed_over else _IDLE_SECONDS)
            with contextlib.suppress(BlockingIOError):
                os.read(woken, 4096)
            while self._accept(server):
                pass
            for pid, process in self._running.items():
                _forward(process)
                _limit(pid, process)
            status = self._collect(command)
            if status is not None:
                self._note_unseen()
                return status

    def _note_unseen(self) -> None:
        """Note the starts whose end nobody could see, because the system does not let processes be watched."""
        now = time.monotonic()
        unseen = [process for process in self._running.values() if not process.is_watched]
        self.ended += [Ended(process.start, None, now - process.since) for process in unseen]

    def _accept(self, server: socket.socket) -> bool:
        """Whether a start was answered."""
        try:
            connection, _ = server.accept()
        except BlockingIOError:
            return False
        with connection:
            connection.settimeout(_ANSWER_SECONDS)
            with contextlib.suppress(OSError):
                link = connection.recv(_LINK_ID_BYTES).decode("ascii", "replace")
                credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
                pid = struct.unpack("3i", credentials)[0]
                connection.send(self._answer(pid, link))
        return True

    def _answer(self, pid: int, link: str) -> bytes:
        start = _start_of(pid, link)
        if start is None:
            return b"n"
        number = self._count.get(start, 0)
        self._count[start] = number + 1
        numbered = replace(start, number=number)
        before = self._running.get(pid)
        watched = before.is_watched if before is not None else watch_end(pid)
        process = _Process(numbered, time.monotonic(), watched)
        self._running[pid] = process
        hand_over = self.decide(numbered, pid) if watched else None
        if hand_over is None:
            return b"n"
        process.hand_over = hand_over
        return _hand_over_message(process, pid, hand_over)

    def _collect(self, command: int) -> int | None:
        """The status of the command, once it has ended."""
        result = None
        while (event := next_event()) is not None:
            pid, status = event
            process = self._running.get(pid)
            if status is None:
                if process is not None:
                    _forward(process)
                    _close(process)
                go_on(pid)
                continue
            if process is not None:
                del self._running[pid]
                where = process.hand_over.folder if process.hand_over is not None else None
                self.ended.append(Ended(process.start, status, time.monotonic() - process.since, where))
            if pid == command:
                result = status
        return result


@contextlib.contextmanager
def _wakeups() -> Iterator[int]:
    """A descriptor that becomes readable when a process has ended."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.set_blocking(writing, False)
    before = signal.signal(signal.SIGCHLD, lambda number, frame: None)
    old = signal.set_wakeup_fd(writing)
    try:
        yield reading
    finally:
        signal.set_wakeup_fd(old)
        signal.signal(signal.SIGCHLD, before)
        os.close(reading)
        os.close(writing)


def _start_of(pid: int, link: str) -> Start | None:
    """What a process is that has just started; None when it is gone."""
    there = f"/proc/{pid}"
    try:
        args = Path(there, "cmdline").read_bytes().split(b"\0")[:-1]
        variables = (entry.partition(b"=") for entry in Path(there, "environ").read_bytes().split(b"\0") if entry)
        return Start(
            link,
            Path(os.readlink(f"{there}/exe")),
            tuple(map(os.fsdecode, args)),
            os.readlink(f"{there}/cwd"),
            {os.fsdecode(name): os.fsdecode(value) for name, _, value in variables if os.fsdecode(name) not in _OURS},
            _described(there),
        )
    except OSError:
        return None


def _described(there: str) -> str:
    try:
        found = os.readlink(f"{there}/fd/0")
    except OSError:
        return "closed"
    return "pipe" if found.startswith(("pipe:", "socket:")) else found


def _hand_over_message(process: _Process, pid: int, hand_over: HandOver) -> bytes:
    files = [str(hand_over.stdin or "")]
    for number, name in ((1, "stdout"), (2, "stderr")):
        target = hand_over.folder / name
        try:
            original = os.open(f"/proc/{pid}/fd/{number}", os.O_WRONLY | os.O_APPEND | os.O_NOCTTY | os.O_CLOEXEC)
        except OSError:  # closed, or a socket
            files.append("")
            continue
        process.outputs.append((target, original, 0))
        files.append(str(target))
    texts = [str(hand_over.program), f"BUTFOR_DIR={hand_over.folder}", *files]
    return b"x" + b"".join(os.fsencode(text) + b"\0" for text in texts)


def _forward(process: _Process) -> None:
    """Pass on what a recorded program has written since the last look."""
    for k, (path, original, copied) in enumerate(process.outputs):
        with contextlib.suppress(OSError), open(path, "rb") as file:
            file.seek(copied)
            data = file.read()
            while data:
                written = os.write(original, data)
                copied, data = copied + written, data[written:]
        process.outputs[k] = (path, original, copied)


def _limit(pid: int, process: _Process) -> None:
    """Have the recording ended that has become too long."""
    over = process.hand_over
    if over is not None and not process.was_stopped:
        with contextlib.suppress(OSError):
            if sum(entry.stat().st_size for entry in os.scandir(over.folder)) > over.max_bytes:
                process.was_stopped = True
                os.kill(pid, STOP_SIGNAL)


def _close(process: _Process) -> None:
    for _, original, _ in process.outputs:
        os.close(original)
    process.outputs.clear()
