"""The variables and C types that a function declares for the objects at its addresses."""

from __future__ import annotations

from butfor.ir.debug_types import CType, Variable
from butfor.ir.instructions import Const, Function, Instr, Operand
from butfor.ir.machine_types import Kind, Type, alloc_size, struct_layout
from butfor.ir.program import Program
from butfor.ir.recording_segments import constant_offset, variable_and_offset
from butfor.trace.view.object_parts import scalars_at, type_starting_at

COPIES = ("llvm.memcpy.", "llvm.memmove.")
MAX_COPY_DEPTH = 64  # copies from temporary to temporary, and nested address computations


class DeclaredTypes:
    """Declared variables and types by address operand."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.source = program.source
        self._copies: dict[str, dict[int, tuple[Operand, int]]] = {}

    def variable(self, fn: Function, address: Operand) -> tuple[Variable, int] | None:
        """The variable at a fixed address and the offset in it; for a temporary, the variable it is a copy of."""
        offset = 0
        frame = self.program.layout(fn.name).frame
        for _ in range(MAX_COPY_DEPTH):
            root = variable_and_offset(fn, address, frame)
            if root is None:
                return None
            found: Variable | None = (
                self.source.variables(fn).get(root[0])
                if isinstance(root[0], int)
                else self.source.global_declaration(root[0])
            )
            if found is not None:
                return found, offset + root[1]
            copy = self.copies_of(fn).get(root[0]) if isinstance(root[0], int) else None
            if copy is None:
                return None
            address, offset = copy[0], offset + root[1] + copy[1]
        return None

    def copies_of(self, fn: Function) -> dict[int, tuple[Operand, int]]:
        """The temporaries of a function: the address that each is copied from or to, and the offset to add."""
        known = self._copies.get(fn.name)
        if known is not None:
            return known
        layout = self.program.layout(fn.name)
        named = self.source.variables(fn)
        known = {}
        for instr in fn.instrs:
            if not (instr.callee or "").startswith(COPIES):
                continue
            for here, there in ((instr.args[0], instr.args[1]), (instr.args[1], instr.args[0])):
                root = variable_and_offset(fn, here, layout.frame)
                if root is not None and isinstance(root[0], int) and root[0] not in named:
                    known.setdefault(root[0], (there, -root[1]))
        self._copies[fn.name] = known
        return known

    def of(self, fn: Function, address: Operand, depth: int = 0) -> tuple[CType, int] | None:
        """The C type that a function declares for the object at an address, and the offset in it."""
        known = self.variable(fn, address)
        if known is not None:
            return known[0].type, known[1]
        if depth > MAX_COPY_DEPTH or isinstance(address, Const):
            return None
        instr = fn.definition(address)
        if instr is None or instr.op not in ("load", "gep"):
            return None
        base = self.of(fn, instr.args[0], depth + 1)
        if base is None:
            return None
        return _element(instr, *base) if instr.op == "gep" else _pointee(*base)

    def pointer(self, fn: Function, address: Operand) -> CType | None:
        """The type of the pointer that is stored at an address; None where the source declares none."""
        found = self.of(fn, address)
        if found is None:
            return None
        return next((p.type for p in scalars_at(*found, 8) if p.type.kind == "pointer"), None)


def _pointee(t: CType, offset: int) -> tuple[CType, int] | None:
    """The type that the pointer at an offset of an object points to, and offset 0."""
    pointer = next((p.type for p in scalars_at(t, offset, 8) if p.type.kind == "pointer"), None)
    target = pointer.pointee if pointer is not None else None
    return (target, 0) if target is not None and target.size and target.kind not in ("void", "function") else None


def _element(gep: Instr, t: CType, offset: int) -> tuple[CType, int] | None:
    """The type and offset that an address computation leads to; a computed index leads to some element."""
    step: Type = gep.detail[0]
    for k, index in enumerate(gep.args[1:]):
        if k == 0 and isinstance(index, Const) and not index.value:
            continue
        if k == 0:
            some = type_starting_at(t, offset, alloc_size(step))
            if some is None:
                return None
            t, offset = some, 0
        elif step.kind is Kind.STRUCT:
            if not isinstance(index, Const):
                return None
            offset += struct_layout(step)[0][index.value or 0]
            step = step.elems[index.value or 0]
        else:
            step = step.elem
            fixed = constant_offset(step, (index,))
            if fixed is not None:
                offset += fixed
                continue
            some = type_starting_at(t, offset, alloc_size(step))
            if some is None:
                return None
            t, offset = some, 0
    return t, offset
