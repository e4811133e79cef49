"""The checks of a program: every instruction that could go wrong, and the verdict on it."""

from __future__ import annotations

from collections.abc import Iterator

from butfor.ir.instructions import Const, Function, Instr, Operand
from butfor.ir.intervals.abstract_instructions import DIVISIONS
from butfor.ir.intervals.instruction_records import AnalysisRecords
from butfor.ir.intervals.value_boxes import integer_value, split_address
from butfor.ir.machine_types import Kind, alloc_size, store_size
from butfor.ir.program import Program
from butfor.ir.short_circuits import find_decisions
from butfor.libc.library import lookup, reports_failure

_MEMORY_CHECKS = ("null", "bounds-low", "bounds-high")


class CheckKinds:
    """The kinds of checks that instructions have; an access at a fixed place inside a variable has none."""

    def __init__(self, program: Program) -> None:
        self._program_functions = frozenset(program.names)
        variables = program.source.global_variables()
        self._sizes = {n: alloc_size(g.type) for n, g in variables.items() if g.type.kind is not Kind.OTHER}

    def of(self, function: Function, instr: Instr) -> tuple[str, ...]:
        """The kinds of checks of an instruction."""
        if instr.op == "load":
            return () if self._is_fixed(function, instr.args[0], store_size(instr.type)) else _MEMORY_CHECKS
        if instr.op == "store":
            return () if self._is_fixed(function, instr.args[1], store_size(instr.detail)) else _MEMORY_CHECKS
        if instr.op in ("atomicrmw", "cmpxchg"):
            return _MEMORY_CHECKS
        if instr.op in DIVISIONS:
            return (
                ()
                if isinstance(instr.args[1], Const) and integer_value(instr.args[1]) not in (0, -1, None)
                else ("division",)
            )
        if instr.op == "call":
            return self._of_call(function, instr)
        return ()

    def _of_call(self, function: Function, instr: Instr) -> tuple[str, ...]:
        name = instr.callee
        if name is None:
            return ("null",) if instr.detail.asm is None else ()
        if reports_failure(name):
            return ("assertion",)
        record = lookup(name)
        if name in self._program_functions or record is None or not record.accesses:
            return ()
        if name.startswith("llvm.mem"):  # what an initialiser was compiled to
            size = integer_value(instr.args[2]) if isinstance(instr.args[2], Const) else None
            pointers = [instr.args[access.pointer] for access in record.accesses]
            if size is not None and all(self._is_fixed(function, p, size) for p in pointers):
                return ()
        return _MEMORY_CHECKS

    def _is_fixed(self, function: Function, address: Operand, size: int) -> bool:
        """Whether the address is always the same place inside a variable, with that many bytes after it."""
        at = 0
        while True:
            if isinstance(address, Const):
                if address.kind == "expr" and address.value[0] == "gep":
                    _, detail, args = address.value
                elif address.kind == "global":
                    return at >= 0 and at + size <= self._sizes.get(address.value, -1)
                else:
                    return False
            else:
                instr = function.definition(address)
                if instr is None or instr.op not in ("gep", "alloca"):
                    return False
                if instr.op == "alloca":
                    count = (
                        1
                        if not instr.args
                        else integer_value(instr.args[0])
                        if isinstance(instr.args[0], Const)
                        else None
                    )
                    return count is not None and at >= 0 and at + size <= alloc_size(instr.detail[0]) * count
                detail, args = instr.detail, instr.args
            parts = split_address(args, detail)
            if parts is None or parts[1]:
                return False
            at += parts[0]
            address = args[0]


def all_checks(program: Program) -> Iterator[tuple[Function, Instr, str]]:
    """Every check of the program: function, instruction and kind."""
    kinds = CheckKinds(program)
    for name in program.names:
        function = program.function(name)
        for instr in function.instrs:
            for kind in kinds.of(function, instr):
                yield function, instr, kind


def verdict(records: AnalysisRecords, function: Function, instr: Instr, kind: str) -> str:
    """The verdict on a check: proved, open or unreachable."""
    name = function.name
    if kind == "assertion":
        if (name, instr.index, kind) in records.checks:
            return "open"
        reached = any((name, b) in records.blocks for b in _deciding_blocks(function, instr.block))
        return "proved" if reached else "unreachable"
    keys = [(name, instr.index, kind + suffix) for suffix in ("", "-0", "-1", "-2")]
    found = [records.checks[key] for key in keys if key in records.checks]
    if not found:
        return "unreachable"
    return "proved" if all(found) else "open"


def _deciding_blocks(function: Function, failing: int) -> Iterator[int]:
    """The block that reports a failed assertion, and those that begin the conditions which lead there.

    In `assert(a || b)` the run comes to the assertion where `a` is evaluated, though `b` may never be.
    """
    yield failing
    decisions = find_decisions(function)
    for before in function.blocks[failing].preds:
        number = decisions.of_block[before]
        yield before if number < 0 else decisions.decisions[number].head
