"""What the user said about statements: benign (believed right) or guilty (this is the fault).

Marks are kept in a small JSON file next to the recording.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from butfor.errors import UsageError
from butfor.files import read_bytes, write_file
from butfor.options import PLACE, AnalysisOptions

Mark = Literal["benign", "guilty"]

_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Marks:
    """Marks by place, as written: `FILE:LINE`, or `LINE` for any file."""

    by_place: Mapping[str, Mark] = field(default_factory=dict)

    def of(self, file: str, line: int) -> Mark | None:
        """The mark of a line; a file may be named by the last parts of its path."""
        return next((mark for where, mark in self.by_place.items() if _names(where, file, line)), None)

    def unmatched(self, sources: Mapping[str, str]) -> list[str]:
        """The places that are in none of these sources."""
        sizes = {file: text.count("\n") + 1 for file, text in sources.items()}
        lines = {where: split_place(where)[1] for where in self.by_place}
        return [
            where
            for where, line in lines.items()
            if not any(_names(where, file, line) and line <= n for file, n in sizes.items())
        ]

    def __bool__(self) -> bool:
        return bool(self.by_place)


def _names(where: str, file: str, line: int) -> bool:
    """Whether a place as written means this line of this file."""
    name, number = split_place(where)
    return number == line and (not name or file == name or file.endswith("/" + name))


def split_place(where: str) -> tuple[str, int]:
    """File (or an empty text) and line of a place as users write it."""
    match = PLACE.match(where.strip())
    if match is None:
        raise UsageError(f"{where!r} is not a place in the source", hint="write FILE:LINE, or LINE alone")
    return match["file"] or "", int(match["line"])


def marks_file(recording: Path) -> Path:
    """Where the marks of a recording are kept."""
    return recording.with_name(recording.name + ".marks.json")


def settle(options: AnalysisOptions, path: Path | None) -> Marks:
    """The marks in force: those of the file, changed as the options say. A change is written back to the file."""
    kept = _read(path) if path is not None and path.exists() else {}
    marks = dict(kept)
    for where in _places(options.unmark):
        marks.pop(where, None)
    marks |= dict.fromkeys(_places(options.benign), "benign")
    marks |= dict.fromkeys(_places(options.guilty), "guilty")
    if path is not None and marks != kept:
        rows = [{"at": where, "mark": mark} for where, mark in sorted(marks.items())]
        write_file(
            path, (json.dumps({"format": _FORMAT, "marks": rows}, indent=1) + "\n").encode("utf-8", "surrogateescape")
        )
    return Marks(marks)


def _places(given: Iterable[str]) -> list[str]:
    return [f"{name}:{line}" if name else str(line) for name, line in map(split_place, given)]


def _read(path: Path) -> dict[str, Mark]:
    try:
        document = json.loads(read_bytes(path))
        if document["format"] != _FORMAT:
            raise UsageError(f"{path}: these marks were made by another version of butfor")
        marks = {row["at"]: row["mark"] for row in document["marks"]}
        if not all(isinstance(where, str) and mark in ("benign", "guilty") for where, mark in marks.items()):
            raise ValueError
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UsageError(f"{path}: not a file of marks", hint="remove it, or name another with --marks") from error
    for where in marks:
        split_place(where)
    return marks
