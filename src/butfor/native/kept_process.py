"""Processes and folders that do not outlive butfor, however it ends: a small program in C looks after them."""

from __future__ import annotations

import atexit
import contextlib
import os
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import TracebackType

from butfor.errors import CompileError
from butfor.native import build_cache
from butfor.native.c_compiler import find_compiler
from butfor.native.installed_packages import installed_as

_SOURCE = Path(__file__).parent / "keeper" / "keeper.c"
_FLAGS = ("-O1", "-w")
_FOR_PROGRAM = "KEEPER_"  # before the names of variables that the loader of the keeper is not to see
_REPORT = struct.Struct("<i")
_REST_SECONDS = 0.05  # for the keeper to end after its program
_LOST = -signal.SIGKILL  # how a program ended whose keeper was killed: it was, too


@cache
def _keeper_at(cache: Path) -> list[Path]:
    """Where the keeper was last found in this cache; empty before."""
    del cache
    return []


def _keeper() -> Path:
    """The program that stands between butfor and what it starts; built again when the cache was cleared meanwhile."""
    known = _keeper_at(build_cache.cache_dir())
    if not known or not known[0].exists():
        known[:] = [_built_keeper()]
    return known[0]


def _built_keeper() -> Path:
    compiler = find_compiler(None)
    text = _SOURCE.read_bytes()

    def make(work: Path) -> None:
        command = [*compiler.command, *_FLAGS, *compiler.arch_flags, str(_SOURCE), "-o", str(work / "keeper")]
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, check=False)
        if done.returncode:
            raise CompileError("butfor's own keeper does not compile", stderr=done.stderr.decode("utf-8", "replace"))

    key = build_cache.key_of([*installed_as("ziglang"), *_FLAGS, *compiler.arch_flags, text])
    return build_cache.entry("libraries", key, make) / "keeper"


_looking = threading.Lock()
_lingering: list[KeptProcess] = []  # programs that have ended, and have left others behind that go on


class KeptProcess:
    """A program that is ended, with all that it has started, when butfor ends or `end` is called.

    It leads a session of its own. `pid` is its process.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        executable: Path | str,
        env: Mapping[str, str],
        cwd: Path | str | None = None,
        stdin: int | None = None,
        stdout: int | None = None,
        stderr: int | None = None,
    ) -> None:
        with _looking:
            _lingering[:] = [other for other in _lingering if not other.has_ended()]
        alive, self._alive = os.pipe()
        self._report, report = os.pipe()
        self.returncode: int | None = None
        try:
            self._process = subprocess.Popen(
                [_keeper(), "run", str(alive), str(report), executable, *command],
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                env={f"{_FOR_PROGRAM}{name}" if name.startswith("LD_") else name: v for name, v in env.items()},
                cwd=cwd,
                pass_fds=(alive, report),
                start_new_session=True,
            )
        except BaseException:
            os.close(self._alive)
            os.close(self._report)
            raise
        finally:
            os.close(alive)
            os.close(report)
        self.pid = self._read() or 0

    def _read(self) -> int | None:
        """The next number that the keeper reports; None when it is gone."""
        data = os.read(self._report, _REPORT.size)
        return _REPORT.unpack(data)[0] if len(data) == _REPORT.size else None

    def wait(self, seconds: float | None = None) -> int | None:
        """How the program ended, as `Popen.returncode` says it; None when it still runs after so many seconds."""
        if self.returncode is None and select.select([self._report], (), (), seconds)[0]:
            status = self._read()
            self.returncode = _LOST if status is None else os.waitstatus_to_exitcode(status)
            is_all = status is None or bool(select.select([self._report], (), (), _REST_SECONDS)[0])
            os.close(self._report)
            if is_all:
                self._process.wait()
                self._let_go()
            else:
                with _looking:
                    _lingering.append(self)
        return self.returncode

    def has_ended(self) -> bool:
        """Whether nothing is left of the program nor of what it has started; what belonged to it is given back then."""
        if self._process.poll() is None:
            return False
        self._let_go()
        return True

    def _let_go(self) -> None:
        if self._alive >= 0:
            os.close(self._alive)
            self._alive = -1

    def send_signal(self, number: int) -> None:
        """Send the program a signal, if it still runs."""
        if self.returncode is None and self.pid > 0:
            with contextlib.suppress(OSError):
                os.kill(self.pid, number)

    def end(self) -> None:
        """End the program and all that it has started."""
        self._let_go()
        self._process.wait()
        self.wait()

    def __enter__(self) -> KeptProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self.returncode is None:
            self.end()


# ---- folders ---------------------------------------------------------------------------------------------------------


class _FolderKeeper:
    """Removes folders when this process has ended without doing so."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        atexit.register(self.end)
        self._process = subprocess.Popen(
            [_keeper(), "folders", "0"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={},
            start_new_session=True,
        )

    def say(self, line: str) -> None:
        """Tell the keeper; one that is gone was killed on purpose, and butfor does without."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            os.write(self._process.stdin.fileno(), os.fsencode(line) + b"\n")

    def end(self) -> None:
        """Let the keeper end: this process has removed its folders."""
        if self.owner == os.getpid() and self._process.stdin is not None:
            self._process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_REST_SECONDS)


_starting = threading.Lock()
_folders: _FolderKeeper | None = None


def _tell(line: str, *, starts: bool) -> None:
    global _folders
    with _starting:
        if _folders is None or _folders.owner != os.getpid():
            if not starts:
                return
            _folders = _FolderKeeper()
        if "\n" not in line:
            _folders.say(line)


def new_folder(parent: str | None = None) -> Path:
    """An empty temporary folder, which is removed when butfor ends, if not before with `remove_folder`."""
    home = Path(tempfile.mkdtemp(prefix=f"butfor-{os.getpid()}-", dir=parent)).absolute()
    _tell(f"+{home}", starts=True)
    return home


def remove_folder(home: Path) -> None:
    """Remove a temporary folder with all that is in it."""
    shutil.rmtree(home, ignore_errors=True)
    _tell(f"-{home.absolute()}", starts=False)


@contextlib.contextmanager
def temporary_folder() -> Iterator[Path]:
    """An empty folder, removed at the end of the block, or when butfor ends before."""
    home = new_folder()
    try:
        yield home
    finally:
        remove_folder(home)
