"""Compilers and linkers: run under limits, with a temporary folder of their own, and ended when butfor ends."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from butfor.errors import CompileError, DiskFull, ToolMissing
from butfor.native.c_compiler import without_noise
from butfor.native.kept_process import KeptProcess, temporary_folder

_LOOK_SECONDS = 0.5  # between looks at what a tool uses
_IDLE_SECONDS = 10.0  # without a moment of work: it waits for an input that never comes, as from a pipe
_MAX_SECONDS = 900.0  # the largest single sources take a minute
_MEMORY_SHARE = 0.5  # of the machine: a compiler that reads a file without end takes all there is
_PAGE_BYTES, _TICKS = os.sysconf("SC_PAGE_SIZE"), os.sysconf("SC_CLK_TCK")
_MACHINE_BYTES = _PAGE_BYTES * os.sysconf("SC_PHYS_PAGES")


@dataclass(frozen=True, slots=True)
class ToolRun:
    """How a tool ended, and what it wrote."""

    returncode: int
    out: bytes
    err: bytes
    limit: str = ""  # what it was ended for, in words


def run_under_limits(command: Sequence[str], cwd: Path | None = None) -> ToolRun:
    """The finished run of a tool; one that goes over a limit is ended."""
    path = shutil.which(command[0])
    if path is None:
        raise ToolMissing(f"{command[0]} cannot be started: there is no such program")
    with (
        temporary_folder() as scratch,
        tempfile.TemporaryFile(dir=scratch) as out,
        tempfile.TemporaryFile(dir=scratch) as err,
    ):
        env = dict(os.environ, LC_ALL="C.UTF-8", TMPDIR=str(scratch))
        with open(os.devnull, "rb") as nothing:
            process = KeptProcess(
                command,
                executable=path,
                env=env,
                cwd=cwd,
                stdin=nothing.fileno(),
                stdout=out.fileno(),
                stderr=err.fileno(),
            )
        with process:
            limit = _watch(process)
        out.seek(0)
        err.seek(0)
        assert process.returncode is not None
        return ToolRun(process.returncode, out.read(), err.read(), limit)


def _watch(process: KeptProcess) -> str:
    start = busy = time.monotonic()
    ticks = -1
    while process.wait(_LOOK_SECONDS) is None:
        now, used = time.monotonic(), _used_by_session(process.pid)
        if used.ticks != ticks:
            busy, ticks = now, used.ticks
        limit = ""
        if now - start > _MAX_SECONDS:
            limit = f"it took more than {_MAX_SECONDS:g} s"
        elif now - busy > _IDLE_SECONDS:
            limit = "it waited for an input that did not come"
        elif used.bytes > _MEMORY_SHARE * _MACHINE_BYTES:
            limit = f"it used more than {used.bytes >> 20} MB of memory"
        if limit:
            process.end()
            return limit
    return ""


@dataclass(frozen=True, slots=True)
class _Usage:
    ticks: int
    bytes: int


def _used_by_session(leader: int) -> _Usage:
    """Processor time and memory of a process and all that it has started."""
    ticks = size = 0
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text("utf-8", "replace").rpartition(")")[2].split()
        except OSError:
            continue  # it has just ended
        if len(fields) > 21 and int(fields[3]) == leader:
            ticks += sum(map(int, fields[11:15]))
            size += int(fields[21]) * _PAGE_BYTES
    return _Usage(ticks, size)


def run_tool(command: Sequence[str], what: str, cwd: Path | None = None) -> str:
    """What the tool wrote to stderr; a CompileError with that text as it is when it fails."""
    done = run_under_limits(command, cwd)
    text = done.err.decode("utf-8", "replace")
    if done.limit:
        raise CompileError(f"{what}: the compiler was ended because {done.limit}", stderr=without_noise(text))
    if done.returncode != 0:
        if "No space left on device" in text or "NoSpaceLeft" in text:
            raise DiskFull(f"{what}: no space left on the disk")
        raise CompileError(what, stderr=without_noise(text))
    return text
