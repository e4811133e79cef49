"""A cache of compiled things, keyed by the content they were made from."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from butfor.errors import DiskFull

CACHE_VARIABLE = "BUTFOR_CACHE_DIR"
_MAX_ENTRIES = 300  # of one kind; beyond that the oldest are removed
_MIN_UNUSED_SECONDS = 3600.0  # another process may still use what was used last within this time


def key_of(parts: Iterable[bytes | str]) -> str:
    """A key that is equal when all parts are."""
    h = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        h.update(len(data).to_bytes(8, "little"))
        h.update(data)
    return h.hexdigest()[:32]


def find(kind: str, key: str) -> Path | None:
    """The folder of a cached thing, or None when it is not there."""
    home = cache_dir() / kind / key
    with contextlib.suppress(OSError):
        os.utime(home / "ok")  # fails when it is not there, or has just been removed
        return home
    return None


def entry(kind: str, key: str, build: Callable[[Path], None]) -> Path:
    """The folder of a cached thing, built in a temporary folder and moved into place if it is not there yet."""
    root = cache_dir() / kind
    home = root / key
    found = find(kind, key)
    if found is not None:
        return found
    try:
        root.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix="new-", dir=root))
    except OSError as e:
        raise DiskFull(f"the cache folder {root} cannot be written: {e.strerror}") from e
    try:
        build(work)
        (work / "ok").touch()
        try:
            os.rename(work, home)
        except OSError:
            if not (home / "ok").exists():
                shutil.rmtree(home, ignore_errors=True)
                os.rename(work, home)
    except OSError as e:
        raise DiskFull(f"the cache folder {root} cannot be written: {e.strerror}") from e
    finally:
        shutil.rmtree(work, ignore_errors=True)
    _prune(root)
    return home


def _prune(root: Path) -> None:
    used: list[tuple[float, Path]] = []
    for home in root.iterdir():
        with contextlib.suppress(OSError):  # not finished, or removed by another process meanwhile
            used.append(((home / "ok").stat().st_mtime, home))
    now = time.time()
    for when, old in sorted(used)[:-_MAX_ENTRIES]:
        if now - when > _MIN_UNUSED_SECONDS:
            shutil.rmtree(old, ignore_errors=True)


def cache_dir() -> Path:
    """The directory of compiled programs, which may not exist yet: $BUTFOR_CACHE_DIR, else in the user's cache."""
    given = os.environ.get(CACHE_VARIABLE)
    if given:
        return Path(given).expanduser()
    import platformdirs  # late: `import butfor` stays fast

    return Path(platformdirs.user_cache_dir("butfor", appauthor=False))
