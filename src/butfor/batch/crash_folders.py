"""Crashing inputs as fuzzers leave them behind: the folders of AFL++ and libFuzzer."""

from __future__ import annotations

import re
from pathlib import Path

from butfor.errors import UsageError

_AFL_NAME = re.compile(r"id[:_]\d+")  # id:000003,sig:11,...; with `_` where the file system takes no colon
_LIBFUZZER_NAME = re.compile(r"(crash|leak|timeout|oom|slow-unit)-[0-9a-f]+$")
_AFL_FOLDERS = re.compile(r"(crashes|hangs)(\..*)?$")  # crashes.2026-11-01 are those of an earlier run
_NOTES = frozenset({"README.txt", ".cur_input", "fuzzer_stats"})


def crashing_inputs(folder: Path) -> tuple[tuple[str, Path], ...]:
    """The inputs in a folder and their names, in the order of the names.

    The folder may be one of crashes; the output folder of one fuzzer or of several that work together; a folder in
    which libFuzzer has left `crash-` files beside others. A folder with neither is taken to hold inputs only.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder", hint="--crashes takes the folder with the crashing inputs")
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name not in _NOTES)
    known = [path for path in files if _is_crash(path, folder)]
    chosen = known or [path for path in files if path.parent == folder]
    if not chosen:
        raise UsageError(f"{folder}: there are no inputs in it")
    return tuple((str(path.relative_to(folder)), path) for path in chosen)


def _is_crash(path: Path, folder: Path) -> bool:
    """Whether a fuzzer says that it is an input with which the program fails; a queue holds other inputs."""
    if _LIBFUZZER_NAME.match(path.name):
        return True
    if _AFL_NAME.match(path.name):
        inside = path.relative_to(folder).parts[:-1]
        return any(_AFL_FOLDERS.match(part) for part in (*inside, folder.name)) or not inside
    return False
