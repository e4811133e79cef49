"""Recordings: the columns of a run with the program's IR and sources, in a folder or in a file."""

from __future__ import annotations

import io
import json
import os
import struct
import weakref
import zipfile
import zlib
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from butfor.errors import DiskFull, RecordingError
from butfor.ir.program import Program, ProgramSource
from butfor.native.kept_process import new_folder, remove_folder
from butfor.trace.log.columns import Log
from butfor.trace.log.record_layout import COLUMNS
from butfor.trace.log.static_segments import StaticTable
from butfor.trace.trace import Trace

FORMAT = 1
_MAGIC = "butfor recording"
_OTHER_MEMBERS = ("start", "end", "stdin", "stdout", "stderr", "module.ll", "segments.npy")
_OPTIONAL_MEMBERS = ("dropped",)  # of long runs whose beginning the log does not hold
_MAX_UNPACKED_BYTES = 64 * 2**30  # a file that claims more is no recording but a zip bomb


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
        try:
            (argc,) = struct.unpack_from("<Q", data)
            return tuple(struct.unpack_from("<QQ", data, 32 + 16 * k) for k in range(argc))
        except struct.error as e:
            raise RecordingError("the recording's start is damaged") from e

    def _addresses(self) -> tuple[dict[str, int], dict[tuple[str, str], int]]:
        """Addresses of functions and globals in this run, and of labels."""
        data = (self.home / "start").read_bytes()
        program = self.code.program
        try:
            (argc,) = struct.unpack_from("<Q", data)
            at = 32 + 16 * argc
            names, targets = program.function_table, program.label_table
            found = dict(zip(names, struct.unpack_from(f"<{len(names)}Q", data, at), strict=True))
            labels = dict(zip(targets, struct.unpack_from(f"<{len(targets)}Q", data, at + 8 * len(names)), strict=True))
        except struct.error as e:
            raise RecordingError("the recording's start is damaged") from e
        for k, (name, _) in enumerate(program.global_table):
            found[name] = int(self.log.object[k + 1]["start"])
        return found, labels


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


def save(recording: Recording, out: Path) -> None:
    """Write the recording to one file."""
    optional = [name for name in _OPTIONAL_MEMBERS if (recording.home / name).exists()]
    members = [*COLUMNS, *_OTHER_MEMBERS, *optional, *recording.meta.sources.values()]
    try:
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as z:
            z.writestr("butfor.json", json.dumps({"magic": _MAGIC, "format": FORMAT, "meta": asdict(recording.meta)}))
            for member in dict.fromkeys(members):
                z.write(recording.home / member, member)
    except OSError as e:
        raise DiskFull(f"the recording could not be written to {out}: {e.strerror}") from e


def load(path: Path, parse: Callable[[str], ProgramSource], code: RecordedProgram | None = None) -> Recording:
    """The recording saved in a file, unpacked to a temporary folder; `code` is its program, if it is read already."""
    try:
        archive = zipfile.ZipFile(path)
    except FileNotFoundError as e:
        raise RecordingError(f"{path}: no such file") from e
    except (zipfile.BadZipFile, OSError) as e:
        raise RecordingError(
            f"{path} is not a butfor recording, or it is damaged", hint="make one with `butfor record`"
        ) from e
    with archive as z:
        meta = _read_meta(z, path)
        if sum(i.file_size for i in z.infolist()) > _MAX_UNPACKED_BYTES:
            raise RecordingError(f"{path} would unpack to more than {_MAX_UNPACKED_BYTES >> 30} GB")
        try:
            home = new_folder()
        except OSError as e:
            raise DiskFull(f"no temporary folder can be made: {e.strerror}") from e
        try:
            _unpack(z, home, meta, path)
        except BaseException:
            remove_folder(home)
            raise
    return Recording(home, meta, code or RecordedProgram.in_folder(home, parse))


def _read_meta(z: zipfile.ZipFile, path: Path) -> Meta:
    try:
        head = json.loads(z.read("butfor.json"))
        if head["magic"] != _MAGIC:
            raise KeyError("magic")
        version = int(head["format"])
    except (KeyError, ValueError, TypeError, RuntimeError, zipfile.BadZipFile, zlib.error, EOFError) as e:
        raise RecordingError(
            f"{path} is not a butfor recording, or it is damaged", hint="make one with `butfor record`"
        ) from e
    if version != FORMAT:
        raise RecordingError(
            f"{path} was made by another version of butfor (format {version}, this one reads {FORMAT})"
        )
    try:
        raw = head["meta"]
        for name in ("args", "nondet", "given", "libs"):
            raw[name] = tuple(raw.get(name, ()))
        raw["env"] = tuple((k, v) for k, v in raw["env"])
        raw.pop("checks", None)  # recordings made by earlier versions have it
        meta = Meta(**raw)
        _check_types(meta)
        return meta
    except (KeyError, TypeError, ValueError, AttributeError) as e:
        raise RecordingError(f"{path} is damaged: its description cannot be read") from e


def _check_types(meta: Meta) -> None:
    """Raise TypeError or ValueError if a field of a description has the wrong type."""
    texts = (
        *meta.args,
        *meta.libs,
        meta.name,
        meta.folder,
        meta.limit,
        meta.coverage,
        *meta.given,
        *(x for pair in meta.env for x in pair),
    )
    texts += (*meta.sources, *meta.sources.values(), meta.expect_stdout or "")
    numbers = (meta.returncode, meta.dropped, *meta.nondet, meta.expect_exit or 0)
    if (
        not all(isinstance(t, str) for t in texts)
        or not all(type(n) is int for n in numbers)
        or not isinstance(meta.seconds, int | float)
    ):
        raise TypeError("a field has the wrong type")
    (meta.expect_stdout or "").encode("latin-1")


def _unpack(z: zipfile.ZipFile, home: Path, meta: Meta, path: Path) -> None:
    optional = {*_OPTIONAL_MEMBERS} & {*z.namelist()}
    wanted = {*COLUMNS, *_OTHER_MEMBERS, *optional, *meta.sources.values()}
    try:
        for name in wanted:
            if os.path.isabs(name) or ".." in Path(name).parts:
                raise RecordingError(f"{path} holds a member with an unsafe name")
            z.extract(name, home)
    except KeyError as e:
        raise RecordingError(f"{path} is damaged: it lacks {e.args[0]}") from e
    except (RuntimeError, zipfile.BadZipFile, zlib.error, EOFError) as e:
        raise RecordingError(f"{path} is damaged: {e}") from e
    except OSError as e:
        raise DiskFull(f"{path} could not be unpacked to {home}: {e.strerror}") from e
