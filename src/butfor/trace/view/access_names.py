"""Loads and stores in source terms: the variables, members and elements they touch, with values.

A struct that is passed or returned in registers is read and written in pieces that are wider than its members. What
such a piece holds follows from the types that the source declares, not from the type of the register.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from butfor.ir.debug_types import CType
from butfor.ir.instructions import Operand
from butfor.ir.machine_types import Type, store_size
from butfor.ir.recording_segments import variable_and_offset
from butfor.trace.semantics.instruction_semantics import from_bytes
from butfor.trace.trace import Node, Trace, UnknownValue
from butfor.trace.view.c_values import bytes_text, holds_scalar, scalar_text, value_text
from butfor.trace.view.declared_types import MAX_COPY_DEPTH, DeclaredTypes
from butfor.trace.view.object_parts import (
    ObjectPart,
    is_scalar,
    leaf_parts,
    scalars_at,
    smallest_part,
)
from butfor.trace.view.run_objects import RunObjects
from butfor.trace.view.source_places import Places

_MEMBER = re.compile(r"(?:\.|->)\s*(\w+)$")


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
        self.types = DeclaredTypes(self.trace.program)

    def read(self, at: Node) -> list[NamedRead]:
        """The variables, members or elements that a load instance read; none if the source has no name for them."""
        load = self.trace.instr(at)
        fn = self.trace.at(at[0]).fn
        address, data = load.args[0], self.trace.loaded_bytes(at)
        written = self.places.lvalue_text(load)
        known = self.types.variable(fn, address)
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

    def _type(self, i: int, address: Operand) -> tuple[CType, int] | None:
        """The C type of the object at an address, declared or as found there in the run, and the offset in it."""
        found = self.types.of(self.trace.at(i).fn, address)
        if found is not None:
            return found
        try:
            where = int(self.trace.operand(i, address))
        except UnknownValue:
            return None
        o = self.objects.at(where, i)
        return None if o is None or o.variable is None else (o.variable.type, where - o.start)

    def _temporary_type(self, i: int, address: Operand) -> Type | None:
        """The LLVM type of the temporary at an address, or of what it is copied from on its way into registers."""
        s = self.trace.at(i)
        found: Type | None = None
        for _ in range(MAX_COPY_DEPTH):
            root = variable_and_offset(s.fn, address, s.layout.frame)
            if root is None or root[1] or not isinstance(root[0], int) or s.fn.definer[root[0]] < 0:
                break
            found = s.fn.instrs[s.fn.definer[root[0]]].detail[0]
            copy = self.types.copies_of(s.fn).get(root[0])
            if copy is None or copy[1]:
                break
            address = copy[0]
        return found
