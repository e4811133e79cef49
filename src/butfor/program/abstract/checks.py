"""The checks of a program: every instruction that could go wrong, with what was found of it."""

from __future__ import annotations

from collections.abc import Iterator

from butfor.program.abstract import library
from butfor.program.abstract.records import Records
from butfor.program.model import Function, Instr, Operand
from butfor.program.program import Program

_DIVISIONS = frozenset("udiv sdiv urem srem".split())
_MEMORY = ("null", "bounds-low", "bounds-high")


def kinds_of(function: Function, instr: Instr, own: frozenset[str]) -> tuple[str, ...]:
    """The kinds of checks of an instruction; accesses of a variable by its name have none."""
    if instr.op == "load":
        return _MEMORY if _needs(function, instr.args[0]) else ()
    if instr.op == "store":
        return _MEMORY if _needs(function, instr.args[1]) else ()
    if instr.op in ("atomicrmw", "cmpxchg"):
        return _MEMORY
    if instr.op in _DIVISIONS:
        return ("division",)
    if instr.op == "call":
        name = instr.detail.callee
        if name is None:
            return ("null",) if instr.detail.asm is None else ()
        if name in library.REPORTS:
            return ("assertion",)
        if name not in own and library.plain_name(name) in library.ACCESSES:
            return _MEMORY
    return ()


def _needs(function: Function, address: Operand) -> bool:
    """Whether an address could be wrong: that of a local variable, or of a global, cannot."""
    if not isinstance(address, int):
        return address.kind != "global"
    at = function.definer[address]
    return at < 0 or function.instrs[at].op != "alloca"


def all_checks(program: Program) -> Iterator[tuple[Function, Instr, str]]:
    """Every check of the program."""
    own = frozenset(program.names)
    for name in program.names:
        function = program.function(name)
        for instr in function.instrs:
            for kind in kinds_of(function, instr, own):
                yield function, instr, kind


def verdict(records: Records, function: Function, instr: Instr, kind: str) -> str:
    """What was found of a check."""
    name = function.name
    if kind == "assertion":
        if (name, instr.index, kind) in records.checks:
            return "open"
        before = function.blocks[instr.block].preds
        reached = (name, instr.block) in records.blocks or any((name, b) in records.blocks for b in before)
        return "proved" if reached else "unreachable"
    keys = [(name, instr.index, kind + suffix) for suffix in ("", "-0", "-1", "-2")]
    found = [records.checks[key] for key in keys if key in records.checks]
    if not found:
        return "unreachable"
    return "proved" if all(found) else "open"
