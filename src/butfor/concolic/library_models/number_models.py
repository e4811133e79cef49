"""Models of functions and intrinsics that parse numbers or compute with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from butfor.concolic.library_models.input_tokens import InputToken, number_of
from butfor.concolic.path_condition import InputEdit
from butfor.concolic.search_inputs import InputField, Splice
from butfor.concolic.shadow_state import ConsumedInput, LibraryCall, Shadow
from butfor.ir.machine_types import Kind, Type
from butfor.libc.record import SearchModel
from butfor.logic.terms import Term, binary, compare, const, ite

_MAX_PROPOSED_REALS = 40  # each is one run


def number(shadow: Shadow, call: LibraryCall, value: Any, result: Type, taken: Sequence[ConsumedInput]) -> Term | None:
    """The result of atoi, strtol and the like: a field of the input."""
    base = call.args[2] if len(call.args) > 2 else 10
    if base not in (0, 10) or result.kind is not Kind.INT:
        shadow.gaps.add(f"the function {call.name}()")
        return None
    found = number_of(shadow, call.args[0])
    if found is None:
        return None
    if found.is_empty:
        shadow.edit(InputEdit(("number", *call.site), (Splice(found.place, found.start, found.end, b"1"),)))
    shadow.gaps.add("texts that are no numbers")
    is_signed = call.is_known_as(SearchModel.SIGNED_NUMBER)
    return shadow.field(InputField("number", found.place, found.start, found.end, result.bits, is_signed), value)


def real(shadow: Shadow, call: LibraryCall, value: Any, result: Type, taken: Sequence[ConsumedInput]) -> Term | None:
    """No term; propose numbers of the program, and others near them, for atof and strtod."""
    shadow.gaps.add("floating point")
    found = number_of(shadow, call.args[0])
    if found is not None:
        propose_reals(shadow, call.site, found)
    return None


def propose_reals(shadow: Shadow, site: tuple[str, int], found: InputToken) -> None:
    """Propose constants of the program, and numbers near them, in place of a number."""
    numbers = dict.fromkeys(
        n + d for n in (*shadow.facts.real_numbers, 0.0, 100.0) for d in (0.0, 0.5, -0.5, 1.0, -1.0)
    )
    for n in (*list(numbers)[:_MAX_PROPOSED_REALS], -1e9, 1e9):
        shadow.edit(
            InputEdit(
                ("real", *site, found.start, n), (Splice(found.place, found.start, found.end, f"{n:.10g}".encode()),)
            )
        )


def absolute(
    shadow: Shadow, call: LibraryCall, value: Any, result: Type, taken: Sequence[ConsumedInput]
) -> Term | None:
    """The result of abs and the like."""
    x = call.terms[0]
    return None if x is None else _absolute(x)


def intrinsic_term(name: str, args: Sequence[Term]) -> Term | None:
    """The result of an LLVM intrinsic; None for one without a model."""
    x = args[0]
    if name.startswith("llvm.abs."):
        return _absolute(x)
    for part, op, is_first in (
        ("smax", "slt", False),
        ("smin", "slt", True),
        ("umax", "ult", False),
        ("umin", "ult", True),
    ):
        if name.startswith(f"llvm.{part}."):
            y = args[1]
            return ite(compare(op, x, y), x if is_first else y, y if is_first else x)
    return x if name.startswith("llvm.expect.") else None


def _absolute(x: Term) -> Term:
    return ite(compare("slt", x, const(0, x.width)), binary("sub", const(0, x.width), x), x)
