"""From a program that a build system linked to its twin that records itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from butfor.compiler_wrapper.ir_store import note_use, prune, store_folder
from butfor.frontends.c import toolchain
from butfor.frontends.c.build import Build, BuildSpec, code_version
from butfor.frontends.c.c_module import CModule
from butfor.frontends.c.whole_programs.twin_plan import TwinPlan, plan_twin
from butfor.native import build_cache
from butfor.trace.recording import RecordedProgram

Progress = Callable[[str], None]
LINK = "link"  # the words of the link, in the folder of a twin


def build_twin(binary: Path, progress: Progress) -> Build:
    """The twin of a program that was built with `butfor cc`, from the cache when it was made before."""
    compiler = toolchain.find_compiler(None)
    plan = plan_twin(binary)
    key = build_cache.key_of(_deciding(plan, compiler))
    for unit in plan.units:
        if unit.bitcode is not None:
            note_use(unit.bitcode)
    home = build_cache.find("programs", key)
    if home is None:
        home = build_cache.entry("programs", key, lambda work: _make(binary, plan, compiler, work, progress))
        prune(store_folder())
    libs = tuple((home / LINK).read_text("utf-8", "surrogateescape").split("\0"))
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
    from butfor.frontends.c.whole_programs.make_twin import make_twin  # late: a twin that is there needs none of it

    words = make_twin(binary, plan, compiler, work, progress)
    (work / LINK).write_text("\0".join(words), "utf-8", "surrogateescape")
