"""Which reports are written, in which format and to which file or stdout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from butfor.errors import UsageError
from butfor.files import check_writable
from butfor.report.formats import TEXT, Format, format_for_suffix

_STDOUT = Path("-")  # what -o takes for it


@dataclass(frozen=True, slots=True)
class Target:
    """One report: its format, and the file it goes to or None for stdout."""

    format: Format
    path: Path | None


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """What the flags of a command ask for: the reports to write, how much they show, what the exit status says."""

    targets: tuple[Target, ...]
    verbose: bool
    color: str  # "auto", "always" or "never"
    fail_on_cause: bool = False

    @property
    def needs_story(self) -> bool:
        """Whether one of the reports shows the run step by step."""
        return any(target.format.needs_story for target in self.targets)


def report_targets(names: Sequence[str], paths: Sequence[Path], formats: Mapping[str, Format]) -> tuple[Target, ...]:
    """The reports to write, for the names given with --format and the paths given with -o.

    A file with a known suffix is written in the format of that suffix. The formats named, except those that such a file
    has already, go to the other files in order; what is left goes to stdout.
    """
    named = [formats[name] for name in dict.fromkeys(names)]
    of_suffix = {path: format_for_suffix(path.suffix, formats.values()) for path in paths}
    left = [row for row in named if row not in of_suffix.values()]
    targets = [Target(row, path) for path, row in of_suffix.items() if row is not None]
    for path in (path for path, row in of_suffix.items() if row is None):
        if named and not left:
            raise UsageError(
                f"there is no format for {path}", hint="give one --format for each -o, or files with known suffixes"
            )
        targets.append(Target(left.pop(0) if left else TEXT, None if path == _STDOUT else path))
    if not paths and not left:
        left = [TEXT]
    targets += [Target(row, None) for row in left]
    _check_targets(targets)
    return tuple(targets)


def _check_targets(targets: Sequence[Target]) -> None:
    """Raise a UsageError unless all targets can be written."""
    on_stdout = [target.format.name for target in targets if target.path is None]
    if len(on_stdout) > 1:
        names = " and ".join(on_stdout)
        raise UsageError(f"only one report can go to stdout, not {names}", hint="give the others a file with -o")
    for target in targets:
        if target.path is not None:
            check_writable(target.path)
