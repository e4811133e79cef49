"""A cache of compiled things, keyed by the content they were made from; its size is bounded, damage is noticed."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from butfor.errors import DiskFull

CACHE_VARIABLE = "BUTFOR_CACHE_DIR"
SIZE_VARIABLE = "BUTFOR_CACHE_MEGABYTES"
_DEFAULT_MEGABYTES = 4096  # a thousand small programs with what was made of them; the parts of busybox take 100
_MIN_UNUSED_SECONDS = 3600.0  # another process may still use what was used last within this time
_FAR_TOO_LARGE = 2  # times the limit
_MIN_UNUSED_SECONDS_WHEN_FAR_TOO_LARGE = 600.0
_MAX_BUILD_SECONDS = 86400.0  # what was begun before that is not being built any more
_MANIFEST = "ok"
_GROWTH = "grown"  # the file that grows with the cache, by a byte for each so many bytes of an entry
_GROWTH_UNIT_BYTES = 1 << 16
_GROWTH_BETWEEN_LOOKS = 1 / 16  # of the limit: a look at all entries takes seconds where there are thousands
_UNFINISHED = "new-"
_checked: set[Path] = set()  # entries that this process has found whole, or has made


def key_of(parts: Iterable[bytes | str]) -> str:
    """A key that is equal when all parts are."""
    h = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        h.update(len(data).to_bytes(8, "little"))
        h.update(data)
    return h.hexdigest()[:32]


def find(kind: str, key: str) -> Path | None:
    """The folder of a cached thing, or None when it is not there; one that is damaged is removed."""
    home = cache_dir() / kind / key
    try:
        os.utime(home / _MANIFEST)  # fails when it is not there, or has just been removed
        if home not in _checked and not _is_whole(home):
            _remove(home)
            return None
    except OSError:
        return None
    _checked.add(home)
    return home


def entry(kind: str, key: str, build: Callable[[Path], None], *, is_part: bool = False) -> Path:
    """The folder of a cached thing, built in a temporary folder and moved into place if it is not there yet.

    One of many parts of a program does not make others go: `prune_when_grown` does, when all are there.
    """
    root = cache_dir() / kind
    home = root / key
    found = find(kind, key)
    if found is not None:
        return found
    try:
        root.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=root))
    except OSError as e:
        raise DiskFull(f"the cache folder {root} cannot be written: {e.strerror}") from e
    try:
        build(work)
        size = _write_manifest(work)
        try:
            os.rename(work, home)
        except OSError:
            if find(kind, key) is None:  # nobody else has made it meanwhile
                shutil.rmtree(home, ignore_errors=True)
                os.rename(work, home)
    except OSError as e:
        raise DiskFull(f"the cache folder {root} cannot be written: {e.strerror}") from e
    finally:
        shutil.rmtree(work, ignore_errors=True)
    _checked.add(home)
    _note_growth(size)
    if not is_part:
        prune_when_grown()
    return home


# ---- whole entries ---------------------------------------------------------------------------------------------------


def _digest(file: Path) -> str:
    with open(file, "rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()


def _write_manifest(home: Path) -> int:
    """The number of bytes of an entry, after writing what it consists of: digest, size and name of each file.

    It is whole from then on.
    """
    files = sorted(f for f in home.rglob("*") if f.is_file())
    sizes = [f.stat().st_size for f in files]
    lines = [f"{_digest(f)} {size} {f.relative_to(home)}" for f, size in zip(files, sizes, strict=True)]
    (home / _MANIFEST).write_text("\n".join(lines) + "\n", "utf-8", "surrogateescape")
    return sum(sizes)


def _manifest(home: Path) -> list[tuple[str, int, str]]:
    """The rows of a manifest; none where it is damaged itself."""
    try:
        lines = (home / _MANIFEST).read_text("utf-8", "surrogateescape").splitlines()
        rows = [line.split(" ", 2) for line in lines]
        return [(digest, int(size), name) for digest, size, name in rows]
    except ValueError:
        return []


def _is_whole(home: Path) -> bool:
    rows = _manifest(home)
    return bool(rows) and all((home / name).is_file() and _digest(home / name) == digest for digest, _, name in rows)


def _remove(home: Path) -> None:
    """Remove an entry; from the first moment on, nobody finds a part of it."""
    aside = home.with_name(f"{_UNFINISHED}{home.name}-{os.getpid()}")
    with contextlib.suppress(OSError):
        os.rename(home, aside)
        shutil.rmtree(aside, ignore_errors=True)
    _checked.discard(home)


# ---- size ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """A cached thing: where it is, how large, and when it was used last (seconds since the epoch)."""

    home: Path
    size: int
    used: float

    @property
    def kind(self) -> str:
        """What kind of thing it is."""
        return self.home.parent.name


def _size_of(home: Path) -> int:
    return sum(f.stat().st_size for f in home.rglob("*") if f.is_file())


def entries() -> list[CacheEntry]:
    """All finished entries, those used last at the end."""
    found = []
    for manifest in cache_dir().glob(f"*/*/{_MANIFEST}"):
        with contextlib.suppress(OSError):  # removed by another process meanwhile
            size = sum(row[1] for row in _manifest(manifest.parent)) or _size_of(manifest.parent)
            found.append(CacheEntry(manifest.parent, size, manifest.stat().st_mtime))
    return sorted(found, key=lambda one: one.used)


def most_bytes() -> int:
    """How large the cache may become."""
    with contextlib.suppress(ValueError):
        return int(os.environ.get(SIZE_VARIABLE, "")) * 2**20
    return _DEFAULT_MEGABYTES * 2**20


def _note_growth(size: int) -> None:
    """Note that an entry of this size was made."""
    with contextlib.suppress(OSError), open(cache_dir() / _GROWTH, "ab") as growth:
        growth.write(bytes(1 + size // _GROWTH_UNIT_BYTES))


def prune_when_grown() -> None:
    """Prune, if what was made since the last time, by any process, is much."""
    with contextlib.suppress(OSError):
        grown = (cache_dir() / _GROWTH).stat().st_size * _GROWTH_UNIT_BYTES
        if grown > _GROWTH_BETWEEN_LOOKS * most_bytes():
            prune()


def clear() -> int:
    """Remove all entries, and what builds that were killed have left; the number of bytes of the entries."""
    removed = 0
    for one in entries():
        removed += one.size
        _remove(one.home)
    for left in cache_dir().glob(f"*/{_UNFINISHED}*"):
        shutil.rmtree(left, ignore_errors=True)
    return removed


def prune() -> None:
    """Remove the entries that were not used for longest, until the rest is small enough."""
    now, limit = time.time(), most_bytes()
    with contextlib.suppress(OSError):
        (cache_dir() / _GROWTH).unlink(missing_ok=True)
    kept = entries()
    size = sum(one.size for one in kept)
    for one in kept:
        least = _MIN_UNUSED_SECONDS if size <= _FAR_TOO_LARGE * limit else _MIN_UNUSED_SECONDS_WHEN_FAR_TOO_LARGE
        if size <= limit or now - one.used < least:
            break
        _remove(one.home)
        size -= one.size
    for left in cache_dir().glob(f"*/{_UNFINISHED}*"):
        with contextlib.suppress(OSError):
            if now - left.stat().st_mtime > _MAX_BUILD_SECONDS:
                shutil.rmtree(left, ignore_errors=True)


def cache_dir() -> Path:
    """The directory of compiled programs, which may not exist yet: $BUTFOR_CACHE_DIR, else in the user's cache."""
    given = os.environ.get(CACHE_VARIABLE)
    if given:
        return Path(given).expanduser()
    import platformdirs  # late: `import butfor` stays fast

    return Path(platformdirs.user_cache_dir("butfor", appauthor=False))
