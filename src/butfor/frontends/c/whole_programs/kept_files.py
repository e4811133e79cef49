"""Objects and archives that a twin is linked with as they are, but for the names of what the twin defines."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from butfor.errors import DiskFull
from butfor.frontends.c import object_files
from butfor.frontends.c.whole_programs.twin_plan import TwinPlan
from butfor.frontends.stamped_files import Member, archive_members, hides_stamps, stamps_of, stem_of
from butfor.native import build_cache
from butfor.native.c_compiler import find_compiler
from butfor.native.run_tool import run_tool


def kept_files(plan: TwinPlan, defined: frozenset[str]) -> tuple[str, ...]:
    """The words of the plan's link, with the paths of copies in which what the twin has `defined` is called as there.

    An archive is kept without the members that are part of the twin.
    """
    names = {name: f"u.{name}" for name in defined}
    used = _Used(frozenset(u.ir for u in plan.units), frozenset(stem_of(u.source) for u in plan.units))
    return tuple(_kept(Path(word), names, used) if word in plan.files else word for word in plan.words)


@dataclass(frozen=True, slots=True)
class _Used:
    """The units of a twin: the names of their IR, and the stems of their sources."""

    units: frozenset[str]
    stems: frozenset[str]

    def has(self, member: Member) -> bool:
        """Whether an object is part of the twin."""
        stamps = stamps_of(member.data)
        if stamps is None or not stamps.units:
            return hides_stamps(member.data) and stem_of(member.name) in self.stems
        return all(unit.ir in self.units for unit in stamps.units)


def _kept(path: Path, names: dict[str, str], used: _Used) -> str:
    members = archive_members(path)
    if members is None:
        return str(_stored((Member(path.name, path.read_bytes()),), names) / path.name)
    left = tuple(member for member in members if not used.has(member))
    return str(_archive(left, names, path.name))


def _stored(members: tuple[Member, ...], names: dict[str, str]) -> Path:
    """A folder with the members, renamed, by their names; a number in front of one that is there already."""
    contents = [(m.name, object_files.renamed(m.data, names) if m.data[:4] == b"\x7fELF" else m.data) for m in members]

    def make(work: Path) -> None:
        for k, (name, data) in enumerate(contents):
            file = work / Path(name).name
            (work / f"{k}-{file.name}" if file.exists() else file).write_bytes(data)

    return build_cache.entry("linked-files", build_cache.key_of([x for pair in contents for x in pair]), make)


def _archive(members: tuple[Member, ...], names: dict[str, str], name: str) -> Path:
    """An archive of these members."""
    folder = _stored(members, names)
    out = folder / f"lib-{name}"
    if not out.exists():
        zig = find_compiler(None).command[0]
        new = folder / f"new-{name}"
        objects = sorted(str(file) for file in folder.iterdir() if file.name != "ok" and not file.name.endswith(".a"))
        run_tool((zig, "ar", "rcs", str(new), *objects), f"{name} cannot be copied")
        try:
            new.rename(out)
        except OSError as e:
            raise DiskFull(f"{out} cannot be written: {e.strerror}") from e
    return out
