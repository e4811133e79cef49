"""Indices in addresses whose array has known bounds: rows of arrays, and members of structs.

Whole variables and heap blocks have bounds of their own, and what a cast or a part of a union makes of memory has none;
an array that fills a union has those of the union. An array at the end of a struct often stands for one of any length:
it has a beginning, but no end.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from butfor.ir.instructions import Const, Function, Instr, Operand
from butfor.ir.machine_types import Kind, Type, alloc_size, signed_value, struct_layout
from butfor.ir.recording_segments import variable_and_offset

GlobalTypes = Callable[[str], Type | None]  # the type of a global variable by its name


@dataclass(frozen=True, slots=True)
class ArrayIndex:
    """An index of a gep: its position among the operands, and how many elements the array has; None: not known."""

    gep: Instr
    position: int
    count: int | None

    @property
    def operand(self) -> Operand:
        """The index itself."""
        return self.gep.args[self.position]

    def is_outside(self, value: int) -> bool:
        """Whether an index with this value is outside of the array."""
        return value < 0 or (self.count is not None and value >= self.count)


def array_indices(fn: Function, gep: Instr, variables: GlobalTypes) -> list[ArrayIndex]:
    """The indices of a gep that can be outside of arrays with a known length."""
    found = []
    t: Type = gep.detail[0]
    kind = part_kind(fn, gep.args[0], t, variables)
    for position, index in enumerate(gep.args[2:], 2):
        member = _member(t, index)
        if member is not None:
            kind = Part.LAST_MEMBER if member == len(t.elems) - 1 else Part.BOUNDED
            t = t.elems[member]
            continue
        if t.kind is not Kind.ARRAY:
            break
        count = t.count if kind is Part.BOUNDED and t.count else None
        if kind is not Part.UNKNOWN and not _is_inside(index, count):
            found.append(ArrayIndex(gep, position, count))
        t, kind = t.elem, Part.BOUNDED
    return found


def indices_of_address(fn: Function, address: Operand, variables: GlobalTypes) -> list[ArrayIndex]:
    """The indices, of all geps that an address is computed by, that can be outside; the last one first."""
    geps = address_computations(fn, address)
    return [index for gep in geps for index in reversed(array_indices(fn, gep, variables))]


def address_computations(fn: Function, address: Operand) -> list[Instr]:
    """The geps that an address is computed by, the last one first."""
    found: list[Instr] = []
    instr = fn.definition(address)
    while instr is not None and instr.op == "gep":
        found.append(instr)
        instr = fn.definition(instr.args[0])
    return found


class Part(enum.Enum):
    """What is known of an array at an address."""

    UNKNOWN = enum.auto()
    LAST_MEMBER = enum.auto()  # where it begins
    BOUNDED = enum.auto()  # where it begins and ends: a row, or a member that is not the last


def part_kind(fn: Function, base: Operand, t: Type, variables: GlobalTypes) -> Part:
    """What is known of an array of this very type at an address."""
    if isinstance(base, Const):
        return next((kind for held, kind in _arrays_of_global(fn, base, variables) if held == t), Part.UNKNOWN)
    instr = fn.definition(base)
    if instr is None or instr.op != "gep" or t.kind is not Kind.ARRAY:
        return Part.UNKNOWN
    held: Type = instr.detail[0]
    is_last = False
    for index in instr.args[2:]:
        member = _member(held, index)
        is_last = member is not None and member == len(held.elems) - 1
        held = held.elems[member] if member is not None else held.elem
    fills_union = held.kind is Kind.STRUCT and alloc_size(held) == alloc_size(t)
    if held != t and not fills_union:
        return Part.UNKNOWN
    return Part.LAST_MEMBER if is_last else Part.BOUNDED


def _arrays_of_global(fn: Function, base: Operand, variables: GlobalTypes) -> Iterator[tuple[Type, Part]]:
    """The arrays inside of a global variable that begin at a constant address, the largest first."""
    found = variable_and_offset(fn, base, {})
    held = variables(found[0]) if found is not None and isinstance(found[0], str) else None
    if found is None or held is None or not 0 <= found[1] < alloc_size(held):
        return
    offset = found[1]
    while held.kind is Kind.STRUCT or (held.kind is Kind.ARRAY and alloc_size(held.elem)):
        if held.kind is Kind.STRUCT:
            starts = struct_layout(held)[0]
            member = max((k for k, start in enumerate(starts) if start <= offset), default=-1)
            if member < 0:
                return
            kind = Part.LAST_MEMBER if member == len(held.elems) - 1 else Part.BOUNDED
            offset, held = offset - starts[member], held.elems[member]
        else:
            kind, offset, held = Part.BOUNDED, offset % alloc_size(held.elem), held.elem
        if not offset and held.kind is Kind.ARRAY:
            yield held, kind


def text_room(fn: Function, pointer: Operand, variables: GlobalTypes) -> int | None:
    """The bytes of the array of characters, a row or a member but not the last, that a pointer is the beginning of."""
    if isinstance(pointer, Const):
        arrays = _arrays_of_global(fn, pointer, variables)
        return next((t.count for t, kind in arrays if kind is Part.BOUNDED and _is_text(t)), None)
    instr = fn.definition(pointer)
    if instr is None or instr.op != "gep" or len(instr.args) != 3:
        return None
    t: Type = instr.detail[0]
    is_start = all(isinstance(a, Const) and not a.value for a in instr.args[1:])
    is_bounded = is_start and part_kind(fn, instr.args[0], t, variables) is Part.BOUNDED
    return t.count if is_bounded and _is_text(t) else None


def _is_text(t: Type) -> bool:
    return t.kind is Kind.ARRAY and t.elem.kind is Kind.INT and t.elem.bits == 8


def _member(t: Type, index: Operand) -> int | None:
    """The number of the member that an index selects, None in an array."""
    return int(index.value or 0) if t.kind is Kind.STRUCT and isinstance(index, Const) else None


def _is_inside(op: Operand, count: int | None) -> bool:
    """Whether an index is a constant that is inside of an array."""
    if not isinstance(op, Const) or op.kind not in ("int", "zero"):
        return False
    value = signed_value(int(op.value or 0), op.type.bits)
    return value >= 0 and (count is None or value < count)
