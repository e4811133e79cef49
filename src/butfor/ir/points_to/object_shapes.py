"""The cells of abstract objects: which offsets are one cell, and where pointer arithmetic leads.

All elements of an array are one cell. An `ObjectShape` knows the arrays of an object as regions; it has them from the
object's type or, for heap blocks, from how the program steps through them.
"""

from __future__ import annotations

from functools import cache

from butfor.ir.instructions import Const, Operand
from butfor.ir.machine_types import Kind, Type, alloc_size, store_size, struct_layout

UNBOUNDED = 1 << 62
ANYWHERE = -1  # the offset of a pointer to an unknown place in its object
Region = tuple[int, int, int]  # start, end, size of an element
_MAX_UNTYPED_OBJECT_BYTES = 1 << 31  # offsets beyond that come from wrapped arithmetic, not from real objects


@cache
def declared_type(t: Type) -> Type:
    """The type of a variable as it was declared.

    The compiler cuts arrays with an initialiser into a part with values and one of zeros; this undoes it.
    """
    if t.kind is Kind.ARRAY:
        return Type(Kind.ARRAY, elems=(declared_type(t.elem),), count=t.count)
    if t.kind is not Kind.STRUCT:
        return t
    elems = tuple(declared_type(e) for e in t.elems)
    for element in {e.elem for e in elems if e.kind is Kind.ARRAY} if t.packed and len(elems) > 1 else ():
        counts = [e.count if e.kind is Kind.ARRAY and e.elem == element else 1 if e == element else 0 for e in elems]
        if all(counts):
            return Type(Kind.ARRAY, elems=(element,), count=sum(counts))
    return Type(Kind.STRUCT, elems=elems, packed=t.packed)


@cache
def array_regions(t: Type, base: int = 0) -> tuple[Region, ...]:
    """The arrays in a type, outer ones first; those in an element of an array are counted once."""
    if t.kind in (Kind.ARRAY, Kind.VECTOR):
        size = alloc_size(t.elem)
        if size == 0:
            return ()
        return ((base, base + size * t.count if t.count else UNBOUNDED, size), *array_regions(t.elem, base))
    if t.kind is Kind.STRUCT:
        return tuple(
            r for offset, e in zip(struct_layout(t)[0], t.elems, strict=True) for r in array_regions(e, base + offset)
        )
    return ()


@cache
def _begins_element(t: Type, offset: int, step: int) -> bool:
    """Whether something whose size divides `step` begins at an offset: a pointer to it may be indexed by 0."""
    while True:
        size = alloc_size(t)
        if offset == 0 and size and step % size == 0:
            return True
        if t.kind is Kind.STRUCT and t.elems:
            starts = struct_layout(t)[0]
            k = max(k for k, start in enumerate(starts) if start <= offset)
            t, offset = t.elems[k], offset - starts[k]
        elif t.kind is Kind.ARRAY and alloc_size(t.elem):
            t, offset = t.elem, offset % alloc_size(t.elem)
        else:
            return False


@cache
def _end_of_leaf(t: Type, offset: int) -> int:
    at = 0
    while t.is_aggregate and t.elems:
        if t.kind is Kind.STRUCT:
            starts = struct_layout(t)[0]
            k = max(k for k, start in enumerate(starts) if start <= offset - at)
            t, at = t.elems[k], at + starts[k]
        else:
            size = max(alloc_size(t.elem), 1)
            t, at = t.elem, at + (offset - at) // size * size
    return at + alloc_size(t)


class ObjectShape:
    """The cells of one object; a flat object is one cell.

    `type` is None for objects without a declared type, whose arrays are inferred.
    """

    __slots__ = ("flat", "regions", "size", "type")

    def __init__(self, t: Type | None = None, regions: tuple[Region, ...] = (), flat: bool = False) -> None:
        self.type = t = declared_type(t) if t is not None else None
        self.size = _MAX_UNTYPED_OBJECT_BYTES if t is None else alloc_size(t)
        self.regions = list(regions if t is None else array_regions(t))
        self.flat = flat

    def cell(self, offset: int) -> int:
        """The offset that represents all offsets of the same cell."""
        if self.flat:
            return 0
        for start, end, size in self.regions:
            if start <= offset < end:
                offset = start + (offset - start) % size
        return offset

    def step(self, offset: int, size: int) -> tuple[int, bool]:
        """Where any number of steps of `size` bytes lead, and whether the shape had to change for it."""
        if any(start <= offset < end and size % element == 0 for start, end, element in self.regions):
            return offset, False
        if self.type is not None:
            return (offset if _begins_element(self.type, offset, size) else ANYWHERE), False
        return (offset, True) if self.add(offset, UNBOUNDED, size) else (ANYWHERE, False)

    def move(self, offset: int, count: int) -> tuple[int, bool]:
        """Where a move by a fixed number of bytes leads, be it to another element or from member to member."""
        if self.type is None and abs(count) == 1:
            return self.step(offset, 1)
        if any(start <= offset < end and count % element == 0 for start, end, element in self.regions):
            return offset, False
        return offset + count, False

    def enter(self, offset: int, length: int, size: int, moved: bool) -> tuple[int, bool]:
        """Where an index into an array that begins at an offset leads, and whether the shape had to change for it."""
        end = offset + (length if length < UNBOUNDED else size)
        if any(a <= offset and end <= b and size % e == 0 for a, b, e in self.regions):
            return offset, False
        if self.type is None and self.add(offset, offset + length if length < UNBOUNDED else UNBOUNDED, size):
            return offset, True
        return (ANYWHERE if moved else offset), False

    def add(self, start: int, end: int, size: int) -> bool:
        """Make a part of an untyped object an array; False when that contradicts what is known of it."""
        fitted: list[Region] = []
        for a, b, e in self.regions:
            if (a, e) == (start, size):
                end = max(end, b)
            elif end <= a or b <= start:
                fitted.append((a, b, e))
            elif a <= start < a + e:  # inside one of its elements
                end = min(end, a + e)
                fitted.append((a, b, e))
            elif start <= a < start + size and (b <= start + size or b == UNBOUNDED):
                fitted.append((a, min(b, start + size), e))
            else:
                return False
        self.regions = sorted((*fitted, (start, end, size)), key=lambda r: (r[0] - r[1], -r[2]))
        return True

    def holds(self, offset: int) -> bool:
        """Whether an offset is inside of the object."""
        return 0 <= offset < self.size

    def covers(self, offset: int, size: int, byte: int) -> bool:
        """Whether an access of `size` bytes at the cell `offset` may touch the byte that `byte` represents."""
        if self.flat or offset == ANYWHERE or offset <= byte < offset + size:
            return True
        return any(a <= offset < b and offset - a + size > e and a <= byte < a + e for a, b, e in self.regions)

    def end_of_item(self, offset: int) -> int:
        """Where the array of characters or the single number that begins at an offset ends."""
        for start, end, size in reversed(self.regions):
            if size == 1 and start <= offset < end:
                return end
        return UNBOUNDED if self.type is None else _end_of_leaf(self.type, offset)


PathPart = tuple[int, int, int, bool]
"""Bytes to move; then, for an index, the length of the array there, its element size, whether the index is not 0."""
OffsetPath = tuple[int, int, tuple[PathPart, ...], int]
"""Step size of an unknown index, fixed bytes, the path into members and elements, bytes that must be there."""
TO_ANYWHERE: OffsetPath = (0, 0, ((ANYWHERE, 0, 0, False),), 0)
STAY: OffsetPath = (0, 0, (), 0)
BY_BYTES: OffsetPath = (1, 0, (), 0)


def forward_by(count: int) -> OffsetPath:
    """The path to the place some bytes further on in the same object."""
    return (0, 0, ((count, 0, 0, False),), 0) if count else STAY


@cache
def _size_without_tail_padding(t: Type) -> int:
    """The size of a struct without the padding at its end."""
    return struct_layout(t)[0][-1] + store_size(t.elems[-1]) if t.kind is Kind.STRUCT and t.elems else 0


def gep_path(source: Type, indices: tuple[Operand, ...]) -> OffsetPath:
    """What a gep does to an offset."""
    step = fixed = 0
    first = indices[0]
    if not _is_zero(first):
        step = alloc_size(source)
        if step == 1 and isinstance(first, Const) and first.kind == "int":
            step, fixed = 0, first.value - (first.value >> (first.type.bits - 1) << first.type.bits)
    parts: list[PathPart] = []
    t, count = source, 0
    for index in indices[1:]:
        if t.kind is Kind.STRUCT:
            k = index.value or 0 if isinstance(index, Const) else 0
            count += struct_layout(t)[0][k]
            t = t.elems[k]
        else:
            size, moved = alloc_size(t.elem), not _is_zero(index)
            parts.append((count, size * t.count if t.count > 1 or (t.count and not moved) else UNBOUNDED, size, moved))
            t, count = t.elem, 0
    if count:
        parts.append((count, 0, 0, False))
    return step, fixed, tuple(parts), _size_without_tail_padding(source) if len(indices) > 1 else 0


def _is_zero(op: Operand) -> bool:
    return isinstance(op, Const) and op.kind in ("int", "zero") and not op.value
