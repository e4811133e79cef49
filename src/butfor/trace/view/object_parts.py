"""Members and elements of C objects by byte offset."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from butfor.ir.debug_types import CType, Field

_MAX_NESTING = 32  # of members and elements; no real type is that deep


@dataclass(frozen=True, slots=True)
class ObjectPart:
    """A member or an element of an object."""

    path: str  # as C writes it after the name of the object
    type: CType
    bit: int  # offset in the object
    bits: int  # width
    is_bits: bool = False  # a bit field
    number: int = 0  # index among the members or elements

    @property
    def start(self) -> int:
        """The byte in which it begins."""
        return self.bit // 8

    def holds(self, offset: int, size: int) -> bool:
        """Whether all these bytes are its own."""
        return not self.is_bits and 8 * offset >= self.bit and 8 * (offset + size) <= self.bit + self.bits


def is_scalar(t: CType) -> bool:
    """Whether a type has no members or elements."""
    return t.kind not in ("array", "struct", "union")


def parts(t: CType, offset: int, size: int) -> Iterator[ObjectPart]:
    """The members or elements that overlap the bytes, in order; the path of an anonymous member is empty."""
    if size <= 0:
        return
    if t.kind == "array" and t.element is not None and t.element.size:
        width = t.element.size
        for k in range(offset // width, (offset + size - 1) // width + 1):
            yield ObjectPart(f"[{k}]", t.element, 8 * k * width, 8 * width, number=k)
    elif t.kind in ("struct", "union"):
        for k, f in enumerate(t.fields):
            bits = f.bit_size if f.is_bits else 8 * f.type.size
            if f.bit_offset < 8 * (offset + size) and f.bit_offset + bits > 8 * offset:
                yield ObjectPart(f".{f.name}" if f.name else "", f.type, f.bit_offset, bits, f.is_bits, k)


def smallest_part(t: CType, offset: int, size: int) -> tuple[str, CType, int]:
    """The path, type and offset of the smallest member or element that holds all the bytes; not a member of a union."""
    path = ""
    for _ in range(_MAX_NESTING):
        inner = next((p for p in parts(t, offset, size) if p.holds(offset, size)), None) if t.kind != "union" else None
        if inner is None:
            break
        path, t, offset = path + inner.path, inner.type, offset - inner.start
    return path, t, offset


def scalars_at(t: CType, offset: int, size: int, path: str = "", at: int = 0) -> Iterator[ObjectPart]:
    """The scalars that take up exactly these bytes, several if unions contain them; `at` is the bit offset of `t`."""
    if is_scalar(t):
        if offset == 0 and t.size == size:
            yield ObjectPart(path, t, at, 8 * size)
        return
    for p in parts(t, offset, size):
        if p.holds(offset, size):
            yield from scalars_at(p.type, offset - p.start, size, path + p.path, at + p.bit)


def leaf_parts(t: CType, offset: int, size: int, path: str = "", at: int = 0) -> Iterator[ObjectPart]:
    """The scalars, bit fields and unions within the bytes; `path` and bit offset `at` are those of the object."""
    for p in parts(t, offset, size):
        if p.is_bits or is_scalar(p.type) or p.type.kind == "union":
            if p.bit >= 8 * offset and p.bit + p.bits <= 8 * (offset + size):
                yield ObjectPart(path + p.path, p.type, at + p.bit, p.bits, p.is_bits)
        else:
            low = max(offset - p.start, 0)
            high = min(offset + size - p.start, p.type.size)
            yield from leaf_parts(p.type, low, high - low, path + p.path, at + p.bit)


def type_starting_at(t: CType, offset: int, size: int) -> CType | None:
    """The largest type of that size that begins at an offset of an object."""
    for _ in range(_MAX_NESTING):
        if offset == 0 and t.size == size:
            return t
        inner = next((p for p in parts(t, offset, 1) if p.holds(offset, 1)), None)
        if inner is None:
            return None
        t, offset = inner.type, offset - inner.start
    return None


def member_path(t: CType, offset: int) -> str:
    """The path of the member or element at a byte offset; of a struct or union that begins there, as a whole."""
    out = ""
    for _ in range(_MAX_NESTING):
        if t.kind == "union" or (t.kind == "struct" and offset == 0):
            break
        inner = next((p for p in parts(t, offset, 1) if p.holds(offset, 1)), None)
        if inner is None:
            break
        out, t, offset = out + inner.path, inner.type, offset - inner.start
    return out + (f" + {offset} bytes" if offset else "")


def array_path(t: CType, offset: int, count: int | None) -> str:
    """The path of the array of so many elements that begins at a byte offset; None: of any number."""
    return "".join(part.path for _, part in _around_array(t, offset, count))


def array_member(t: CType, offset: int, count: int | None) -> Field | None:
    """The innermost member that holds that array; None where it is in no struct or union."""
    around = [whole.fields[part.number] for whole, part in _around_array(t, offset, count) if whole.fields]
    return around[-1] if around else None


def _around_array(t: CType, offset: int, count: int | None) -> Iterator[tuple[CType, ObjectPart]]:
    """The types around the array that begins at a byte offset, outermost first, each with its part that holds it."""
    for _ in range(_MAX_NESTING):
        if t.kind == "array" and offset == 0 and count in (None, t.count):
            break
        inner = next((p for p in parts(t, offset, 1) if p.holds(offset, 1)), None)
        if inner is None:
            break
        yield t, inner
        t, offset = inner.type, offset - inner.start


def element_path(t: CType, offset: int) -> tuple[int, ...]:
    """The indices that lead to the element at a byte offset; they end at a union and where bit fields share a byte."""
    path: list[int] = []
    for _ in range(_MAX_NESTING):
        inner = list(parts(t, offset, 1))
        if len(inner) != 1 or t.kind == "union":
            break
        path.append(inner[0].number)
        t, offset = inner[0].type, max(offset - inner[0].start, 0)
    return tuple(path)
