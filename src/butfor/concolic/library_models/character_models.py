"""Library functions that classify and change characters."""

from __future__ import annotations

from typing import Any

from butfor.concolic import symbolic_addresses
from butfor.concolic.library_models.library_call import Call, Taken
from butfor.concolic.shadow_state import Shadow
from butfor.ir.machine_types import Type
from butfor.logic.byte_simplify import same
from butfor.logic.terms import Term, const, ite

# Functions that ask for a class, with its bit in the C library's table.
BITS = {name: bit for bit, name in enumerate("isblank iscntrl ispunct isalnum".split())} | {
    name: bit for bit, name in enumerate("isupper islower isalpha isdigit isxdigit isspace isprint isgraph".split(), 8)
}


def case(shadow: Shadow, call: Call, value: Any, result: Type, taken: Taken) -> Term | None:
    """tolower and toupper."""
    term = call.terms[0]
    return None if term is None else symbolic_addresses.mapped(term, call.name, result.bits)


def is_in_class(shadow: Shadow, call: Call, value: Any, result: Type, taken: Taken) -> Term | None:
    """isdigit and the like."""
    term = call.terms[0]
    if term is None:
        return None
    inside = symbolic_addresses.class_of(term, 1 << BITS[call.name])
    return ite(same(inside, const(0, 32)), const(0, result.bits), const(value or 1, result.bits))


def table_pointer(shadow: Shadow, call: Call, value: Any, result: Type, taken: Taken) -> Term | None:
    """Notes where the pointer to one of the C library's tables lies."""
    shadow.table_pointers[value] = {"__ctype_b_loc": "b", "__ctype_tolower_loc": "tolower"}.get(call.name, "toupper")
    return None
