"""Writes a repair to the user's files: all of it or nothing, with a backup of each file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from butfor.errors import UsageError
from butfor.explanation import Explanation
from butfor.files import read_bytes, write_file
from butfor.source.edits import Edit, apply_edits

BEST = 0  # instead of the number of a repair: the first one that passes all tests
MAX_BACKUPS = 1000  # of one file: more than anyone keeps


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file that was changed, and the backup of its former content."""

    file: Path
    backup: Path


def chosen_repair(explanation: Explanation, number: int) -> Mapping[str, Any]:
    """The repair of this number; a UsageError when there is none."""
    repairs = explanation.methods.get("repair", {}).get("repairs", [])
    if number == BEST:
        good = [
            r for r in repairs if r["failing_fixed"] == r["failing_total"] and r["passing_kept"] == r["passing_total"]
        ]
        if not good:
            why = "no repair was found" if not repairs else "no repair passes all tests"
            raise UsageError(
                f"{why}, so nothing was changed",
                hint="--apply N writes repair N even so" if repairs else "--budget gives more time",
            )
        return dict(good[0])
    if not 1 <= number <= len(repairs):
        raise UsageError(f"there is no repair {number}: {len(repairs)} were found", hint="nothing was changed")
    return dict(repairs[number - 1])


def apply_repair(repair: Mapping[str, Any], texts: Mapping[str, str]) -> list[WrittenFile]:
    """The files that were changed; a file that differs from `texts`, the sources that were repaired, is an error."""
    edits = [
        Edit(e["file"], e["start"], e["end"], e["new"].encode("utf-8", "surrogateescape")) for e in repair["edits"]
    ]
    new: dict[Path, tuple[bytes, bytes]] = {}
    for name in dict.fromkeys(e.path for e in edits):
        path, old = Path(name), texts[name].encode("utf-8", "surrogateescape")
        if read_bytes(path) != old:
            raise UsageError(
                f"{path} has changed since it was read, so the repair was not applied", hint="run the command again"
            )
        new[path] = old, apply_edits(old, [e for e in edits if e.path == name])
    done = []
    for path, (old, text) in new.items():
        backup = _backup(path, old)
        write_file(path, text)
        done.append(WrittenFile(path, backup))
    return done


def _backup(path: Path, data: bytes) -> Path:
    """A new file beside the given one with its former content; existing backups are kept."""
    for number in range(MAX_BACKUPS):
        name = path.with_name(path.name + (".orig" if not number else f".orig.{number}"))
        try:
            with open(name, "xb") as file:
                file.write(data)
        except FileExistsError:
            continue
        except OSError as e:
            raise UsageError(
                f"{name}: no copy of the file could be made: {e.strerror}", hint="nothing was changed"
            ) from e
        return name
    raise UsageError(f"{path}: there are too many copies of it already", hint=f"remove {path.name}.orig.*")
