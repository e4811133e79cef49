"""Which object a pointer register points into, as companion values in the rewritten function.

Every pointer that is checked, stored, passed or returned gets an i32 companion: the number of the object it was derived
from. It goes with the pointer through registers, memory, calls and returns, so that an access past the end of one
object is seen even where another begins.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from butfor.ir.instructions import Const, Function, Instr, Operand
from butfor.ir.machine_types import Kind
from butfor.ir.recording_segments import Layout

NONE = "0"
LOOKUP = "-1"  # the runtime finds the object by the address
MAX_ARGS = 16  # whose companions are passed, as in the runtime
VA_LIST_BYTES = 24  # on x86-64
_SAME_OBJECT = frozenset(("gep", "bitcast", "addrspacecast", "freeze"))


class PointerProvenance:
    """The companions of one function. `needed` are the slots whose companion must exist."""

    def __init__(
        self, fn: Function, layout: Layout, objects: Mapping[str, int | str], direct: Collection[int] | None = None
    ) -> None:
        self.fn = fn
        self.layout = layout
        self.direct = layout.direct if direct is None else direct  # accesses that are not checked
        self.objects = objects
        self.needed: set[int] = set()
        self._work: list[int] = []
        self._collect()

    def _need(self, op: Operand) -> None:
        if isinstance(op, int) and op not in self.needed:
            self.needed.add(op)
            self._work.append(op)

    def _collect(self) -> None:
        for instr in self.fn.instrs:
            self._collect_uses(instr)
        while self._work:
            d = self.fn.definer[self._work.pop()]
            if d < 0:
                continue
            instr = self.fn.instrs[d]
            if instr.op in _SAME_OBJECT:
                self._need(instr.args[0])
            elif instr.op == "phi":
                for a in instr.args:
                    self._need(a)
            elif instr.op == "select":
                self._need(instr.args[1])
                self._need(instr.args[2])

    def _collect_uses(self, instr: Instr) -> None:
        match instr.op:
            case "load" | "atomicrmw" | "cmpxchg":
                if instr.index not in self.direct:
                    self._need(instr.args[0])
            case "store":
                if instr.detail.kind is Kind.PTR:
                    self._need(instr.args[0])
                if instr.index not in self.direct:
                    self._need(instr.args[1])
            case "ret":
                if instr.args and instr.detail.kind is Kind.PTR:
                    self._need(instr.args[0])
            case "call":
                if self.layout.kinds[instr.index] not in ("pure", "ignored", "opaque"):
                    for a, t in zip(instr.args, instr.detail.arg_types, strict=False):
                        if t.kind is Kind.PTR:
                            self._need(a)
            case _:
                pass

    def of(self, op: Operand) -> str:
        """The companion of a pointer operand, as text."""
        while True:
            if isinstance(op, Const):
                if op.kind == "global":
                    return str(self.objects.get(op.value, 0))
                if op.kind == "expr" and op.value[0] == "gep":
                    op = op.value[2][0]
                    continue
                return NONE
            if op in self.layout.frame:
                return f"%bf.o{op}"
            d = self.fn.definer[op]
            if d < 0:
                return f"%bf.p{op}" if op < MAX_ARGS or self.fn.byval[op] else LOOKUP
            instr = self.fn.instrs[d]
            if instr.op in _SAME_OBJECT:
                op = instr.args[0]
                continue
            if instr.op in ("load", "phi", "select", "alloca") or (instr.op == "call" and self.tracked_call(instr)):
                return f"%bf.p{op}"
            return LOOKUP

    def tracked_call(self, instr: Instr) -> bool:
        """Whether a call's pointer result has a companion."""
        return self.layout.kinds[instr.index] in ("internal", "external", "indirect")
