"""When two images of a value are the same as far as the language says: padding, NaNs and undefined elements may differ."""

from __future__ import annotations

from typing import Any

from butfor.ir.instructions import Function, Instr
from butfor.ir.machine_types import Kind, Type
from butfor.trace.semantics.aggregates import undefined_elements
from butfor.trace.semantics.instruction_semantics import from_bytes, to_bytes
from butfor.trace.semantics.softfloat import float_format, is_nan


def same_but_open(mine: bytes, recorded: bytes, t: Type) -> bool:
    """Whether two images of a value differ only in what the language leaves open: padding, and the sign and payload of a NaN."""
    if t.kind is Kind.FLOAT:
        fmt = float_format(t.bits)
        return all(is_nan(fmt, int.from_bytes(x, "little")) for x in (mine, recorded))
    if t.kind is Kind.VECTOR and t.elem.kind is Kind.FLOAT:
        step = t.elem.bits // 8
        parts = [(mine[k : k + step], recorded[k : k + step]) for k in range(0, len(mine), step)]
        return all(a == b or same_but_open(a, b, t.elem) for a, b in parts)
    return t.is_aggregate and to_bytes(from_bytes(recorded, t), t) == mine


def same_but_undefined(fn: Function, store: Instr, value: Any, recorded: bytes) -> bool:
    """Whether a stored vector differs only in elements that were never defined."""
    source = store.args[0]
    if store.op != "store" or not isinstance(source, int) or fn.definer[source] < 0:
        return False
    shuffle = fn.instrs[fn.definer[source]]
    if shuffle.op != "shufflevector":
        return False
    unknown = undefined_elements(shuffle)
    pairs = zip(value, from_bytes(recorded, store.detail), strict=True)  # type: ignore[arg-type]  # a vector's value is a tuple
    return all(a == b or k in unknown for k, (a, b) in enumerate(pairs))
