"""Which reports go where: formats and files as given, paired."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from butfor.errors import UsageError
from butfor.files import check_writable
from butfor.report.formats import FORMATS, TEXT, Format, by_suffix

STDOUT = Path("-")


@dataclass(frozen=True, slots=True)
class Target:
    """One report: its format, and the file it goes to or None for stdout."""

    format: Format
    path: Path | None


def targets(forms: Sequence[str], outs: Sequence[Path]) -> tuple[Target, ...]:
    """The reports to write. One format and one file belong together; of several, a file has the format of its suffix, else the next one given."""
    left = [FORMATS[name] for name in dict.fromkeys([*forms, *(["json"] if flag("json") else [])])]
    if len(left) == len(outs) == 1:
        return _checked([Target(left[0], _path(outs[0]))])
    found: list[Target] = []
    is_any = bool(left)
    for out in outs:
        own = by_suffix(out.suffix)
        if own in left:
            left.remove(own)
        found += [Target(own, _path(out))] if own is not None else []
    for out in (out for out in outs if by_suffix(out.suffix) is None):
        if is_any and not left:
            raise UsageError(
                f"there is no format for {out}", hint="give one --format for each -o, or files with known suffixes"
            )
        found.append(Target(left.pop(0) if left else TEXT, _path(out)))
    if not outs and not left:
        left = [TEXT]
    return _checked([*found, *(Target(f, None) for f in left)])


def flag(name: str) -> bool:
    """Whether a flag of the report was given to the command under way."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(f"butfor.{name}"))


def wants_story(given: Sequence[Target]) -> bool:
    """Whether one of the reports shows the run step by step."""
    return any(target.format.story for target in given)


def _path(out: Path) -> Path | None:
    return None if out == STDOUT else out


def _checked(found: list[Target]) -> tuple[Target, ...]:
    """The targets, if all of them can be written."""
    here = [target for target in found if target.path is None]
    if len(here) > 1:
        names = " and ".join(target.format.name for target in here)
        raise UsageError(f"only one report can go to stdout, not {names}", hint="give the others a file with -o")
    for target in found:
        if target.path is not None:
            check_writable(target.path)
    return tuple(found)
