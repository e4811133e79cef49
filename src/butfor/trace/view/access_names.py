"""Loads and stores in source terms: the variables, members and elements they touch, with values.

A struct that is passed or returned in registers is read and written in pieces that are wider than its members. What
such a piece holds follows from the types that the source declares, not from the type of the register.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from butfor.ir.debug_types import CType, Variable
from butfor.ir.instructions import Const, Function, Instr, Operand
from butfor.ir.machine_types import Kind, Type, alloc_size, store_size, struct_layout
from butfor.ir.recording_segments import constant_offset, variable_and_offset
from butfor.trace.semantics.instruction_semantics import from_bytes
from butfor.trace.trace import Node, Trace, UnknownValue
from butfor.trace.view.c_values import bytes_text, holds_scalar, scalar_text, value_text
from butfor.trace.view.object_parts import (
    ObjectPart,
    is_scalar,
    leaf_parts,
    scalars_at,
    smallest_part,
    type_starting_at,
)
from butfor.trace.view.run_objects import RunObjects
from butfor.trace.view.source_places import Places

_COPIES = ("llvm.memcpy.", "llvm.memmove.")
_MEMBER = re.compile(r"(?:\.|->)\s*(\w+)$")
_MAX_COPY_DEPTH = 64  # copies from temporary to temporary, and nested address computations


@dataclass(frozen=True, slots=True)
class NamedRead:
    """A variable, member or element that was read: its name in the source, its bytes, and its value as text."""

    name: str
    data: bytes
    text: str


class Accesses:
    """Loads and stores of a recorded run in source terms."""

    def __init__(self, places: Places, objects: RunObjects) -> None:
        self.places = places
        self.objects = objects
        self.trace: Trace = places.trace
        self.source = places.source
        self._copies: dict[str, dict[int, tuple[Operand, int]]] = {}

    def read(self, at: Node) -> list[NamedRead]:
        """The variables, members or elements that a load instance read; none if the source has no name for them."""
        load = self.trace.instr(at)
        fn = self.trace.at(at[0]).fn
        address, data = load.args[0], self.trace.loaded_bytes(at)
        written = self.places.lvalue_text(load)
        known = self.variable(fn, address)
        if known is None:
            if written is None or variable_and_offset(fn, address, self.trace.at(at[0]).layout.frame) is not None:
                return []  # a temporary, or data of the library
            return [NamedRead(written, data, self.value_text(at[0], address, load.type, data, written))]
        variable, offset = known
        path, t, rest = smallest_part(variable.type, offset, len(data))
        if self._selected_part(t, rest, load.type, written) is not None:
            return [
                NamedRead(
                    written or variable.name + path, data, self.value_text(at[0], address, load.type, data, written)
                )
            ]
        if is_scalar(t) or t.kind == "union" or (rest == 0 and len(data) >= t.size):
            return [NamedRead(variable.name + path, data, self.value_text(at[0], address, load.type, data, written))]
        return [self._leaf(at[0], p, data, rest) for p in leaf_parts(t, rest, len(data), variable.name + path)]

    def _leaf(self, i: int, p: ObjectPart, data: bytes, rest: int) -> NamedRead:
        piece = int.from_bytes(data, "little") >> (p.bit - 8 * rest) & ((1 << p.bits) - 1)
        own = piece.to_bytes((p.bits + 7) // 8, "little")
        if p.type.kind == "union":
            return NamedRead(p.path, own, bytes_text(own, p.type, 0, self.objects, i))
        return NamedRead(p.path, own, scalar_text(bytes(rest) + data, p, self.objects, i))

    def value_text(self, i: int, address: Operand, t: Type, data: bytes, written: str | None = None) -> str:
        """The value that an access of register type `t` read or wrote; `written` is the lvalue in the source."""
        found = self._type(i, address)
        if found is not None:
            _, ctype, rest = smallest_part(*found, len(data))
            selected = self._selected_part(ctype, rest, t, written)
            if selected is not None:
                return scalar_text(bytes(rest) + data, selected, self.objects, i)
            if is_scalar(ctype):
                return value_text(
                    from_bytes(data, t), t, ctype if rest == 0 and ctype.size == len(data) else None, self.objects, i
                )
            if rest < ctype.size:
                return bytes_text(data[: ctype.size - rest], ctype, rest, self.objects, i)
        own = self._temporary_type(i, address)
        if own is not None and own.is_aggregate and store_size(own) <= len(data):
            t = own
        return value_text(from_bytes(data[: store_size(t)], t), t, None, self.objects, i)

    def _selected_part(self, ctype: CType, offset: int, t: Type, written: str | None) -> ObjectPart | None:
        """The bit field or the union member that an access means."""
        size = store_size(t)
        member = _MEMBER.search(written or "")
        own = [
            p
            for p in leaf_parts(ctype, offset, size)
            if p.is_bits and member is not None and p.path.endswith(f".{member[1]}")
        ]
        if own:
            return own[0]
        if ctype.kind != "union" or written is None or written.isidentifier():  # or the union as a whole
            return None
        fitting = [p for p in scalars_at(ctype, offset, size) if holds_scalar(t, p.type)]
        named = [p for p in fitting if member is not None and p.path.endswith(f".{member[1]}")]
        return next(iter(named or fitting), None)

    # --- variables and types --------------------------------------------------------------------------------

    def variable(self, fn: Function, address: Operand) -> tuple[Variable, int] | None:
        """The variable at a fixed address and the offset in it; for a temporary, the variable it is a copy of."""
        offset = 0
        frame = self.trace.program.layout(fn.name).frame
        for _ in range(_MAX_COPY_DEPTH):
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
            copy = self._copies_of(fn).get(root[0]) if isinstance(root[0], int) else None
            if copy is None:
                return None
            address, offset = copy[0], offset + root[1] + copy[1]
        return None

    def _copies_of(self, fn: Function) -> dict[int, tuple[Operand, int]]:
        """The temporaries of a function: the address that each is copied from or to, and the offset to add."""
        known = self._copies.get(fn.name)
        if known is not None:
            return known
        layout = self.trace.program.layout(fn.name)
        named = self.source.variables(fn)
        known = {}
        for instr in fn.instrs:
            if not (instr.callee or "").startswith(_COPIES):
                continue
            for here, there in ((instr.args[0], instr.args[1]), (instr.args[1], instr.args[0])):
                root = variable_and_offset(fn, here, layout.frame)
                if root is not None and isinstance(root[0], int) and root[0] not in named:
                    known.setdefault(root[0], (there, -root[1]))
        self._copies[fn.name] = known
        return known

    def _type(self, i: int, address: Operand) -> tuple[CType, int] | None:
        """The C type of the object at an address, declared or as found there in the run, and the offset in it."""
        found = self.declared_type(self.trace.at(i).fn, address)
        if found is not None:
            return found
        try:
            where = int(self.trace.operand(i, address))
        except UnknownValue:
            return None
        o = self.objects.at(where, i)
        return None if o is None or o.variable is None else (o.variable.type, where - o.start)

    def declared_type(self, fn: Function, address: Operand, depth: int = 0) -> tuple[CType, int] | None:
        """The C type that a function declares for the object at an address, and the offset in it."""
        known = self.variable(fn, address)
        if known is not None:
            return known[0].type, known[1]
        if depth > _MAX_COPY_DEPTH or isinstance(address, Const):
            return None
        instr = fn.definition(address)
        if instr is None or instr.op not in ("load", "gep"):
            return None
        base = self.declared_type(fn, instr.args[0], depth + 1)
        if base is None:
            return None
        return _element(instr, *base) if instr.op == "gep" else _pointee(*base)

    def _temporary_type(self, i: int, address: Operand) -> Type | None:
        """The LLVM type of the temporary at an address, or of what it is copied from on its way into registers."""
        s = self.trace.at(i)
        found: Type | None = None
        for _ in range(_MAX_COPY_DEPTH):
            root = variable_and_offset(s.fn, address, s.layout.frame)
            if root is None or root[1] or not isinstance(root[0], int) or s.fn.definer[root[0]] < 0:
                break
            found = s.fn.instrs[s.fn.definer[root[0]]].detail[0]
            copy = self._copies_of(s.fn).get(root[0])
            if copy is None or copy[1]:
                break
            address = copy[0]
        return found


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
