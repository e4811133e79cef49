"""The store of IR: bitcode of units, named by its hash, with the command that made it; links, named likewise.

    units/ab/abcd….bc     bitcode of a unit, with the texts of its sources inside
    units/ab/abcd….cmd    the folder and the words of the command that made it, each ended by a NUL
    units/ab/abcd….no     in place of the bitcode: why it must not be used
    links/ab/abcd…        the folder and the words of a link, likewise
    stamps/ab/abcd….s     assembly, or C for a compiler that takes no second assembly, which names a unit in its object

Nothing is ever changed in it, so builds may run side by side. What was not used for longest goes when it is too much.
"""

from __future__ import annotations

import os
import time
from _blake2 import blake2b

UNITS_SECTION = ".butfor.units"
LINK_SECTION = ".butfor.link"
NO_IR = "-"  # in place of a hash: an object that was compiled without IR
_HASH_BYTES = 16
MAX_BYTES = 4 * 2**30  # of all files; a unit takes 0.1 MB, busybox 70 MB for each time that all of it is built anew
MIN_UNUSED_SECONDS = 86_400.0  # a build that goes on, or a program that was built today, still needs it


def store_folder() -> str:
    """The folder of the store, in butfor's cache."""
    given = os.environ.get("BUTFOR_CACHE_DIR")
    if given:
        return os.path.join(os.path.expanduser(given), "ir")
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(cache, "butfor", "ir")


def name_of(content: bytes) -> str:
    """The name under which this content is kept."""
    return blake2b(content, digest_size=_HASH_BYTES).hexdigest()


def place_of(store: str, kind: str, name: str, suffix: str = "") -> str:
    """Where something of this name is kept."""
    return os.path.join(store, kind, name[:2], name + suffix)


def keep(store: str, kind: str, name: str, suffix: str, content: bytes) -> str:
    """The path of this content, which is written if it is not there yet."""
    path = place_of(store, kind, name, suffix)
    if not note_use(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        new = f"{path}.{os.getpid()}"
        with open(new, "wb") as file:
            file.write(content)
        os.rename(new, path)
    return path


def note_use(path: str | os.PathLike[str]) -> bool:
    """Whether there is such a file, which then counts as used just now."""
    try:
        os.utime(path)
    except OSError:
        return False
    return True


def prune(store: str, max_bytes: int = MAX_BYTES, min_age: float = MIN_UNUSED_SECONDS) -> None:
    """Remove files that were not used for longest, until the rest has at most so many bytes; none used lately."""
    found = []
    for kind in ("units", "links", "stamps"):
        for folder, _, names in os.walk(os.path.join(store, kind)):
            for name in names:
                path = os.path.join(folder, name)
                try:
                    state = os.stat(path)
                except OSError:  # removed by another process meanwhile
                    continue
                found.append((state.st_mtime, state.st_size, path))
    total, now = sum(size for _, size, _ in found), time.time()
    for when, size, path in sorted(found):
        if total <= max_bytes or now - when < min_age:
            break
        total -= size
        try:
            os.unlink(path)
        except OSError:
            continue


def command_record(folder: str, words: list[str]) -> bytes:
    """A folder and the words of a command, as one text."""
    return b"".join(os.fsencode(word) + b"\0" for word in (folder, *words))


def read_command(path: str | os.PathLike[str]) -> tuple[str, list[str]]:
    """The folder and the words of a command that was kept."""
    with open(path, "rb") as file:
        folder, *words = file.read().split(b"\0")[:-1]
    return os.fsdecode(folder), [os.fsdecode(word) for word in words]
