"""A folder of results, each under a key made of what it was computed from.

A result is written to a temporary file and moved into place, so that a batch which is killed leaves whole results only.
Each begins with a checksum of the rest; one that does not match is taken for missing and is computed again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
from functools import cache
from pathlib import Path
from typing import Any

import butfor
from butfor.errors import DiskFull
from butfor.native.build_cache import key_of

_CODE_SUFFIXES = (".py", ".c", ".h", ".j2", ".css", ".js")


@cache
def version_of_code() -> str:
    """A text that changes when any part of butfor does."""
    root = Path(butfor.__file__).parent
    files = sorted(path for path in root.rglob("*") if path.suffix in _CODE_SUFFIXES)
    return key_of([part for path in files for part in (str(path.relative_to(root)), path.read_bytes())])


class ResultStore:
    """The results in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DiskFull(f"{folder}: the results cannot be kept there: {error.strerror}") from error

    def get(self, key: str) -> dict[str, Any] | None:
        """The result with this key; None when there is none, or when it is damaged."""
        try:
            head, _, body = self._path(key).read_bytes().partition(b"\n")
        except OSError:
            return None
        if head.decode("ascii", "replace") != hashlib.sha256(body).hexdigest():
            return None
        found: dict[str, Any] = json.loads(body)
        return found

    def put(self, key: str, result: dict[str, Any]) -> None:
        """Keep a result of plain JSON values."""
        body = json.dumps(result, ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode()
        self.put_file(self._path(key), hashlib.sha256(body).hexdigest().encode() + b"\n" + body)

    def put_file(self, path: Path, data: bytes) -> None:
        """Write a file of the store, completely or not at all."""
        temporary = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(data)
            os.replace(temporary, path)
        except OSError as error:
            raise DiskFull(f"{path}: the result cannot be kept: {error.strerror}") from error
        finally:
            temporary.unlink(missing_ok=True)

    def remove_leftovers(self) -> None:
        """Remove temporary files of batches that were killed."""
        temporary = [(path, path.name.split(".")[-2]) for path in self.folder.glob("*/.*")]
        notes = [(path, path.stem.removeprefix("status-")) for path in self.folder.glob("status-*")]
        for path, owner in (*temporary, *notes):
            if owner.isdigit() and not Path("/proc", owner).exists():
                with contextlib.suppress(OSError):
                    path.unlink()

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key[2:]}.json"
