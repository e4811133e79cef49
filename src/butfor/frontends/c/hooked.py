"""From a program's LLVM assembly to one that can be run again with something changed."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from butfor.frontends.c import cache, toolchain
from butfor.frontends.c.build import RUNTIME, code_version, object_code, runtime_objects
from butfor.frontends.c.instrument.hooked import hook
from butfor.frontends.c.llvm.module import Module
from butfor.program.program import Program
from butfor.program.sites import Site

HOOKS = Path(__file__).parent / "hooks"
_WRAPPED = re.compile(r"__cf_w_(\w+)\(|^REFUSED\((\w+)\)|^NONDET\((\w+),", re.MULTILINE)


@dataclass(frozen=True)
class HookedBuild:
    """A compiled program with hooks and the table of its sites."""

    home: Path

    @property
    def executable(self) -> Path:
        """The fork server."""
        return self.home / "program"

    @cached_property
    def sites(self) -> tuple[Site, ...]:
        """All sites, by number."""
        rows = json.loads((self.home / "sites.json").read_bytes())
        return tuple(Site.of_row(number, row) for number, row in enumerate(rows, 1))


def wrapped_functions() -> frozenset[str]:
    """Library functions that the runtime replaces, so that a run touches nothing and its end is noted."""
    texts = [file.read_text("utf-8") for file in (*sorted(HOOKS.glob("*.c")), RUNTIME / "nondet_types.h")]
    found = [m for text in texts for m in _WRAPPED.finditer(text)]
    return frozenset(m[1] or m[2] or f"__VERIFIER_nondet_{m[3]}" for m in found if m[1] != "__VERIFIER_nondet_")


def build_hooked(module: Module, text: bytes, program: Program, cc: str | None, libs: tuple[str, ...]) -> HookedBuild:
    """The program with hooks, from the cache when it was built before. `text` is the assembly that `module` was read from."""
    compiler = toolchain.find_compiler(cc)
    key = cache.key_of([code_version(), *compiler.command, text, "--", *libs])

    def make(work: Path) -> None:
        result = hook(module, program, wrapped_functions())
        (work / "program.o").write_bytes(object_code(result.text))
        runtime = runtime_objects(compiler, HOOKS, [f"-I{RUNTIME}"])
        toolchain.link(compiler, [*runtime, work / "program.o"], work / "program", [*(f"-l{x}" for x in libs), "-lm"])
        (work / "program.o").unlink()
        (work / "sites.json").write_text(json.dumps([site.to_row() for site in result.sites]), "utf-8")

    return HookedBuild(cache.entry("hooked", key, make))
