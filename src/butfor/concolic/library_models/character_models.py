"""Models of functions that classify and convert characters, and of the C library's tables behind them."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from typing import Any

from butfor.concolic.shadow_state import ConsumedInput, LibraryCall, Shadow
from butfor.ir.machine_types import Type
from butfor.libc.record import SearchModel
from butfor.logic.byte_rules import simple_compare, simple_equal
from butfor.logic.terms import Term, binary, compare, conjunction, const, ite, resize

_TABLE_FUNCTIONS = {"b": "__ctype_b_loc", "tolower": "__ctype_tolower_loc", "toupper": "__ctype_toupper_loc"}
_TABLES = {
    "b": SearchModel.CLASS_TABLE,
    "tolower": SearchModel.LOWER_CASE_TABLE,
    "toupper": SearchModel.UPPER_CASE_TABLE,
}
_FIRST_ENTRY, _END_ENTRY = -128, 256  # the tables take a signed char, an unsigned char or EOF


def case(shadow: Shadow, call: LibraryCall, value: Any, result: Type, taken: Sequence[ConsumedInput]) -> Term | None:
    """The result of tolower or toupper."""
    term = call.terms[0]
    if term is None:
        return None
    return converted_character(term, result.bits, to_lower=call.is_known_as(SearchModel.LOWER_CASE))


def is_in_class(
    shadow: Shadow, call: LibraryCall, value: Any, result: Type, taken: Sequence[ConsumedInput]
) -> Term | None:
    """The result of isdigit and the like."""
    term = call.terms[0]
    if term is None or call.record is None or call.record.character_class is None:
        return None
    mask = 1 << call.record.character_class
    inside = _term_by_ranges(term, [1 if v & mask else 0 for v in _table_entries("b")], 32)
    return ite(simple_equal(inside, const(0, 32)), const(0, result.bits), const(value or 1, result.bits))


def table_pointer(
    shadow: Shadow, call: LibraryCall, value: Any, result: Type, taken: Sequence[ConsumedInput]
) -> Term | None:
    """No term; remember where the pointer to one of the C library's tables lies."""
    table = next(name for name, known in _TABLES.items() if call.is_known_as(known))
    shadow.table_pointers[value] = table
    return None


def converted_character(byte: Term, width: int, *, to_lower: bool) -> Term:
    """A character as tolower or toupper converts it."""
    lower, upper = (const(x, byte.width) for x in ((65, 90) if to_lower else (97, 122)))
    inside = conjunction((compare("sle", lower, byte), compare("sle", byte, upper)))
    return resize(ite(inside, binary("xor", byte, const(32, byte.width)), byte), width, True)


def table_entry(shadow: Shadow, pointer: Term, address: int, size: int) -> Term | None:
    """The term of an entry that macros such as isdigit load from one of the tables; None for other addresses."""
    for name, base in shadow.tables.items():
        entry = 2 if name == "b" else 4
        if size == entry and base + _FIRST_ENTRY * entry <= address < base + _END_ENTRY * entry:
            index = _index(pointer, base, entry)
            return None if index is None else _term_by_ranges(index, _table_entries(name), 8 * entry)
    return None


def _index(pointer: Term, base: int, entry: int) -> Term | None:
    """`i` of a pointer `base + i * entry`."""
    if pointer.op != "add" or pointer.args[0] is not const(base, 64):
        return None
    scaled = pointer.args[1]
    return scaled.args[0] if scaled.op == "mul" and scaled.args[1] is const(entry, 64) else None


@cache
def _table_entries(name: str) -> tuple[int, ...]:
    """The entries of a table in the C locale, from -128 on."""
    function = getattr(ctypes.CDLL(None), _TABLE_FUNCTIONS[name])
    function.restype = ctypes.POINTER(ctypes.POINTER(ctypes.c_ushort if name == "b" else ctypes.c_int))
    table = function()[0]
    return tuple(
        int(table[k]) if 0 <= k < 128 else 0 if name == "b" else k & 0xFFFFFFFF for k in range(_FIRST_ENTRY, _END_ENTRY)
    )


def _term_by_ranges(index: Term, values: Sequence[int], width: int) -> Term:
    """The value at an index, as a choice between ranges of indices with the same value."""
    last = len(values) - 1
    result = const(values[last], width)
    for k in range(last - 1, -1, -1):
        if values[k] != values[k + 1]:
            bound = const(k + _FIRST_ENTRY, index.width)
            result = ite(simple_compare("sle", index, bound), const(values[k], width), result)
    return result
