"""From a program that a build system linked to its twin that records itself."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import llvmlite.binding as llvm

from butfor.errors import ButforError, CompileError, UsageError
from butfor.frontends.c import toolchain
from butfor.frontends.c.build import (
    Build,
    BuildSpec,
    code_version,
    initialise_llvm,
    linked,
    make_recording_program,
    object_code,
)
from butfor.frontends.c.c_module import CModule
from butfor.frontends.c.instrument.recording_module import exported, recording_module
from butfor.frontends.c.llvm.idle_assembly import with_idle_assembly_as_copies
from butfor.frontends.c.whole_programs.kept_files import kept_files
from butfor.frontends.c.whole_programs.twin_plan import LinkedPart, TwinPlan, plan_twin
from butfor.frontends.stamped_files import Unit, behind_libtool, imported_names
from butfor.ir.program import Program
from butfor.libc import library
from butfor.native import build_cache
from butfor.trace.recording import RecordedProgram

Progress = Callable[[str], None]
_SOURCE_TEXT = re.compile(r', source: "([^"]*)"')
_ESCAPED = re.compile(rb"\\([0-9A-Fa-f]{2})")
_LINK, _TEXTS, _COVERAGE = "link", "texts.json", "coverage"


def build_twin(binary: Path, progress: Progress) -> Build:
    """The twin of a program that was built with `butfor cc`, from the cache when it was made before."""
    compiler = toolchain.find_compiler(None)
    plan = plan_twin(binary)
    key = build_cache.key_of(_deciding(plan, compiler))
    home = build_cache.find("programs", key)
    if home is None:
        home = build_cache.entry("programs", key, lambda work: _make(binary, plan, compiler, work, progress))
    libs = tuple((home / _LINK).read_text("utf-8", "surrogateescape").split("\0"))
    spec = BuildSpec((binary,), None, (), libs)
    return Build(home, spec, RecordedProgram.in_folder(home, CModule), binary)


def _deciding(plan: TwinPlan, compiler: toolchain.Compiler) -> Iterable[bytes | str]:
    """What decides the result."""
    yield from (code_version(), *compiler.command, *plan.driver, "--", *plan.words)
    for part in plan.parts:
        yield from ("--", *(unit.ir for unit in part.units), *sorted(part.visible or ()))
    for path in sorted(plan.files):
        yield Path(path).read_bytes()


def _make(binary: Path, plan: TwinPlan, compiler: toolchain.Compiler, work: Path, progress: Progress) -> None:
    """Build the twin; units that cannot be instrumented are left out, as if they had no IR."""
    initialise_llvm()
    imported = imported_names(behind_libtool(binary).read_bytes())
    progress(f"reading {len(plan.units)} units")
    try:
        _make_of(plan, imported, compiler, work, progress)
    except ButforError as error:
        if isinstance(error, UsageError):
            raise
        progress("looking for units that cannot be instrumented")
        refused = frozenset(unit.ir for unit in plan.units if not _can_be_instrumented(unit))
        if not refused:
            raise
        _make_of(plan_twin(binary, refused), imported, compiler, work, progress)


def _make_of(
    plan: TwinPlan, imported: frozenset[str], compiler: toolchain.Compiler, work: Path, progress: Progress
) -> None:
    whole = _merged(plan)
    _add_spare_units(whole, plan, imported)
    text, texts = _without_sources(with_idle_assembly_as_copies(str(whole)))
    module = CModule(text)
    if "main" not in module.functions:
        raise UsageError(
            f"the file with `main` is not looked into: {plan.coverage or 'no unit defines it'}",
            hint="main must be in a C file that was compiled by `butfor cc`",
        )

    def libraries() -> Sequence[str]:
        words = kept_files(plan, frozenset(exported(module)))
        libs = (toolchain.WHOLE_LINK, *plan.driver, toolchain.PROGRAM_OBJECTS, *words)
        (work / _LINK).write_text("\0".join(libs), "utf-8", "surrogateescape")
        return libs

    make_recording_program(module, compiler, libraries, work, progress)
    (work / "warnings").write_text("", "utf-8")
    (work / _COVERAGE).write_text(plan.coverage, "utf-8", "surrogateescape")
    _write_texts(module, texts, work)


def _merged(plan: TwinPlan) -> llvm.ModuleRef:
    """One module of all parts. A name that several parts define is that of the first, as the dynamic linker has it."""
    whole = None
    for part in plan.parts:
        if not part.units:
            continue
        module = linked([path for unit in part.units if (path := unit.bitcode) is not None])
        _restrict(module, part, whole)
        if whole is None:
            whole = module
        else:
            try:
                whole.link_in(module)
            except RuntimeError as e:
                raise CompileError(f"{part.name} does not link with the program", stderr=str(e)) from e
    if whole is None:
        raise UsageError(f"none of the objects is looked into: {plan.coverage}", hint='build it with CC="butfor cc"')
    return whole


def _add_spare_units(whole: llvm.ModuleRef, plan: TwinPlan, imported: frozenset[str]) -> None:
    """Add units of the program's archives that only the other compiler's code needs: it took another arm of an #if."""
    if not imported:  # a static program, whose libraries are not told from its own archives
        return
    for unit in plan.spare:
        wanted = {f.name for f in whole.functions if f.is_declaration} - imported
        assert unit.bitcode is not None
        module = linked([unit.bitcode])
        if wanted & {f.name for f in module.functions if not f.is_declaration}:
            try:
                whole.link_in(module)
            except RuntimeError as e:
                raise CompileError(f"{unit.source} does not link with the program", stderr=str(e)) from e


def _restrict(module: llvm.ModuleRef, part: LinkedPart, whole: llvm.ModuleRef | None) -> None:
    """Hide what a shared library hides, and leave to the others what they define before it."""
    if part.visible is None:
        return
    before = set()
    if whole is not None:
        before = {v.name for v in (*whole.functions, *whole.global_variables) if not v.is_declaration}
    for value in (*module.functions, *module.global_variables):
        if value.is_declaration or value.linkage.name in ("internal", "private") or value.name.startswith("llvm."):
            continue
        if value.name not in part.visible:
            value.linkage = "internal"
        elif value.name in before:
            value.linkage = "available_externally"


def _can_be_instrumented(unit: Unit) -> bool:
    """Whether a unit by itself becomes an object that records itself."""
    assert unit.bitcode is not None
    try:
        module = CModule(_without_sources(with_idle_assembly_as_copies(str(linked([unit.bitcode]))))[0])
        object_code(recording_module(module, Program(module), frozenset(library.modelled_functions())).text, 0)
    except (ButforError, RuntimeError, AssertionError, ValueError, KeyError, IndexError):
        return False
    return True


def _without_sources(text: str) -> tuple[str, dict[int, bytes]]:
    """The module without the texts of its sources, and these by the number of their node."""
    texts: dict[int, bytes] = {}
    lines = text.split("\n")
    for k, line in enumerate(lines):
        if line[:1] == "!" and "!DIFile(" in line:
            found = _SOURCE_TEXT.search(line)
            if found is not None:
                raw = found[1].encode("utf-8", "surrogateescape")
                texts[int(line[1 : line.index(" ")])] = _ESCAPED.sub(lambda m: bytes((int(m[1], 16),)), raw)
                lines[k] = line[: found.start()] + line[found.end() :]
    return "\n".join(lines), texts


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
