"""A whole module with hooks, and the list of its sites."""

from __future__ import annotations

from dataclasses import dataclass

from butfor.frontends.c.c_module import CModule
from butfor.frontends.c.instrument.hooked_function import HookedFunction
from butfor.frontends.c.instrument.inlined_hooks import hook_definitions
from butfor.frontends.c.instrument.memory_checks import CHECK_DECLARATIONS, CheckedFunction
from butfor.frontends.c.instrument.recording_module import exported, quoted, renamed, without_debug
from butfor.ir.change_sites import Site
from butfor.ir.program import Program

MAIN = "__cf_main"  # the program's, which the fork server's calls


@dataclass(frozen=True, slots=True)
class HookedModule:
    """The rewritten text, its sites and its checks, numbered from 1."""

    text: str
    sites: list[Site]
    checks: list[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """How memory is checked: `modelled` library functions have models; without `hooks`, nothing can be changed."""

    modelled: frozenset[str]
    hooks: bool = True
    arithmetic: bool = False  # errors of arithmetic are errors too


def hooked_module(
    module: CModule, program: Program, wrapped: frozenset[str], checked: CheckOptions | None = None
) -> HookedModule:
    """The module with hooks; functions named in `wrapped` and not defined here are replaced by the runtime's own."""
    sites: list[Site] = []
    checks: list[tuple[str, int]] = []
    modelled = checked.modelled if checked is not None else frozenset()
    out: list[str] = []
    lines = module.lines
    starts = {f.start: f for f in module.functions.values()}
    i = 0
    while i < len(lines):
        here = starts.get(i)
        if here is not None:
            fn, layout = module.function(here.name), program.layout(here.name)
            if checked is None:
                out += HookedFunction(module, fn, layout, sites).text()
            else:
                out += CheckedFunction(
                    module,
                    fn,
                    layout,
                    sites,
                    checks,
                    program.object_numbers,
                    modelled,
                    hooks=checked.hooks,
                    arithmetic=checked.arithmetic,
                ).text()
            i = here.end
        elif lines[i][:1] == "@":
            out.append(without_debug(lines[i]))
        elif lines[i][:1] not in ("!", ";"):
            out.append(lines[i])
        i += 1
    out += [hook_definitions(len(sites), checked=checked is not None), _tables(program, len(sites))]
    if checked is not None:
        out += [CHECK_DECLARATIONS, _objects(program, len(checks))]
    names = {
        f"@{name}": f"@__{'bf' if name in modelled else 'cf'}_w_{name}"
        for name in module.declared
        if name in modelled or name in wrapped
    }
    names |= {f"@{name}": f"@u.{name}" for name in exported(module)} | {"@main": f"@{MAIN}"}
    return HookedModule(renamed("\n".join(out), names), sites, checks)


def _objects(program: Program, checks: int) -> str:
    """Where globals begin and how long they are, for the checks."""
    rows = ", ".join(f"{{ ptr, i64 }} {{ ptr @{quoted(n)}, i64 {size} }}" for n, size in program.global_table)
    g = len(program.global_table)
    return "\n".join(
        (
            f"@__bf_gtab = constant [{g} x {{ ptr, i64 }}] [{rows}]"
            if g
            else "@__bf_gtab = constant [0 x { ptr, i64 }] zeroinitializer",
            f"@__bf_counts = constant [4 x i64] [i64 {g}, i64 0, i64 0, i64 0]",
            f"@__ck_count = constant i32 {checks}",
            "",
        )
    )


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
