"""A whole module with hooks, and the list of its sites."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from butfor.frontends.c.c_module import CModule
from butfor.frontends.c.instrument.hooked_function import HookedFunction
from butfor.frontends.c.instrument.inlined_hooks import hook_definitions
from butfor.frontends.c.instrument.memory_checks import CHECK_DECLARATIONS, CheckedFunction
from butfor.frontends.c.instrument.recording_module import exported, quoted, renamed, without_debug
from butfor.ir.change_sites import Site
from butfor.ir.program import Program
from butfor.libc import library

CONTROL_MODELS = "libc_control.c"
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


def checked_models() -> frozenset[str]:
    """Library functions that checks have models of; those that end a run are left to the fork server."""
    return frozenset(name for name, file in library.modelled_functions().items() if file != CONTROL_MODELS)


def hooked_module(
    module: CModule, program: Program, wrapped: frozenset[str], checked: CheckOptions | None = None
) -> HookedModule:
    """The module with hooks; functions named in `wrapped` and not defined here are replaced by the runtime's own."""
    sites: list[Site] = []
    checks: list[tuple[str, int]] = []
    out = hooked_lines(module, program, Numbering(sites, checks, program.object_numbers), checked)
    out += [hook_definitions(len(sites), checked=checked is not None), hook_tables(*_addresses(program), len(sites))]
    if checked is not None:
        out += [CHECK_DECLARATIONS, object_table(program.global_table, len(checks))]
    names = {f"@{name}": f"@{new}" for name, new in replacements(module.declared, wrapped, checked).items()}
    names |= {f"@{name}": f"@u.{name}" for name in exported(module)} | {"@main": f"@{MAIN}"}
    return HookedModule(renamed("\n".join(out), names), sites, checks)


@dataclass(frozen=True, slots=True)
class Numbering:
    """What gets numbers while functions are rewritten: sites and checks; `objects` have theirs.

    The numbers of checks are written as `check_number` does.
    """

    sites: list[Site]
    checks: list[tuple[str, int]]
    objects: Mapping[str, int | str]
    check_number: Callable[[int], str] = str


def hooked_lines(
    module: CModule, program: Program, numbering: Numbering, checked: CheckOptions | None = None
) -> list[str]:
    """The lines of the module, with functions that have hooks, checks, or both."""
    out: list[str] = []
    lines = module.lines
    starts = {f.start: f for f in module.functions.values()}
    i = 0
    while i < len(lines):
        here = starts.get(i)
        if here is not None:
            fn, layout = module.function(here.name), program.layout(here.name)
            if checked is None:
                out += HookedFunction(module, fn, layout, numbering.sites).text()
            else:
                out += CheckedFunction(
                    module,
                    fn,
                    layout,
                    numbering.sites,
                    numbering.checks,
                    numbering.objects,
                    checked.modelled,
                    hooks=checked.hooks,
                    arithmetic=checked.arithmetic,
                    check_number=numbering.check_number,
                ).text()
            i = here.end
        elif lines[i][:1] == "@":
            out.append(without_debug(lines[i]))
        elif lines[i][:1] not in ("!", ";"):
            out.append(lines[i])
        i += 1
    return out


def replacements(declared: Iterable[str], wrapped: frozenset[str], checked: CheckOptions | None) -> dict[str, str]:
    """The runtime's functions in the place of library functions that are `declared`."""
    modelled = checked.modelled if checked is not None else frozenset()
    return {
        name: f"__{'bf' if name in modelled else 'cf'}_w_{name}"
        for name in declared
        if name in modelled or name in wrapped
    }


def object_table(variables: Sequence[tuple[str, int]], checks: int) -> str:
    """Where globals begin and how long they are, for the checks."""
    rows = ", ".join(f"{{ ptr, i64 }} {{ ptr @{quoted(n)}, i64 {size} }}" for n, size in variables)
    g = len(variables)
    return "\n".join(
        (
            f"@__bf_gtab = constant [{g} x {{ ptr, i64 }}] {f'[{rows}]' if g else 'zeroinitializer'}",
            f"@__bf_counts = constant [4 x i64] [i64 {g}, i64 0, i64 0, i64 0]",
            f"@__ck_count = constant i32 {checks}",
            "",
        )
    )


def hook_tables(variables: Sequence[str], functions: Sequence[str], sites: int) -> str:
    """Where globals and functions are, by number."""
    g, f = len(variables), len(functions)
    return "\n".join(
        (
            f"@__cf_gtab = constant [{g} x ptr] [{', '.join(f'ptr @{quoted(n)}' for n in variables)}]",
            f"@__cf_ftab = constant [{f} x ptr] [{', '.join(f'ptr @{quoted(n)}' for n in functions)}]",
            f"@__cf_counts = constant [3 x i64] [i64 {sites}, i64 {g}, i64 {f}]",
            "",
        )
    )


def _addresses(program: Program) -> tuple[list[str], list[str]]:
    """The names of globals and functions whose addresses the runtime needs."""
    return [name for name, _ in program.global_table], list(program.function_table)
