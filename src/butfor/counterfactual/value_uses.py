"""Uses of the values of one function: indices, allocation sizes, results of operators; its constants."""

from __future__ import annotations

from functools import cached_property

from butfor.ir.instructions import Const, Function
from butfor.libc.library import allocation_sizes
from butfor.trace.semantics.integers import signed

_INTEGER_OPERATORS = ("add", "sub", "mul", "sdiv", "udiv", "srem", "urem", "and", "or", "xor", "shl", "ashr", "lshr")
_OPERATORS = frozenset((*_INTEGER_OPERATORS, "fadd", "fsub", "fmul", "fdiv"))
_WIDENING = ("sext", "zext")


class ValueUses:
    """Registers of one function by their use."""

    def __init__(self, fn: Function) -> None:
        self.fn = fn

    @cached_property
    def sizes(self) -> set[int]:
        """The values that determine the size of an allocation, directly or after a conversion."""
        calls = [(i, allocation_sizes(i.callee)) for i in self.fn.instrs if i.op == "call"]
        return self._widened(
            {slot for i, places in calls for k in places if k < len(i.args) and isinstance(slot := i.args[k], int)}
        )

    @cached_property
    def indices(self) -> set[int]:
        """The values that are used as an index, directly or after a conversion."""
        return self._widened({a for i in self.fn.instrs if i.op == "gep" for a in i.args[1:] if isinstance(a, int)})

    def _widened(self, found: set[int]) -> set[int]:
        return found | {
            i.args[0] for i in self.fn.instrs if i.op in _WIDENING and i.slot in found and isinstance(i.args[0], int)
        }

    @cached_property
    def computed(self) -> set[int]:
        """The results of operators, also after a conversion."""
        found = {i.slot for i in self.fn.instrs if i.op in _OPERATORS}
        return found | {i.slot for i in self.fn.instrs if i.op in (*_WIDENING, "trunc") and i.args[0] in found}

    @cached_property
    def constants(self) -> dict[int, set[int]]:
        """The integers that the function mentions, by width."""
        found: dict[int, set[int]] = {}
        for instr in self.fn.instrs:
            if instr.op in ("gep", "alloca", "phi"):
                continue
            for c in (a for a in instr.args if isinstance(a, Const) and a.kind == "int"):
                found.setdefault(c.type.bits, set()).add(signed(c.value, c.type.bits))
            if instr.op == "switch":
                found.setdefault(instr.detail[2].bits, set()).update(
                    signed(v, instr.detail[2].bits) for v, _ in instr.detail[1]
                )
        return found
