"""One unit of a program with hooks, so that its runs can be changed, and with memory checks where they are wanted."""

from __future__ import annotations

from dataclasses import dataclass

from butfor.frontends.c.c_module import CModule
from butfor.frontends.c.instrument.hooked_module import MAIN, CheckOptions, Numbering, hooked_lines, replacements
from butfor.frontends.c.instrument.inlined_hooks import unit_hook_definitions
from butfor.frontends.c.instrument.memory_checks import CHECK_DECLARATIONS
from butfor.frontends.c.instrument.unit_text import (
    CHECK,
    FIRST_SITE,
    OBJECT,
    OtherUnits,
    foreign_functions,
    number,
    numbered_objects,
    symbols_of,
    unit_program,
    unit_text,
)
from butfor.ir.change_sites import Site


@dataclass(frozen=True, slots=True)
class HookedUnit:
    """The rewritten text, its sites and its checks, numbered from 1; the names of the objects that it numbers."""

    text: str
    sites: list[Site]
    checks: list[tuple[str, int]]
    objects: tuple[str, ...]


def hooked_unit(
    module: CModule, others: OtherUnits, wrapped: frozenset[str], checked: CheckOptions | None
) -> HookedUnit:
    """The unit with hooks; functions named in `wrapped` and not defined in the program are the runtime's own."""
    program = unit_program(module, others)
    objects = numbered_objects(program)
    numbering = Numbering([], [], objects, lambda k: number(f"{CHECK}{k}"))
    lines = hooked_lines(module, program, numbering, checked)
    lines.append(unit_hook_definitions(number(FIRST_SITE), checked=checked is not None))
    symbols = [FIRST_SITE]
    if checked is not None:
        lines.append(CHECK_DECLARATIONS)
        symbols += [*symbols_of(OBJECT, len(objects)), *symbols_of(CHECK, len(numbering.checks) + 1)]
    names = {**replacements(foreign_functions(module, others), wrapped, checked), "main": MAIN}
    text = unit_text(module, others, lines, symbols, names)
    return HookedUnit(text, numbering.sites, numbering.checks, tuple(objects))
