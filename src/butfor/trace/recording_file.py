"""Recordings as files: one archive with all that a recording consists of, and what is asked of one that is opened."""

from __future__ import annotations

import hashlib
import json
import math
import os
import shutil
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from butfor.errors import DiskFull, RecordingError
from butfor.ir.program import ProgramSource
from butfor.native.kept_process import new_folder, remove_folder
from butfor.trace.consistency import check_consistency
from butfor.trace.log.record_layout import COLUMNS
from butfor.trace.recording import Meta, RecordedProgram, Recording

FORMAT = 1
_MAGIC = "butfor recording"
_OTHER_MEMBERS = ("start", "end", "stdin", "stdout", "stderr", "module.ll", "segments.npy")
_OPTIONAL_MEMBERS = ("dropped",)  # of long runs whose beginning the log does not hold
_LATER_COLUMNS = ("text",)  # that recordings made by earlier versions lack; empty ones say the same
_MAX_UNPACKED_BYTES = 64 * 2**30  # a file that claims more is no recording but a zip bomb
_NOT_READABLE = (
    *(KeyError, ValueError, TypeError, AttributeError, OverflowError, RuntimeError, RecursionError),
    *(zipfile.BadZipFile, zlib.error, EOFError, OSError),
)


@dataclass(frozen=True, slots=True)
class _Head:
    """What a file says first: the description of the run, and the checksum of all there is, which early files lack."""

    meta: Meta
    described: Any
    digest: str | None


def save(recording: Recording, out: Path) -> None:
    """Write the recording to one file."""
    optional = [name for name in _OPTIONAL_MEMBERS if (recording.home / name).exists()]
    members = dict.fromkeys([*COLUMNS, *_OTHER_MEMBERS, *optional, *recording.meta.sources.values()])
    try:
        head = {"magic": _MAGIC, "format": FORMAT, "meta": asdict(recording.meta)}
        head["digest"] = checksum(head["meta"], _hashes(recording.home, members))
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as z:
            z.writestr("butfor.json", json.dumps(head))
            for member in members:
                z.write(recording.home / member, member)
    except OSError as e:
        raise DiskFull(f"the recording could not be written to {out}: {e.strerror}") from e


def checksum(described: Any, hashes: Mapping[str, str]) -> str:
    """The checksum of a recording, from its description and the SHA-256 of each member."""
    lines = [json.dumps(described, sort_keys=True), *(f"{name} {hashes[name]}" for name in sorted(hashes))]
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


def _hashes(home: Path, members: Iterable[str]) -> dict[str, str]:
    found = {}
    for member in members:
        with open(home / member, "rb") as file:
            found[member] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def load(path: Path, parse: Callable[[str], ProgramSource], code: RecordedProgram | None = None) -> Recording:
    """The recording saved in a file, unpacked to a temporary folder; `code` is its program, if it is read already.

    Raises a RecordingError unless it is whole, and its columns fit together and fit its program.
    """
    try:
        archive = zipfile.ZipFile(path)
    except FileNotFoundError as e:
        raise RecordingError(f"{path}: no such file") from e
    except (zipfile.BadZipFile, OSError) as e:
        raise RecordingError(
            f"{path} is not a butfor recording, or it is damaged", hint="make one with `butfor record`"
        ) from e
    with archive as z:
        head = _read_head(z, path)
        size = sum(i.file_size for i in z.infolist())
        if size > _MAX_UNPACKED_BYTES:
            raise RecordingError(f"{path} would unpack to more than {_MAX_UNPACKED_BYTES >> 30} GB")
        try:
            home = new_folder()
        except OSError as e:
            raise DiskFull(f"no temporary folder can be made: {e.strerror}") from e
        try:
            if size > shutil.disk_usage(home).free:
                raise DiskFull(f"{path} would unpack to {size >> 20} MB, and there is less room for temporary files")
            _unpack(z, home, head, path)
        except BaseException:
            remove_folder(home)
            raise
    recording = Recording(home, head.meta, code or RecordedProgram.in_folder(home, parse))
    try:
        check_consistency(recording.trace)
    except RecordingError as e:
        raise RecordingError(f"{path}: {e.message}", hint=e.hint) from e
    except (MemoryError, RecursionError):
        raise
    except Exception as e:  # until here nothing was done but to read it
        raise RecordingError(f"{path} is damaged: its program cannot be read") from e
    return recording


def _read_head(z: zipfile.ZipFile, path: Path) -> _Head:
    try:
        head = json.loads(z.read("butfor.json"))
        if head["magic"] != _MAGIC:
            raise KeyError("magic")
        version = int(head["format"])
    except _NOT_READABLE as e:
        raise RecordingError(
            f"{path} is not a butfor recording, or it is damaged", hint="make one with `butfor record`"
        ) from e
    if version != FORMAT:
        raise RecordingError(
            f"{path} was made by another version of butfor (format {version}, this one reads {FORMAT})"
        )
    try:
        raw = dict(head["meta"])
        for name in ("args", "nondet", "given", "libs"):
            raw[name] = tuple(raw.get(name, ()))
        raw["env"] = tuple((k, v) for k, v in raw["env"])
        raw.pop("checks", None)  # recordings made by earlier versions have it
        meta = Meta(**raw)
        _check_types(meta)
        return _Head(meta, head["meta"], head.get("digest"))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as e:
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
        or not math.isfinite(meta.seconds)
        or max(map(abs, numbers)) >= 2**64
    ):
        raise TypeError("a field has the wrong type")
    (meta.expect_stdout or "").encode("latin-1")


def _unpack(z: zipfile.ZipFile, home: Path, head: _Head, path: Path) -> None:
    optional = {*_OPTIONAL_MEMBERS} & {*z.namelist()}
    lacking = {*_LATER_COLUMNS} - {*z.namelist()}
    wanted = {*COLUMNS, *_OTHER_MEMBERS, *optional, *head.meta.sources.values()} - lacking
    try:
        for name in lacking:
            (home / name).touch()
        for name in wanted:
            if not name or name.endswith("/") or os.path.isabs(name) or ".." in Path(name).parts:
                raise RecordingError(f"{path} holds a member with an unsafe name")
            z.extract(name, home)
        if head.digest is not None and head.digest != checksum(head.described, _hashes(home, wanted)):
            raise RecordingError(f"{path} is damaged: its checksum is wrong")
    except KeyError as e:
        raise RecordingError(f"{path} is damaged: it lacks {e.args[0]}") from e
    except (ValueError, RuntimeError, zipfile.BadZipFile, zlib.error, EOFError) as e:
        raise RecordingError(f"{path} is damaged: {e}") from e
    except OSError as e:
        raise DiskFull(f"{path} could not be unpacked to {home}: {e.strerror}") from e
