"""The units that a twin was made of, kept so that it can be made again with other probes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from butfor.frontends.c.c_module import CModule
from butfor.frontends.c.whole_programs.unit_store import Probes, UnitJob, UnitObject
from butfor.native import build_cache

_KIND, _COMMENT = "twin-units", "; units of the program: "


@dataclass(frozen=True, slots=True)
class TwinUnit:
    """A unit, and what its names are in the program; definitions that are `replaced` do not count."""

    job: UnitJob
    names: Mapping[str, str]
    replaced: frozenset[str]

    def with_probes(self, probes: Probes, *, inlines: bool) -> UnitJob:
        """The job that gives the unit other probes."""
        return UnitJob(self.job.bitcode, self.job.content, self.job.others, probes, inlines)


@dataclass(frozen=True, slots=True)
class NamedUnit:
    """The object of a unit, and what its names are in the program; definitions that are `replaced` do not count."""

    made: UnitObject
    names: Mapping[str, str]
    replaced: frozenset[str]


def kept_units(units: Iterable[TwinUnit]) -> str:
    """A comment for the program's assembly by which its units are found again."""
    rows = [[unit.job.to_json(), dict(unit.names), sorted(unit.replaced)] for unit in units]
    text = json.dumps(rows)
    key = build_cache.key_of((text,))
    build_cache.entry(_KIND, key, lambda work: _write(work, text))
    return f"{_COMMENT}{key}\n"


def _write(work: Path, text: str) -> None:
    (work / "units.json").write_text(text, "utf-8", "surrogateescape")


def units_of(module: CModule) -> tuple[TwinUnit, ...]:
    """The units of a program that was made of some, as long as they are all there."""
    if not module.lines[0].startswith(_COMMENT):
        return ()
    home = build_cache.find(_KIND, module.lines[0].removeprefix(_COMMENT))
    if home is None:
        return ()
    rows = json.loads((home / "units.json").read_text("utf-8", "surrogateescape"))
    units = tuple(TwinUnit(UnitJob.from_json(job), names, frozenset(replaced)) for job, names, replaced in rows)
    return units if all(Path(unit.job.bitcode).exists() for unit in units) else ()
