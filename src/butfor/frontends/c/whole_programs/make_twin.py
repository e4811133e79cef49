"""Making the twin of a program from its units."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from butfor.errors import UsageError
from butfor.frontends.c import toolchain
from butfor.frontends.c.build import (
    initialise_llvm,
    link_recording_program,
    recording_runtime,
)
from butfor.frontends.c.c_module import CModule
from butfor.frontends.c.instrument.recording_module import exported
from butfor.frontends.c.whole_programs.kept_files import kept_files
from butfor.frontends.c.whole_programs.merge_units import merged_module
from butfor.frontends.c.whole_programs.twin_names import NamedPart, names_of_units, undefined_functions
from butfor.frontends.c.whole_programs.twin_objects import segment_table, write_recording_objects
from butfor.frontends.c.whole_programs.twin_plan import TwinPlan, plan_twin
from butfor.frontends.c.whole_programs.twin_units import NamedUnit, TwinUnit, kept_units
from butfor.frontends.c.whole_programs.unit_store import UnitJob, UnitObject, read_summary
from butfor.frontends.c.whole_programs.unit_summary import UnitSummary, normal_text
from butfor.frontends.c.whole_programs.unit_workers import run_jobs
from butfor.frontends.stamped_files import behind_libtool, imported_names
from butfor.ir.program import Program

Progress = Callable[[str], None]
_TEXTS, _COVERAGE = "texts.json", "coverage"


def make_twin(
    binary: Path, plan: TwinPlan, compiler: toolchain.Compiler, work: Path, progress: Progress
) -> tuple[str, ...]:
    """Build the twin in the folder `work`; return the words of its link.

    Units that cannot be instrumented are left out, as if they had no IR.
    """
    initialise_llvm()
    imported = imported_names(behind_libtool(binary).read_bytes())
    refused: set[str] = set()
    while True:
        try:
            return _make_of(plan, imported, compiler, work, progress)
        except _UnitsRefused as error:
            refused |= error.units
            plan = plan_twin(binary, frozenset(refused))


class _UnitsRefused(Exception):
    """Some units, by the names of their IR, cannot be part of the twin."""

    def __init__(self, units: set[str]) -> None:
        super().__init__(", ".join(sorted(units)))
        self.units = units


def _make_of(
    plan: TwinPlan, imported: frozenset[str], compiler: toolchain.Compiler, work: Path, progress: Progress
) -> tuple[str, ...]:
    if not plan.units:
        raise UsageError(f"none of the objects is looked into: {plan.coverage}", hint='build it with CC="butfor cc"')
    parts = _summarised(plan, imported, progress)
    names = names_of_units([NamedPart(tuple(unit.summary for unit in part.units), part.visible) for part in parts])
    pairs = [list(zip(part.units, of_part, strict=True)) for part, of_part in zip(parts, names, strict=True)]
    units = [pair for part in pairs for pair in part]
    jobs = [UnitJob(unit.bitcode, unit.content, named.others) for unit, named in units]
    _run(jobs, progress, "instrumenting")
    progress("putting the units together")
    text, texts = normal_text(merged_module([[(Path(unit.bitcode), named) for unit, named in part] for part in pairs]))
    kept = [TwinUnit(job, named.of, named.replaced) for job, (_, named) in zip(jobs, units, strict=True)]
    module = CModule(kept_units(kept) + text)
    if "main" not in module.functions:
        raise UsageError(
            f"the file with `main` is not looked into: {plan.coverage or 'no unit defines it'}",
            hint="main must be in a C file that was compiled by `butfor cc`",
        )
    program = Program(module)
    made = [NamedUnit(UnitObject(unit.job.run()), unit.names, unit.replaced) for unit in kept]
    table = segment_table(made, program)
    (work / "module.ll").write_bytes(module.text.encode("utf-8", "surrogateescape"))
    (work / "files").write_text("\n".join(module.user_files()), "utf-8", "surrogateescape")
    np.save(work / "segments.npy", table)
    words = kept_files(plan, frozenset(exported(module)))
    libraries = (toolchain.WHOLE_LINK, *plan.driver, toolchain.PROGRAM_OBJECTS, *words)
    objects = write_recording_objects(made, program, table, work)
    with toolchain.first_link_prepared(compiler, work, progress):
        runtime = recording_runtime(compiler, table)
    link_recording_program(compiler, [*runtime, *objects], libraries, work, progress)
    for file in objects:
        file.unlink()
    (work / "warnings").write_text("", "utf-8")
    (work / _COVERAGE).write_text(plan.coverage, "utf-8", "surrogateescape")
    _write_texts(module, texts, work)
    return libraries


@dataclass(frozen=True, slots=True)
class _SummarisedUnit:
    bitcode: str
    content: str
    summary: UnitSummary


@dataclass(frozen=True, slots=True)
class _SummarisedPart:
    units: tuple[_SummarisedUnit, ...]
    visible: frozenset[str] | None


def _summarised(plan: TwinPlan, imported: frozenset[str], progress: Progress) -> list[_SummarisedPart]:
    """The parts of the plan with what their units define; the last part has the spare units that are needed."""
    every = [*plan.units, *plan.spare]
    jobs = {unit.ir: UnitJob(str(unit.bitcode), unit.ir) for unit in every}
    _run(list(jobs.values()), progress, "reading")
    known = {unit.ir: _SummarisedUnit(str(unit.bitcode), unit.ir, read_summary(jobs[unit.ir].run())) for unit in every}
    parts = [_SummarisedPart(tuple(known[unit.ir] for unit in part.units), part.visible) for part in plan.parts]
    spare = _needed_spare_units(
        [known[unit.ir] for unit in plan.units], [known[unit.ir] for unit in plan.spare], imported
    )
    return [*parts, _SummarisedPart(tuple(spare), None)]


def _needed_spare_units(
    units: Sequence[_SummarisedUnit], spare: Sequence[_SummarisedUnit], imported: frozenset[str]
) -> list[_SummarisedUnit]:
    """Units of the program's archives that only the other compiler's code needs: it took another arm of an #if."""
    needed: list[_SummarisedUnit] = []
    if not imported:  # a static program, whose libraries are not told from its own archives
        return needed
    for unit in spare:
        wanted = set(undefined_functions([u.summary for u in (*units, *needed)])) - imported
        if not wanted.isdisjoint(unit.summary.functions):
            needed.append(unit)
    return needed


def _run(jobs: Sequence[UnitJob], progress: Progress, what: str) -> None:
    """Do the jobs; refuse the units with which something goes wrong."""
    progress(f"{what} {len(jobs)} units")
    failed = run_jobs(jobs, lambda done, of: progress(f"{what} {done} of {of} units"))
    if failed:
        raise _UnitsRefused({job.content for job in failed})


def _write_texts(module: CModule, texts: dict[int, bytes], work: Path) -> None:
    """Keep the sources as they were compiled: they may have changed since."""
    wanted = set(module.user_files())
    found: dict[str, str] = {}
    for number, text in texts.items():
        path = module.debug.file(number)
        if path in wanted and path not in found:
            found[path] = f"text-{len(found)}"
            (work / found[path]).write_bytes(text)
    (work / _TEXTS).write_text(json.dumps(found), "utf-8", "surrogateescape")
