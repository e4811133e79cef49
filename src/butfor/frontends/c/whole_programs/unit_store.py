"""What was made of single units, kept by their content: summaries, and objects that record themselves."""

from __future__ import annotations

import enum
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from butfor.frontends.c.build import code_version, object_code
from butfor.frontends.c.c_module import CModule
from butfor.frontends.c.instrument.hooked_module import CheckOptions, checked_models
from butfor.frontends.c.instrument.hooked_unit import hooked_unit
from butfor.frontends.c.instrument.recording_unit import recording_unit
from butfor.frontends.c.instrument.unit_text import OtherUnits
from butfor.frontends.c.whole_programs.unit_summary import UnitSummary, normal_text, summary_of, unit_module
from butfor.ir.gc_pause import collector_paused
from butfor.libc import library
from butfor.native import build_cache

_SUMMARIES, _OBJECTS = "unit-summaries", "unit-objects"


class Probes(enum.StrEnum):
    """What is put into the functions of a unit."""

    RECORD = "record"
    HOOKS = "hooks"  # by which a run is changed
    CHECKS = "checks"  # hooks, and memory checks
    ALL_CHECKS = "all checks"  # those of arithmetic too


@dataclass(frozen=True, slots=True)
class UnitJob:
    """Something to make of a unit: its summary, or, where the names of the `others` are known, its object."""

    bitcode: str
    content: str  # what the store calls it
    others: OtherUnits | None = None
    probes: Probes = Probes.RECORD
    inlines: bool = False  # the hooks

    def to_json(self) -> str:
        """The job as a line of text."""
        o = self.others
        rows = o and [sorted(o.functions), dict(o.variables or {}), sorted(o.yielding), sorted(o.aliases)]
        return json.dumps([self.bitcode, self.content, rows, self.probes, self.inlines])

    @classmethod
    def from_json(cls, text: str) -> UnitJob:
        """The job of a line of text."""
        bitcode, content, rows, probes, inlines = json.loads(text)
        if rows is None:
            return cls(bitcode, content)
        functions, variables, yielding, aliases = rows
        others = OtherUnits(frozenset(functions), variables, frozenset(yielding), frozenset(aliases))
        return cls(bitcode, content, others, Probes(probes), inlines)

    @property
    def _parts(self) -> tuple[str, OtherUnits | None, Probes, bool]:
        return self.content, self.others, self.probes, self.inlines

    @property
    def key(self) -> str:
        """The key of the result."""
        if self.others is None:
            return build_cache.key_of((code_version(), self.content))
        return build_cache.key_of((code_version(), UnitJob("", *self._parts).to_json()))

    @property
    def kind(self) -> str:
        """Where results of this kind are kept."""
        return _SUMMARIES if self.others is None else _OBJECTS

    def find(self) -> Path | None:
        """The folder with the result, where there is one."""
        return build_cache.find(self.kind, self.key)

    def run(self) -> Path:
        """The folder with the result, which is made if it is not there."""

        def make(work: Path) -> None:
            with collector_paused():
                module = CModule(normal_text(unit_module(Path(self.bitcode)))[0])
                if self.others is None:
                    (work / "summary.json").write_text(summary_of(module).to_json(), "utf-8")
                elif self.probes is Probes.RECORD:
                    _write_recording_object(module, self.others, work)
                else:
                    _write_hooked_object(module, self.others, self.probes, work, inlines=self.inlines)

        return build_cache.entry(self.kind, self.key, make, is_part=True)


def _write_recording_object(module: CModule, others: OtherUnits, work: Path) -> None:
    unit = recording_unit(module, others, frozenset(library.modelled_functions()))
    (work / "unit.o").write_bytes(object_code(unit.text))
    np.save(work / "segments.npy", unit.table)
    names = {"functions": list(module.functions), "objects": unit.objects, "labels": unit.labels}
    (work / "names.json").write_text(json.dumps(names), "utf-8")


def _write_hooked_object(module: CModule, others: OtherUnits, probes: Probes, work: Path, *, inlines: bool) -> None:
    checks = CheckOptions(checked_models(), arithmetic=probes is Probes.ALL_CHECKS) if probes != Probes.HOOKS else None
    unit = hooked_unit(module, others, library.replaced_functions(), checks)
    (work / "unit.o").write_bytes(object_code(unit.text, inlines=inlines))
    names = {
        "objects": unit.objects,
        "sites": [site.to_row() for site in unit.sites],
        "checks": unit.checks,
        "labels": [],
    }
    (work / "names.json").write_text(json.dumps(names), "utf-8")


def read_summary(home: Path) -> UnitSummary:
    """The summary in a folder of the store."""
    return UnitSummary.from_json((home / "summary.json").read_text("utf-8"))


@dataclass(frozen=True)
class UnitObject:
    """The object of a unit, and what it numbers."""

    home: Path

    @property
    def code(self) -> bytes:
        """The object."""
        return (self.home / "unit.o").read_bytes()

    @cached_property
    def table(self) -> NDArray[np.int32]:
        """The segments of the unit; the last column has the functions in the order of `functions`."""
        table: NDArray[np.int32] = np.load(self.home / "segments.npy")
        return table

    @cached_property
    def _names(self) -> Mapping[str, Any]:
        found: dict[str, Any] = json.loads((self.home / "names.json").read_bytes())
        return found

    @property
    def functions(self) -> list[str]:
        """The functions that it defines."""
        found: list[str] = self._names["functions"]
        return found

    @property
    def objects(self) -> list[str]:
        """The variables that it gives numbers."""
        found: list[str] = self._names["objects"]
        return found

    @property
    def sites(self) -> list[list[object]]:
        """The rows of its sites."""
        found: list[list[object]] = self._names["sites"]
        return found

    @property
    def checks(self) -> list[tuple[str, int]]:
        """The function and the instruction of each of its checks."""
        return [(function, instr) for function, instr in self._names["checks"]]

    @cached_property
    def labels(self) -> dict[tuple[str, str], int]:
        """The places of labels, by function and label, in its table of their addresses."""
        return {(function, label): k for k, (function, label) in enumerate(self._names["labels"])}
