"""Addresses of elements, and reading and building of structs, arrays and vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from butfor.ir.instructions import Const, Instr
from butfor.ir.machine_types import Kind, Type, alloc_size, struct_layout
from butfor.trace.semantics.closure_templates import ConstOf, bind
from butfor.trace.semantics.integers import signed
from butfor.trace.semantics.register_values import Closure, SemanticsError, Value, zero_value

_ADDRESS = (1 << 64) - 1


def compile_gep(instr: Instr, const: ConstOf) -> Closure:
    """The closure of getelementptr; constant indices are summed up beforehand."""
    element, index_types = instr.detail
    if instr.type.kind is not Kind.PTR:
        raise SemanticsError("getelementptr on vectors of pointers is not supported")
    constant, current = 0, Type(Kind.ARRAY, elems=(element,))  # the first index steps over whole elements
    slots: list[int] = []
    scales: list[int] = []
    terms = []
    for operand, kind in zip(instr.args[1:], index_types, strict=True):
        fixed = None if isinstance(operand, int) else signed(_scalar(const(operand)), kind.bits)
        scale, current = _step(current, fixed)
        if fixed is not None:
            constant += scale[fixed] if isinstance(scale, tuple) else scale * fixed
        elif isinstance(operand, int) and isinstance(scale, int):
            terms.append(_term(len(slots) + 1, kind.bits))
            slots.append(operand)
            scales.append(scale)
    text = " + ".join(["{0}", *(term.format(scale=f"{{{i + len(slots) + 1}}}") for i, term in enumerate(terms))])
    total = f"({text} + {{{2 * len(slots) + 1}}}) & {_ADDRESS}" if constant or terms else "{0}"
    return bind(total, (instr.args[0], *slots), const, extra=(*scales, constant))


def _term(place: int, bits: int) -> str:
    """The text of one scaled index; below 64 bits it is sign-extended, beyond the sum is cut off anyway."""
    index = f"{{{{{place}}}}}"
    if bits < 64:
        index = f"(({index} ^ {1 << bits - 1}) - {1 << bits - 1})"
    return f"{index} * {{scale}}"


def _step(t: Type, fixed: int | None) -> tuple[int | tuple[int, ...], Type]:
    """The scale of an index into the type (a struct's: its offsets) and the type it leads to."""
    if t.kind is Kind.STRUCT:
        if fixed is None or not 0 <= fixed < len(t.elems):
            raise SemanticsError("a struct field is chosen by an index that is no constant")
        return struct_layout(t)[0], t.elems[fixed]
    if t.kind in (Kind.ARRAY, Kind.VECTOR):
        return alloc_size(t.elem), t.elem
    raise SemanticsError(f"getelementptr into a type without elements: {t.kind.value}")


def _scalar(value: Value) -> int:
    """The value, which must be an int."""
    if isinstance(value, tuple):
        raise SemanticsError("getelementptr on vectors of pointers is not supported")
    return value


def _insert(aggregate: Any, element: Any, indices: Sequence[int]) -> Any:
    """The aggregate with the element at the path of indices replaced."""
    parents = [aggregate]
    for index in indices[:-1]:
        parents.append(parents[-1][index])
    for parent, index in zip(reversed(parents), reversed(indices), strict=True):
        element = (*parent[:index], element, *parent[index + 1 :])
    return element


def compile_extractvalue(instr: Instr, const: ConstOf) -> Closure:
    """The closure of extractvalue."""
    path = "".join(f"[{int(index)}]" for index in instr.detail)
    return bind("{0}" + path, instr.args, const)


def compile_insertvalue(instr: Instr, const: ConstOf) -> Closure:
    """The closure of insertvalue."""
    return bind("f({0}, {1}, {2})", instr.args, const, _insert, (tuple(instr.detail),))


def compile_extractelement(instr: Instr, const: ConstOf) -> Closure:
    """The closure of extractelement; an index outside of the vector is poison and gives 0."""
    return bind(f"{{0}}[{{1}}] if {{1}} < {instr.detail.count} else 0", instr.args, const)


def compile_insertelement(instr: Instr, const: ConstOf) -> Closure:
    """The closure of insertelement; an index outside of the vector is poison and changes nothing."""
    return bind(f"f({{0}}, {{1}}, ({{2}},)) if {{2}} < {instr.detail.count} else {{0}}", instr.args, const, _insert)


def compile_shufflevector(instr: Instr, const: ConstOf) -> Closure:
    """The closure of shufflevector; poison elements of the mask give 0."""
    source, mask = instr.detail
    zero = zero_value(source.elem)
    places = tuple(2 * source.count if m is None or m < 0 else m for m in _mask(mask, instr.type.count))

    def shuffle(x: tuple[Value, ...], y: tuple[Value, ...]) -> Value:
        both = (*x, *y, zero)
        return tuple(both[place] for place in places)

    return bind("f({0}, {1})", instr.args[:2], const, shuffle)


def undefined_elements(instr: Instr) -> tuple[int, ...]:
    """The elements of a shufflevector's result that its mask or its operands leave open."""
    source, mask = instr.detail
    is_open = [isinstance(a, Const) and a.kind == "undef" for a in instr.args[:2]]
    places = enumerate(_mask(mask, instr.type.count))
    return tuple(k for k, m in places if m is None or m < 0 or is_open[m >= source.count])


def _mask(mask: Any, count: int) -> Sequence[int | None]:
    """The elements of a mask, given as a constant vector or as ints; None where it is undefined."""
    if not isinstance(mask, Const):
        return [None if element is None else int(element) for element in mask]
    if mask.kind == "agg":
        return [element.value if element.kind == "int" else None for element in mask.value]
    return [0 if mask.kind == "zero" else None] * count
