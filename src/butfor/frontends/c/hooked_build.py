"""From a program's LLVM assembly to one that can be run again with something changed."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from butfor.frontends.c import object_files, toolchain
from butfor.frontends.c.build import RUNTIME, code_version, runtime_objects
from butfor.frontends.c.c_module import module_of
from butfor.frontends.c.instrument.hooked_module import CONTROL_MODELS, CheckOptions, checked_models
from butfor.ir.change_sites import SiteTable
from butfor.ir.program import Program
from butfor.libc import library
from butfor.native import build_cache

HOOKS = Path(__file__).parent / "hooks"
CHECKS = Path(__file__).parent / "checks"
CHECKED_SITES_PER_SECOND = 3_000  # that are instrumented and compiled on one core
_FORKABLE = "can-be-forked"  # a file that says so by being there


@dataclass(frozen=True)
class HookedBuild:
    """A compiled program with hooks and the table of its sites."""

    home: Path

    @property
    def executable(self) -> Path:
        """The fork server."""
        return self.home / "program"

    @cached_property
    def sites(self) -> SiteTable:
        """All sites, by number."""
        return SiteTable(json.loads((self.home / "sites.json").read_bytes()))

    @cached_property
    def checks(self) -> tuple[tuple[str, int], ...]:
        """The instruction that each check is for, number 1 first; none in a program that is not checked."""
        file = self.home / "checks.json"
        return tuple((function, instr) for function, instr in json.loads(file.read_bytes())) if file.exists() else ()

    @cached_property
    def can_be_forked(self) -> bool:
        """Whether a run goes on unchanged in a forked copy of its process, at any point."""
        return (self.home / _FORKABLE).exists()


def _included() -> tuple[Path, ...]:
    """The folders whose headers the C parts of re-execution share."""
    return RUNTIME, HOOKS, library.MODELS, library.REPLACEMENTS


def fork_server_objects(compiler: toolchain.Compiler) -> list[Path]:
    """The fork server and its replacements of library functions."""
    flags = [f"-I{folder}" for folder in _included()]
    return [*runtime_objects(compiler, HOOKS, flags), *runtime_objects(compiler, library.REPLACEMENTS, flags)]


def check_objects(compiler: toolchain.Compiler) -> list[Path]:
    """The runtime of checks: the recorder's objects and models, which reach the world through the fork server."""
    key = build_cache.key_of([code_version(), *compiler.command, "checks"])
    names = {name: f"__cf_w_{name}" for name in library.replaced_functions()}
    shared = [RUNTIME / "rt_objects.c", *(f for f in sorted(library.MODELS.glob("*.c")) if f.name != CONTROL_MODELS)]

    def make(work: Path) -> None:
        def compiled(source: Path) -> None:
            out = work / f"{source.stem}.o"
            toolchain.compile_object(compiler, source, out, [f"-I{folder}" for folder in (*_included(), CHECKS)])
            out.write_bytes(object_files.renamed(out.read_bytes(), names))

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(compiled, [*shared, *CHECKS.glob("*.c")]))

    return sorted(build_cache.entry("runtime", key, make).glob("*.o"))


def _key(program: Program, cc: str | None, libs: tuple[str, ...], kind: str) -> str:
    command = toolchain.find_compiler(cc).command
    return build_cache.key_of([code_version(), *command, module_of(program.source).text, "--", *libs, "--", kind])


def seconds_to_check(
    build: HookedBuild, program: Program, cc: str | None, libs: tuple[str, ...], *, arithmetic: bool
) -> float:
    """About how long it takes to build a hooked program with checks too: no time where that was done before."""
    if build_cache.find("hooked", _key(program, cc, libs, f"{True} {arithmetic} {True}")) is not None:
        return 0.0
    return len(build.sites) / CHECKED_SITES_PER_SECOND


def build_hooked(
    program: Program,
    cc: str | None,
    libs: tuple[str, ...],
    *,
    checked: bool = False,
    arithmetic: bool = False,
    hooks: bool = True,
) -> HookedBuild:
    """The program with hooks, from the cache when it was built before.

    A memory error ends the runs of a program that is `checked`, and so does one of `arithmetic` where these are wanted;
    such a program need have no `hooks`.
    """
    compiler = toolchain.find_compiler(cc)
    key = _key(program, cc, libs, f"{checked} {arithmetic} {hooks}")

    def make(work: Path) -> None:
        from butfor.frontends.c.make_hooked_objects import hooked_objects  # late: a program that is there needs it not

        checks = CheckOptions(checked_models(), hooks, arithmetic) if checked else None
        made = hooked_objects(program, checks, work)
        runtime = [*fork_server_objects(compiler), *(check_objects(compiler) if checked else ())]
        (work / "checks.json").write_text(json.dumps(made.checks), "utf-8")
        toolchain.link_with_libraries(compiler, [*runtime, *made.objects], work / "program", libs)
        for file in made.objects:
            file.unlink()
        (work / "sites.json").write_text(json.dumps(made.sites), "utf-8")
        if library.outlive_fork(program.source.declared_names()):
            (work / _FORKABLE).touch()

    return HookedBuild(build_cache.entry("hooked", key, make))
