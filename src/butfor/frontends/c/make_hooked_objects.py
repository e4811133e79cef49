"""The objects of a program with hooks: of its units, where it was made of some, else one of the whole program."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from butfor.frontends.c.build import object_code
from butfor.frontends.c.c_module import module_of
from butfor.frontends.c.instrument.hooked_module import CheckOptions, hooked_module
from butfor.frontends.c.whole_programs.twin_objects import HookedProgram, write_hooked_objects
from butfor.frontends.c.whole_programs.twin_units import NamedUnit, TwinUnit, units_of
from butfor.frontends.c.whole_programs.unit_store import Probes, UnitObject
from butfor.frontends.c.whole_programs.unit_workers import run_jobs
from butfor.ir.program import Program
from butfor.libc import library

MAX_INLINED_SITES = 20_000  # seconds of compilation: inlining takes as long as the rest, and saves most in long runs
MAX_INLINED_BYTES = 2_000_000  # of bitcode with its sources: Lua, with 49,000 sites, is 4.7 MB


def hooked_objects(program: Program, checks: CheckOptions | None, work: Path) -> HookedProgram:
    """The objects, written into the folder `work`."""
    units = units_of(module_of(program.source)) if checks is None or checks.hooks else ()
    return (_of_units(units, program, checks, work) if units else None) or _of_module(program, checks, work)


def _of_module(program: Program, checks: CheckOptions | None, work: Path) -> HookedProgram:
    """The program as one object."""
    result = hooked_module(module_of(program.source), program, library.replaced_functions(), checks)
    # With many versions of functions, optimising takes longer than it saves.
    opt = 1 if checks is None or checks.hooks else 0
    (work / "program.o").write_bytes(object_code(result.text, opt, inlines=len(result.sites) <= MAX_INLINED_SITES))
    return HookedProgram([work / "program.o"], [site.to_row() for site in result.sites], result.checks)


def _of_units(
    units: Sequence[TwinUnit], program: Program, checks: CheckOptions | None, work: Path
) -> HookedProgram | None:
    """The program as objects of its units; None where one of them cannot be had."""
    probes = Probes.HOOKS if checks is None else Probes.ALL_CHECKS if checks.arithmetic else Probes.CHECKS
    size = sum(os.path.getsize(unit.job.bitcode) for unit in units)
    jobs = [unit.with_probes(probes, inlines=size <= MAX_INLINED_BYTES) for unit in units]
    if run_jobs(jobs, lambda done, of: None):
        return None
    made = [NamedUnit(UnitObject(job.run()), u.names, u.replaced) for job, u in zip(jobs, units, strict=True)]
    return write_hooked_objects(made, program, work, is_checked=checks is not None)
