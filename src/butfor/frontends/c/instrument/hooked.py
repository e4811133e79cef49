"""A whole module with hooks, and the list of its sites."""

from __future__ import annotations

from dataclasses import dataclass

from butfor.frontends.c.instrument.hooks import DECLARATIONS, Hooker
from butfor.frontends.c.instrument.module import exported, quoted, renamed, without_debug
from butfor.frontends.c.llvm.module import Module
from butfor.program.program import Program
from butfor.program.sites import Site


@dataclass(frozen=True, slots=True)
class Hooked:
    """The rewritten text and its sites, numbered from 1."""

    text: str
    sites: list[Site]


def hook(module: Module, program: Program, wrapped: frozenset[str]) -> Hooked:
    """The module with hooks; functions named in `wrapped` and not defined here are replaced by the runtime's own."""
    sites: list[Site] = []
    out: list[str] = []
    lines = module.lines
    starts = {f.start: f for f in module.functions.values()}
    i = 0
    while i < len(lines):
        here = starts.get(i)
        if here is not None:
            out += Hooker(module, module.function(here.name), program.layout(here.name), sites).text()
            i = here.end
        elif lines[i][:1] == "@":
            out.append(without_debug(lines[i]))
        elif lines[i][:1] not in ("!", ";"):
            out.append(lines[i])
        i += 1
    out += [DECLARATIONS, _tables(program, len(sites))]
    names = {f"@{name}": f"@__cf_w_{name}" for name in module.declared if name in wrapped}
    return Hooked(renamed("\n".join(out), names | {f"@{name}": f"@u.{name}" for name in exported(module)}), sites)


def _tables(program: Program, sites: int) -> str:
    """Where globals and functions are, by number."""
    variables = ", ".join(f"ptr @{quoted(n)}" for n, _ in program.global_table) or ""
    functions = ", ".join(f"ptr @{quoted(n)}" for n in program.function_table)
    g, f = len(program.global_table), len(program.function_table)
    return "\n".join(
        (
            f"@__cf_gtab = constant [{g} x ptr] [{variables}]",
            f"@__cf_ftab = constant [{f} x ptr] [{functions}]",
            f"@__cf_counts = constant [3 x i64] [i64 {sites}, i64 {g}, i64 {f}]",
            "",
        )
    )
