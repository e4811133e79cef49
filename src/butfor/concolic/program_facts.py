"""Static facts about the program: targets of branches, failing blocks, constants in comparisons."""

from __future__ import annotations

import re
import struct
from functools import cached_property

from butfor.concolic.checks_to_search import ChecksToSearch
from butfor.ir.instructions import Const, Function, Instr
from butfor.ir.machine_types import signed_value
from butfor.ir.program import Program
from butfor.libc.library import control_of, reports_failure
from butfor.libc.record import Control
from butfor.trace.log.static_segments import StaticTable
from butfor.trace.recording import Recording
from butfor.trace.semantics.instruction_semantics import Closure

_MAX_CONSTANTS = 64  # of each kind; they are tried one by one
_MAX_WORD_BYTES = 24  # longer strings are messages, not words of the input
_NOT_A_WORD = re.compile(rb"[%(]|\.[ch]\Z")  # formats; file and function names of assertions


class ProgramFacts:
    """Facts about one program, shared by all its runs."""

    def __init__(
        self,
        recording: Recording,
        checks: ChecksToSearch | None = None,
        *,
        looks_for_arithmetic_errors: bool = False,
    ) -> None:
        self.looks_for_arithmetic_errors = looks_for_arithmetic_errors
        self.checks = checks or ChecksToSearch()
        self.source = recording.source
        self.program: Program = recording.program
        self.static: StaticTable = recording.trace.static
        self.closures: dict[int, Closure] = {}
        self._errors: dict[str, frozenset[int]] = {}

    def segment_of(self, fn: Function, block: int) -> int:
        """The static segment at the start of a block."""
        return self.static.first_of_block(fn, block)

    def is_error(self, fn: Function, block: int) -> bool:
        """Whether a block calls a function that ends the run as a failure."""
        known = self._errors.get(fn.name)
        if known is None:
            known = self._errors[fn.name] = frozenset(
                b.index for b in fn.blocks if any(map(_is_failing_call, fn.block_instrs(b.index)))
            )
        return block in known

    def cannot_fail(self, fn: Function, block: int) -> bool:
        """Whether a block calls functions that end the run as a failure, but no run comes there."""
        calls = [i for i in fn.block_instrs(block) if _is_failing_call(i)]
        return bool(calls) and all(self.checks.holds(fn.name, i.index, "assertion") for i in calls)

    @cached_property
    def segments_before_open_checks(self) -> frozenset[int]:
        """The static segments at the start of blocks from which a check may be reached that was not proved."""
        blocks = self.checks.blocks_before_open(self.program)
        functions = map(self.program.function, self.program.names)
        return frozenset(self.segment_of(fn, block) for fn in functions for block in blocks[fn.name])

    @cached_property
    def branches(self) -> frozenset[int]:
        """All outcomes of the program's branches, as edges between static segments: first * segments + second."""
        count = len(self.static.table)
        out = set()
        for fn in map(self.program.function, self.program.names):
            for block in fn.blocks:
                last = fn.terminator(block.index)
                if last.is_conditional:
                    first = self.static.last_of_block(fn, block.index)
                    out |= {first * count + self.segment_of(fn, target) for target in block.succs}
        return frozenset(out)

    @cached_property
    def has_error_function(self) -> bool:
        """Whether the program marks its own failures, as programs of SV-COMP do."""
        return any(
            control_of(name) is Control.ERROR_LOCATION for name in (*self.program.names, *self.source.declared_names())
        )

    @cached_property
    def real_numbers(self) -> tuple[float, ...]:
        """Floating-point constants of the program."""
        found: dict[float, None] = {}
        for fn in map(self.program.function, self.program.names):
            for instr in fn.instrs:
                for a in instr.args:
                    if isinstance(a, Const) and a.kind == "float" and a.type.bits in (32, 64):
                        data = int(a.value).to_bytes(a.type.bits // 8, "little")
                        found[struct.unpack("<d" if a.type.bits == 64 else "<f", data)[0]] = None
        return tuple(x for x in found if x == x)[:_MAX_CONSTANTS]

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """Integer constants that the program compares values with."""
        found: dict[int, None] = {}
        for fn in map(self.program.function, self.program.names):
            for instr in fn.instrs:
                given = (
                    [a for a in instr.args if isinstance(a, Const) and a.kind == "int"] if instr.op == "icmp" else []
                )
                rows = [(int(a.value or 0), a.type.bits) for a in given]
                if instr.op == "switch":
                    rows += [(int(case or 0), instr.detail[2].bits) for case, _ in instr.detail[1]]
                found |= {signed_value(n, bits) if bits > 1 else n: None for n, bits in rows}
        return tuple(found)[:_MAX_CONSTANTS]

    @cached_property
    def words(self) -> tuple[bytes, ...]:
        """Short strings of the program that may occur in its input."""
        out: dict[bytes, None] = {}
        for variable in self.source.global_variables().values():
            init = variable.init
            if init is not None and init.kind == "bytes" and isinstance(init.value, bytes):
                text = init.value.partition(b"\0")[0]
                if 0 < len(text) <= _MAX_WORD_BYTES and not _NOT_A_WORD.search(text) and text.isascii():
                    out[text] = None
        return tuple(out)[:_MAX_CONSTANTS]


def _is_failing_call(instr: Instr) -> bool:
    return reports_failure(instr.callee)
