"""Addresses that depend on the input: accesses that may leave their object, tables, and the arguments of the program in memory."""

from __future__ import annotations

import ctypes
import struct
from bisect import bisect_right
from typing import TYPE_CHECKING, Any

import numpy as np

from butfor.concolic.path_condition import Other
from butfor.concolic.search_inputs import MOST_ARGS, Input
from butfor.ir.instructions import Instr
from butfor.logic.byte_simplify import joined, less, same
from butfor.logic.terms import Term, binary, compare, conjunction, const, disjunction, ite, negate, resize
from butfor.trace.recording import Recording

if TYPE_CHECKING:
    from butfor.concolic.shadow_state import Frame, Shadow

_LARGEST_TABLE = 512  # elements of an array that is read
_LARGEST_TARGET = 64  # elements of an array that is written, or holds bytes of the input
_FAR = 64  # bytes beyond an object that are asked for first
_CLASSES = 384  # entries of the C library's tables, from -128 on


class Bounds:
    """Start and size of the object that an address lies in."""

    def __init__(self, recording: Recording) -> None:
        self.log = recording.log
        self._count = -1

    def around(self, address: int) -> tuple[int, int] | None:
        """(start, size) of the object, the latest one where several had the place."""
        if self._count != len(self.log.object):
            self._count = len(self.log.object)
            starts = self.log.object["start"].astype(np.int64)
            order = np.argsort(starts, kind="stable")
            self._starts = starts[order].tolist()
            self._sizes = self.log.object["size"][order].tolist()
        k = bisect_right(self._starts, address) - 1
        for j in range(k, max(k - 8, -1), -1):
            if self._sizes[j] and address < self._starts[j] + self._sizes[j]:
                return self._starts[j], self._sizes[j]
        return None


class Arguments:
    """The program's arguments as they lie in memory: the number of them, the pointers, the texts."""

    def __init__(self, recording: Recording, given: Input) -> None:
        data = (recording.home / "start").read_bytes()
        self.count, self.pointers = struct.unpack_from("<QQ", data)
        self.texts = recording.arguments
        self.given = given

    def put_into(self, shadow: Shadow) -> None:
        """Gives the bytes of the arguments their variables."""
        for number, text in enumerate(self.given.args, 1):
            if number >= len(self.texts):
                return
            start, size = self.texts[number]
            if size != len(text) + 1:
                return
            for k, value in enumerate(text + b"\0"):
                shadow.memory.write(start + k, bytes([value]), shadow.variable(f"a{number}_{k}", 8, value))

    def _number(self, shadow: Shadow) -> Term:
        shadow.reads.add("args")
        term = shadow.variable("argc", 32, self.count)
        if "argc" not in shadow.bounds:
            shadow.bounds["argc"] = conjunction(
                (compare("sle", const(1, 32), term), compare("sle", term, const(MOST_ARGS + 1, 32)))
            )
        return term

    def bind(self, shadow: Shadow, f: Frame) -> None:
        """The parameters of main."""
        if len(f.fn.params) >= 1:
            f.regs[0] = self.count
            f.terms[0] = self._number(shadow) if len(f.fn.params) >= 2 else const(self.count, 32)
        if len(f.fn.params) >= 2:
            f.regs[1] = self.pointers

    def loaded(self, shadow: Shadow, address: int, value: Any) -> Term | None:
        """The term of a pointer read from argv: the last one is null. Reading another one says that there are so many."""
        at = address - self.pointers
        if not 8 <= at <= 8 * self.count or at % 8 or not isinstance(value, int):
            return None
        index, number = at // 8, self._number(shadow)
        there = compare("slt", const(index, 32), number)
        if index < self.count:
            shadow.decide(there, (Other(negate(there), ("argv", index, 0)),))
            return None
        return ite(there, const(1 << 12, 64), const(0, 64))


def symbolic_load(shadow: Shadow, f: Frame, instr: Instr, pointer: Term, address: int, data: bytes) -> Term | None:
    """The value that a load gives for every address it may have, if that is known; else the address is held where it was."""
    found = _character_class(shadow, pointer, address, len(data))
    if found is not None:
        return found
    bounds = _stays_inside(shadow, f, instr, pointer, address, len(data))
    is_plain = bounds is not None and not shadow.memory.is_symbolic(*bounds)
    elements = _elements(shadow, bounds, address, len(data), _LARGEST_TABLE if is_plain else _LARGEST_TARGET)
    if elements:
        result = const(int.from_bytes(data, "little"), 8 * len(data))
        for at, (element, _) in elements.items():
            result = ite(same(pointer, const(at, 64)), element, result)
        return result
    _pin(shadow, f, instr, pointer, address, bounds, len(data))
    return None


def symbolic_store(
    shadow: Shadow, f: Frame, instr: Instr, pointer: Term, address: int, data: bytes, term: Term | None
) -> None:
    """A store at an address that depends on the input: any element of the array may have been meant."""
    bounds = _stays_inside(shadow, f, instr, pointer, address, len(data))
    elements = _elements(shadow, bounds, address, len(data), _LARGEST_TARGET)
    if not elements:
        _pin(shadow, f, instr, pointer, address, bounds, len(data))
        shadow.memory.write(address, data, term)
        return
    value = term if term is not None else const(int.from_bytes(data, "little"), 8 * len(data))
    for at, (old, was) in elements.items():
        new = ite(same(pointer, const(at, 64)), value, old)
        shadow.memory.write(at, data if at == address else was, new)


def _pin(
    shadow: Shadow, f: Frame, instr: Instr, pointer: Term, address: int, bounds: tuple[int, int] | None, size: int
) -> None:
    """Holds an address where it was; a few other places in the object are worth a try."""
    shadow.gaps.add("an address that depends on the input")
    if bounds is not None:
        start, whole = bounds
        places = {start, start + size, start + whole // 2 // size * size, start + (whole - size) // size * size} - {
            address
        }
        others = tuple(
            Other(same(pointer, const(at, 64)), (f.fn.name, instr.index, 11 + k)) for k, at in enumerate(sorted(places))
        )
        shadow.decide(same(pointer, const(address, 64)), others, is_pinned=True)
    else:
        shadow.decide(same(pointer, const(address, 64)), is_pinned=True)


def _elements(
    shadow: Shadow, bounds: tuple[int, int] | None, address: int, size: int, most: int
) -> dict[int, tuple[Term, bytes]]:
    """Terms and values of all elements of the array around an address; nothing when it is too large or something in it is not known."""
    if bounds is None or bounds[1] // size > most or (address - bounds[0]) % size:
        return {}
    start, whole = bounds
    out = {}
    for k in range(whole // size):
        found = list(shadow.memory.text(start + k * size, size))
        values = bytes(v for _, v in found if v is not None)
        if len(values) < size:
            return {}
        parts = [t if t is not None else const(v or 0, 8) for t, v in found]
        out[start + k * size] = joined(parts), values
    return out


def _stays_inside(
    shadow: Shadow, f: Frame, instr: Instr, pointer: Term, address: int, size: int
) -> tuple[int, int] | None:
    bounds = shadow.objects.around(address)
    if bounds is None or address + size > bounds[0] + bounds[1]:
        return None
    start, whole = bounds
    first, last = const(start, 64), const(start + whole - size, 64)
    inside = conjunction((compare("ule", first, pointer), compare("ule", pointer, last)))
    low = conjunction((compare("ult", pointer, first), compare("ule", const(start - _FAR, 64), pointer)))
    high = conjunction((compare("ult", last, pointer), compare("ule", pointer, const(start + whole + _FAR, 64))))
    where = (f.fn.name, instr.index)
    others = (
        Other(high, (*where, 2), is_error=True),
        Other(low, (*where, 3), is_error=True),
        Other(negate(inside), (*where, 4), is_error=True),
    )
    shadow.decide(inside, others)
    return bounds


def _character_class(shadow: Shadow, pointer: Term, address: int, size: int) -> Term | None:
    """An entry of the tables behind isdigit, toupper and the like."""
    for name, base in shadow.tables.items():
        entry = 2 if name == "b" else 4
        if size == entry and base - 128 * entry <= address < base + 256 * entry:
            index = _index(pointer, base, entry)
            return None if index is None else _ranges(index, _classes(name), 8 * entry)
    return None


def _index(pointer: Term, base: int, entry: int) -> Term | None:
    if pointer.op != "add" or pointer.args[0] is not const(base, 64):
        return None
    scaled = pointer.args[1]
    return scaled.args[0] if scaled.op == "mul" and scaled.args[1] is const(entry, 64) else None


_tables: dict[str, list[int]] = {}


def _classes(name: str) -> list[int]:
    """The C library's table of the plain locale, from -128 on."""
    if name not in _tables:
        values = []
        libc = ctypes.CDLL(None)
        kind = ctypes.c_ushort if name == "b" else ctypes.c_int
        function = getattr(
            libc, {"b": "__ctype_b_loc", "tolower": "__ctype_tolower_loc", "toupper": "__ctype_toupper_loc"}[name]
        )
        function.restype = ctypes.POINTER(ctypes.POINTER(kind))
        table = function()[0]
        for k in range(-128, 256):
            is_plain = 0 <= k < 128
            values.append(int(table[k]) if is_plain else 0 if name == "b" else k & 0xFFFFFFFF)
        _tables[name] = values
    return _tables[name]


def _ranges(index: Term, values: list[int], width: int) -> Term:
    """The value at an index as choices between ranges of the same value."""
    last = len(values) - 1
    result = const(values[last], width)
    for k in range(last - 1, -1, -1):
        if values[k] != values[k + 1]:
            result = ite(less("sle", index, const(k - 128, index.width)), const(values[k], width), result)
    return result


def mapped(byte: Term, name: str, width: int) -> Term:
    """What tolower or toupper makes of a character."""
    lower, upper = (const(x, byte.width) for x in ((65, 90) if name == "tolower" else (97, 122)))
    inside = conjunction((compare("sle", lower, byte), compare("sle", byte, upper)))
    return resize(ite(inside, binary("xor", byte, const(32, byte.width)), byte), width, True)


def class_of(byte: Term, mask: int) -> Term:
    """Whether a character is in a class, by the bit of the C library's table."""
    return _ranges(byte, [1 if v & mask else 0 for v in _classes("b")], 32)


def long_copy(shadow: Shadow, function: str, index: int, places: tuple[Any, ...], length: Term, reads: bool) -> None:
    """A copy or fill whose length depends on the input may leave the object it goes to, or comes from."""
    parts = []
    for address in places[: 2 if reads else 1]:
        bounds = shadow.objects.around(address) if isinstance(address, int) else None
        if bounds is not None:
            room = bounds[0] + bounds[1] - address
            too_long = compare("ult", const(room, 64), resize(length, 64))
            near = conjunction((too_long, compare("ule", resize(length, 64), const(room + _FAR, 64))))
            parts += [(too_long, near)]
    if parts:
        inside = conjunction(negate(p) for p, _ in parts)
        others = [Other(disjunction(n for _, n in parts), (function, index, 5), is_error=True)]
        others.append(Other(disjunction(p for p, _ in parts), (function, index, 6), is_error=True))
        shadow.decide(inside, tuple(others))
