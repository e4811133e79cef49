"""Recordings: the columns of a run with the program's IR and sources, in a folder."""

from __future__ import annotations

import io
import struct
import weakref
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from butfor.errors import RecordingError
from butfor.ir.program import Program, ProgramSource
from butfor.native.kept_process import remove_folder
from butfor.trace.log.columns import Log
from butfor.trace.log.static_segments import StaticTable
from butfor.trace.trace import Trace

_MAX_ARGUMENTS = 1 << 22  # the kernel passes on fewer


def invoked_as(name: str) -> str:
    """What a program of this name finds in argv[0]: it is run as from its own folder unless the name has one."""
    return name if "/" in name else f"./{name}"


@dataclass(frozen=True, slots=True)
class Meta:
    """What was run and how it ended, as far as the recording process knows."""

    args: tuple[str, ...] = ()
    name: str = "program"
    folder: str = ""
    env: tuple[tuple[str, str], ...] = ()
    nondet: tuple[int, ...] = ()
    libs: tuple[str, ...] = ()  # libraries it was linked with
    returncode: int = 0
    seconds: float = 0.0
    limit: str = ""
    dropped: int = 0  # segments at the beginning of a long run that the log does not hold
    expect_stdout: str | None = None  # latin-1 text of the bytes
    expect_exit: int | None = None
    sources: Mapping[str, str] = field(default_factory=dict)  # from paths to members of the recording
    given: tuple[str, ...] = ()  # source paths as the user wrote them
    coverage: str = ""  # which parts of the program are not looked into, in words; empty when there are none

    @property
    def invoked_as(self) -> str:
        """What the program finds in argv[0]."""
        return invoked_as(self.name)


class RecordedProgram:
    """A program that was built to be recorded, and the table of its segments; both are read on first use.

    All recordings of one build share it.
    """

    def __init__(self, load: Callable[[], Program], segments: bytes) -> None:
        self._load = load
        self._segments = segments

    @classmethod
    def in_folder(cls, home: Path, parse: Callable[[str], ProgramSource]) -> RecordedProgram:
        """The program whose assembly and segment table are in this folder, which may go away afterwards."""
        assembly = (home / "module.ll").read_bytes()
        segments = (home / "segments.npy").read_bytes()
        return cls(lambda: Program(parse(assembly.decode("utf-8", "surrogateescape"))), segments)

    @cached_property
    def program(self) -> Program:
        """The functions of the program and their layouts."""
        return self._load()

    @cached_property
    def table(self) -> NDArray[np.int32]:
        """The segment table: what each segment writes to the log."""
        try:
            table: NDArray[np.int32] = np.load(io.BytesIO(self._segments))
        except (OSError, ValueError, EOFError) as e:
            raise RecordingError("the recording's segment table is damaged") from e
        return table

    @cached_property
    def static(self) -> StaticTable:
        """The segments by number."""
        return StaticTable(self.program, self.table)


class _Contents:
    """The folder of one recorded run and what has been read from it. An `owned` folder is deleted with it."""

    def __init__(self, home: Path, code: RecordedProgram, owned: bool) -> None:
        self.home = home
        self.code = code
        if owned:
            weakref.finalize(self, remove_folder, home)

    @cached_property
    def log(self) -> Log:
        """The columns of the run."""
        return Log(self.home, self.code.table)

    @cached_property
    def trace(self) -> Trace:
        """The run as instances with values."""
        addresses, labels = self._addresses()
        return Trace(self.code.static, self.log, addresses, labels)

    @cached_property
    def arguments(self) -> tuple[tuple[int, int], ...]:
        """Address and length of every command-line argument's text, the program's name first."""
        data = (self.home / "start").read_bytes()
        return tuple(struct.unpack_from("<QQ", data, 32 + 16 * k) for k in range(_argument_count(data)))

    def _addresses(self) -> tuple[dict[str, int], dict[tuple[str, str], int]]:
        """Addresses of functions and globals in this run, and of labels."""
        data = (self.home / "start").read_bytes()
        program = self.code.program
        try:
            at = 32 + 16 * _argument_count(data)
            names, targets = program.function_table, program.label_table
            found = dict(zip(names, struct.unpack_from(f"<{len(names)}Q", data, at), strict=True))
            labels = dict(zip(targets, struct.unpack_from(f"<{len(targets)}Q", data, at + 8 * len(names)), strict=True))
        except struct.error as e:
            raise RecordingError("the recording's start is damaged") from e
        if len(self.log.object) <= len(program.global_table):
            raise RecordingError("the recording lacks objects")
        for k, (name, _) in enumerate(program.global_table):
            found[name] = int(self.log.object[k + 1]["start"])
        return found, labels


def _argument_count(start: bytes) -> int:
    """How many arguments the program had, by the recording's start."""
    (count,) = struct.unpack_from("<Q", start) if len(start) >= 8 else (_MAX_ARGUMENTS,)
    if count >= _MAX_ARGUMENTS or 32 + 16 * count > len(start):
        raise RecordingError("the recording's start is damaged")
    return int(count)


class Recording:
    """One recorded run in a folder, immutable. An `owned` folder is deleted with the last view of the run."""

    def __init__(self, home: Path, meta: Meta, code: RecordedProgram, *, owned: bool = True) -> None:
        self._meta = meta
        self._contents = _Contents(home, code, owned)

    @property
    def meta(self) -> Meta:
        """What was run, how it ended and how it should have ended."""
        return self._meta

    def with_expectations(self, stdout: bytes | None, exit_status: int | None) -> Recording:
        """A view of the same run that was expected to end like this; None leaves an expectation as it is."""
        if stdout is None and exit_status is None:
            return self
        meta = self._meta
        view = copy(self)
        view._meta = replace(
            meta,
            expect_stdout=meta.expect_stdout if stdout is None else stdout.decode("latin-1"),
            expect_exit=meta.expect_exit if exit_status is None else exit_status,
        )
        return view

    @property
    def code(self) -> RecordedProgram:
        """The program, which all recordings of one build share."""
        return self._contents.code

    @property
    def home(self) -> Path:
        """The folder."""
        return self._contents.home

    @property
    def source(self) -> ProgramSource:
        """The front end's view of the program: functions, globals, debug information."""
        return self._contents.code.program.source

    @property
    def program(self) -> Program:
        """The functions of the program and their layouts."""
        return self._contents.code.program

    @property
    def log(self) -> Log:
        """The columns of the run."""
        return self._contents.log

    @property
    def trace(self) -> Trace:
        """The run as instances with values."""
        return self._contents.trace

    @property
    def arguments(self) -> tuple[tuple[int, int], ...]:
        """Address and length of every command-line argument's text, the program's name first."""
        return self._contents.arguments

    @property
    def stdout(self) -> bytes:
        """What the program wrote to standard output."""
        return (self.home / "stdout").read_bytes()

    def text_of(self, path: str) -> bytes | None:
        """The content of a source file as it was when the run was recorded."""
        member = self.meta.sources.get(path)
        return (self.home / member).read_bytes() if member else None
