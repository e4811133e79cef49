"""Files that the user names: read or refused; written completely or left as they were."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from butfor.errors import DiskFull, UsageError


def check_writable(path: Path) -> None:
    """Raise a UsageError unless a file can be made there, before any work is done."""
    if path.is_dir():
        raise UsageError(f"{path}: is a directory", hint="-o takes the name of a file")
    if not path.parent.is_dir():
        raise UsageError(f"{path.parent}: no such directory", hint="make it first, or choose another -o")
    target = path.parent if not path.exists() or path.is_file() else path
    if not os.access(target, os.W_OK):
        raise UsageError(f"{path}: permission denied")


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A path to write to; what is written there takes the place of `path` when the block ends without an error."""
    if path.exists() and not path.is_file():
        yield path  # a device or a pipe: there is nothing to protect, and it must not be replaced by a file
        return
    final = path.resolve()
    # The suffix stays, for writers that look at it.
    temporary = final.with_name(f".{final.stem}.{secrets.token_hex(4)}.tmp{final.suffix}")
    try:
        yield temporary
        if final.exists():
            temporary.chmod(final.stat().st_mode & 0o7777)
        os.replace(temporary, final)
    except OSError as error:
        raise _explained(error, path) from error
    finally:
        temporary.unlink(missing_ok=True)


def write_file(path: Path, data: bytes) -> None:
    """Write a file completely; after an error it has its old content."""
    with replacing(path) as temporary:
        temporary.write_bytes(data)


def _explained(error: OSError, path: Path) -> Exception:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(f"{path}: the disk is full; nothing was written")
    return UsageError(f"{path}: cannot be written: {error.strerror or error}")


def read_bytes(path: Path) -> bytes:
    """The content of a file the user named; a UsageError that says why it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}") from error


def check_readable(path: Path, hint: str = "") -> None:
    """Raise a UsageError unless this is a file that can be read; the hint is for a file that is not there."""
    try:
        exists, is_folder = path.exists(), path.is_dir()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from error
    if not exists:
        raise UsageError(f"{path}: no such file", hint=hint)
    if is_folder:
        raise UsageError(f"{path}: is a directory", hint="name the source files in it")
    if not path.is_file():
        raise UsageError(
            f"{path}: is a device or a pipe", hint="copy what comes from it to a file: it is read several times"
        )
    if not os.access(path, os.R_OK):
        raise UsageError(f"{path}: permission denied")
