"""The text of one unit of a program, with numbers that the program gives it when it is put together.

Numbers of segments, objects, checks and sites depend on all units of a program. In the object of a unit each is a
symbol, whose value is written into a copy of the object when the program is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from butfor.frontends.c.c_module import CModule
from butfor.frontends.c.instrument.recording_module import LABELS, is_local, quoted, renamed
from butfor.frontends.c.llvm.assembly_tokens import TOKEN, Cursor
from butfor.ir.instructions import Const
from butfor.ir.program import Program

SEGMENT, OBJECT, CHECK = "__bf_segment.", "__bf_object.", "__bf_check."  # and a number that counts within the unit
FIRST_SITE = "__bf_sites_before"  # the number of the last site of the units before this one
OWN = "u."  # in front of what is defined in the program: its own `write` is not the one that the runtime calls
_NUMBER_RANGE = "!0 = !{i64 0, i64 4294967296}"  # of a symbol whose value is a number: it fits into 32 bits
_LINKAGE = re.compile(r"^(define |@.*? = )(?:internal |private )")
_STRONG = re.compile(r"^(define |@.*? = )(?!weak|common|linkonce|available_externally|appending|internal|private)")


@dataclass(frozen=True, slots=True)
class OtherUnits:
    """What a unit has to know of the rest of its program.

    `variables` are the types, in LLVM syntax, of variables that are defined elsewhere, or differently; `yielding` are
    definitions that give way to one in another part of the program; `aliases` are functions that another unit defines
    by naming a second one.
    """

    functions: frozenset[str] = frozenset()
    variables: Mapping[str, str] | None = None
    yielding: frozenset[str] = frozenset()
    aliases: frozenset[str] = frozenset()


def number(symbol: str) -> str:
    """The number that a symbol stands for, as a constant."""
    return f"ptrtoint (ptr @{symbol} to i32)"


def unit_program(module: CModule, others: OtherUnits) -> Program:
    """The unit as a program in which what other units define is known."""
    for name, text in (others.variables or {}).items():
        known = module.globals[name]
        t = Cursor(TOKEN.findall(text), {}).type()
        module.globals[name] = replace(known, type=t, init=known.init or Const("zero", t))
    return Program(module, others.functions)


def numbered_objects(program: Program) -> dict[str, str]:
    """The numbers of the variables, as constants, in the order of `program.object_numbers`."""
    return {name: number(f"{OBJECT}{k}") for k, name in enumerate(program.object_numbers)}


def foreign_functions(module: CModule, others: OtherUnits) -> Iterator[str]:
    """Functions that no unit of the program defines."""
    return (name for name in module.declared if name not in others.functions and name not in others.aliases)


def unit_text(
    module: CModule, others: OtherUnits, lines: Iterable[str], symbols: Iterable[str], names: Mapping[str, str]
) -> str:
    """The text of a unit. What it defines can be seen from outside, so that one table names all of the program.

    `symbols` stand for numbers; `names` are further functions with another name.
    """
    text = "\n".join(_seen_from_outside(line, others.yielding) for line in lines)
    declared = (f"@{symbol} = external hidden global i8, !absolute_symbol !0" for symbol in symbols)
    new = {f"@{quoted(name)}": f"@{quoted(OWN + name)}" for name in (*_defined(module), *others.functions)}
    new |= {f"@{name}": f"@{other}" for name, other in names.items()}
    return "\n".join((renamed(text, new), *declared, _NUMBER_RANGE, ""))


def symbols_of(kind: str, count: int) -> Iterator[str]:
    """The symbols of one kind."""
    return (f"{kind}{k}" for k in range(count))


def _defined(module: CModule) -> Sequence[str]:
    """The names that the unit or another one defines, except main and variables of one thread that only it sees."""
    functions = [name for name in module.functions if name != "main"]
    variables = [
        v.name
        for v in module.globals.values()
        if v.init is not None
        and not v.name.startswith("llvm.")
        and not (v.thread_local and is_local(module.lines[v.line]))
    ]
    return functions + variables


def _seen_from_outside(line: str, yielding: frozenset[str]) -> str:
    """The first line of a definition, or any other, so that tables in another unit can name what is defined."""
    if line[:1] not in ("@", "d") or not line.startswith(("@", "define ")) or line.startswith(("@llvm.", f"@{LABELS}")):
        return line
    if is_local(line):
        is_variable = line[0] == "d" or " global " in line or " constant " in line
        return line if "thread_local" in line or not is_variable else _LINKAGE.sub(r"\1hidden ", line, count=1)
    if yielding and "external" not in line:
        name = line.partition("@")[2].partition("(")[0].partition(" =")[0].strip('"')
        return _STRONG.sub(r"\1weak ", line, count=1) if name in yielding else line
    return line
