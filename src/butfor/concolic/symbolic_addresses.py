"""Accesses at addresses that depend on the input: leaving the object, or choosing another element."""

from __future__ import annotations

from typing import Any

from butfor.concolic.path_condition import Alternative
from butfor.concolic.shadow_state import Shadow, ShadowFrame
from butfor.ir.array_indices import indices_of_address
from butfor.ir.instructions import Instr
from butfor.logic.byte_rules import simple_concat, simple_equal
from butfor.logic.terms import Term, compare, conjunction, const, disjunction, ite, negate, resize

_MAX_TABLE_ELEMENTS = 512  # of a constant array that is loaded from: each is one choice in a term
_MAX_SYMBOLIC_ELEMENTS = 64  # of an array that is stored to, or symbolic: its terms grow with every access
_NEAR_BYTES = 64  # outside an object; such addresses are tried first, since a wild one may hit another object


def symbolic_load(
    shadow: Shadow, f: ShadowFrame, instr: Instr, pointer: Term, address: int, data: bytes
) -> Term | None:
    """The term of a load for every address that the pointer may have; None if unknown: the address is pinned then."""
    bounds = _decide_inside_object(shadow, f, instr, pointer, address, len(data))
    is_plain = bounds is not None and not shadow.memory.is_symbolic(*bounds)
    elements = _array_elements(
        shadow, bounds, address, len(data), _MAX_TABLE_ELEMENTS if is_plain else _MAX_SYMBOLIC_ELEMENTS
    )
    if elements:
        result = const(int.from_bytes(data, "little"), 8 * len(data))
        for at, (element, _) in elements.items():
            result = ite(simple_equal(pointer, const(at, 64)), element, result)
        return result
    _pin_address(shadow, f, instr, pointer, address, bounds, len(data))
    return None


def symbolic_store(
    shadow: Shadow, f: ShadowFrame, instr: Instr, pointer: Term, address: int, data: bytes, term: Term | None
) -> None:
    """Store at an address that depends on the input: every element of the array may be the one that changes."""
    bounds = _decide_inside_object(shadow, f, instr, pointer, address, len(data))
    elements = _array_elements(shadow, bounds, address, len(data), _MAX_SYMBOLIC_ELEMENTS)
    if not elements:
        _pin_address(shadow, f, instr, pointer, address, bounds, len(data))
        shadow.memory.write(address, data, term)
        return
    value = term if term is not None else const(int.from_bytes(data, "little"), 8 * len(data))
    for at, (old, was) in elements.items():
        new = ite(simple_equal(pointer, const(at, 64)), value, old)
        shadow.memory.write(at, data if at == address else was, new)


def _pin_address(
    shadow: Shadow, f: ShadowFrame, instr: Instr, pointer: Term, address: int, bounds: tuple[int, int] | None, size: int
) -> None:
    """Fix an address where it was in the run; a few other places in the object are alternatives."""
    shadow.gaps.add("an address that depends on the input")
    if bounds is not None:
        start, whole = bounds
        places = {start, start + size, start + whole // 2 // size * size, start + (whole - size) // size * size} - {
            address
        }
        others = tuple(
            Alternative(simple_equal(pointer, const(at, 64)), (f.fn.name, instr.index, 11 + k))
            for k, at in enumerate(sorted(places))
        )
        shadow.decide(simple_equal(pointer, const(address, 64)), others, is_pinned=True)
    else:
        shadow.decide(simple_equal(pointer, const(address, 64)), is_pinned=True)


def _array_elements(
    shadow: Shadow, bounds: tuple[int, int] | None, address: int, size: int, max_elements: int
) -> dict[int, tuple[Term, bytes]]:
    """The terms and values of the elements of the array at an address; none if it is too large or partly unknown."""
    if bounds is None or bounds[1] // size > max_elements or (address - bounds[0]) % size:
        return {}
    start, whole = bounds
    out = {}
    for k in range(whole // size):
        found = list(shadow.memory.text(start + k * size, size))
        values = bytes(v for _, v in found if v is not None)
        if len(values) < size:
            return {}
        parts = [t if t is not None else const(v or 0, 8) for t, v in found]
        out[start + k * size] = simple_concat(parts), values
    return out


def _decide_inside_object(
    shadow: Shadow, f: ShadowFrame, instr: Instr, pointer: Term, address: int, size: int
) -> tuple[int, int] | None:
    """The bounds of the object that is accessed; accesses that leave it are alternatives that fail."""
    bounds = shadow.objects.around(address)
    if bounds is None or address + size > bounds[0] + bounds[1]:
        return None
    start, whole = bounds
    first, last = const(start, 64), const(start + whole - size, 64)
    inside = conjunction((compare("ule", first, pointer), compare("ule", pointer, last)))
    low = conjunction((compare("ult", pointer, first), compare("ule", const(start - _NEAR_BYTES, 64), pointer)))
    high = conjunction((compare("ult", last, pointer), compare("ule", pointer, const(start + whole + _NEAR_BYTES, 64))))
    where = (f.fn.name, instr.index)
    rows = (
        (high, 2, ("bounds-high",)),
        (low, 3, ("bounds-low",)),
        (negate(inside), 4, ("bounds-low", "bounds-high")),
    )
    others = [
        Alternative(term, (*where, outcome), is_error=True)
        for term, outcome, kinds in rows
        if not shadow.facts.checks.holds(*where, *kinds)
    ]
    shadow.decide(inside, tuple(others))
    _decide_inside_members(shadow, f, instr)
    return bounds


def _decide_inside_members(shadow: Shadow, f: ShadowFrame, instr: Instr) -> None:
    """Accesses that leave a row or a member, perhaps inside of the object, are alternatives that fail."""
    if not instr.accesses_memory:
        return
    for k, index in enumerate(indices_of_address(f.fn, instr.address, shadow.facts.program.global_type)):
        term = f.term(index.operand)
        if term is not None and index.count is not None:
            inside = compare("ult", term, const(index.count, term.width))
            shadow.decide(inside, (Alternative(negate(inside), (f.fn.name, instr.index, 30 + k), is_error=True),))


def long_copy(shadow: Shadow, function: str, index: int, places: tuple[Any, ...], length: Term, reads: bool) -> None:
    """Decide that a copy or fill of a symbolic length stays inside its target, and inside its source if it `reads`."""
    parts = []
    for address in places[: 2 if reads else 1]:
        bounds = shadow.objects.around(address) if isinstance(address, int) else None
        if bounds is not None:
            room = bounds[0] + bounds[1] - address
            too_long = compare("ult", const(room, 64), resize(length, 64))
            near = conjunction((too_long, compare("ule", resize(length, 64), const(room + _NEAR_BYTES, 64))))
            parts += [(too_long, near)]
    if parts:
        inside = conjunction(negate(p) for p, _ in parts)
        others = (
            Alternative(disjunction(n for _, n in parts), (function, index, 5), is_error=True),
            Alternative(disjunction(p for p, _ in parts), (function, index, 6), is_error=True),
        )
        is_proved = shadow.facts.checks.holds(function, index, "bounds-high")
        shadow.decide(inside, () if is_proved else others)
