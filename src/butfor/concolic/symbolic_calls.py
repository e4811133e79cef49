"""Calls of the run: what goes into functions of the program and of the library, and how their results depend on the input."""

from __future__ import annotations

from typing import Any

from butfor.concolic import external_effects, symbolic_addresses, symbolic_decisions
from butfor.concolic.library_models import model_table
from butfor.concolic.library_models.library_call import Call
from butfor.concolic.library_models.number_models import intrinsic_term
from butfor.concolic.shadow_state import UNKNOWN, Frame, Shadow
from butfor.encode.instance_values import Gap, flat
from butfor.ir.instructions import Instr
from butfor.ir.machine_types import store_size
from butfor.ir.recording_segments import SETJMP
from butfor.logic.byte_simplify import simpler
from butfor.logic.terms import TermError
from butfor.trace.log.record_layout import NO_SITE
from butfor.trace.log.static_segments import StaticSegment
from butfor.trace.semantics.instruction_semantics import from_bytes, intrinsic


def call(shadow: Shadow, i: int, s: StaticSegment, f: Frame, instr: Instr) -> None:
    """A call, as far as something happens before the callee runs."""
    kind = s.layout.kinds[instr.index]
    given = instr.args[: len(instr.detail.arg_types)]
    if kind in ("internal", "indirect", "external"):
        name = instr.detail.callee
        values = [shadow.concrete(f, a) for a in given]
        terms = [f.term(a) for a in given]
        if kind == "indirect":
            target = shadow.trace.indirect_target((i, instr.index))
            symbolic_decisions.chosen_function(shadow, f, instr, target)
            name = shadow.trace.function_at(target)
        shadow.args = (name, values, terms)
        if kind == "external" and name is not None:
            f.call = Call(
                name, tuple(None if v is UNKNOWN else v for v in values), tuple(terms), f.fn.name, instr.index
            )
            model_table.before(shadow, f.call)
    elif kind == "memory":
        _memory(shadow, i, f, instr)
    elif kind == "pure":
        _pure(shadow, f, instr)
    elif kind in ("opaque", "asm") and instr.slot >= 0:
        f.set(
            instr.slot,
            from_bytes(shadow.trace.logged_bytes(i, s.offsets[instr.index].words, instr.type), instr.type),
            None,
        )


def _memory(shadow: Shadow, i: int, f: Frame, instr: Instr) -> None:
    """A copy or fill that the compiler put in."""
    given = instr.args[: len(instr.detail.arg_types)]
    is_fill = "memset" in instr.detail.callee
    if len(given) > 2 and f.term(given[2]) is not None:
        places = tuple(shadow.concrete(f, a) for a in given[:3])
        symbolic_addresses.long_copy(shadow, f.fn.name, instr.index, places, shadow.operand(f, given[2]), not is_fill)
    byte: Any = shadow.concrete(f, given[1]) if is_fill else UNKNOWN
    external_effects.apply(shadow, i, instr.index, None if byte is UNKNOWN else byte)


def _pure(shadow: Shadow, f: Frame, instr: Instr) -> None:
    """An intrinsic that only computes."""
    name, given = instr.detail.callee, instr.args[: len(instr.detail.arg_types)]
    fn = intrinsic(name, instr.detail.arg_types, instr.type)
    values = [shadow.concrete(f, a) for a in given]
    if fn is None or any(v is UNKNOWN for v in values):
        f.set(instr.slot, UNKNOWN, None)
        return
    value = fn(*values)
    term = None
    if any(f.term(a) is not None for a in given):
        try:
            term = intrinsic_term(name, [shadow.operand(f, a) for a in given])
            term = None if term is None else shadow.checked(term, flat(value, instr.type))
        except (TermError, Gap):
            term = None
        if term is None:
            shadow.gaps.add(f"the operation {name}")
    f.set(instr.slot, value, term)


def after_call(shadow: Shadow, i: int, s: StaticSegment, f: Frame, words: int) -> None:
    """The result of the call before segment i, and what it did to memory; `words` is where the segment's words begin."""
    instr = s.fn.instrs[s.seg.start - 1]
    kind = s.layout.kinds[instr.index]
    (returned, term), shadow.returned = shadow.returned, (UNKNOWN, None)
    shadow.args = None
    before = shadow.log.previous_in_frame(i)
    external_effects.apply(shadow, before, NO_SITE, model_table.filled_with(f.call))
    value: Any = None
    if instr.slot >= 0:
        if kind == "internal":
            f.set(instr.slot, returned, term)
            return
        at = words + (1 if s.seg.flags & SETJMP else 0)
        count = (store_size(instr.type) + 7) // 8
        if at + count > len(shadow.log.word):
            f.set(instr.slot, UNKNOWN, None)
            return
        value = from_bytes(shadow.log.word[at : at + count].tobytes()[: store_size(instr.type)], instr.type)
        f.set(instr.slot, value, term if kind == "indirect" and returned == value else None)
    if kind == "external" and f.call is not None and f.call.index == instr.index:
        done, f.call = f.call, None
        result = model_table.after(shadow, done, value, instr.type, external_effects.taken_by(shadow, before))
        if instr.slot >= 0 and result is not None:
            try:
                result = shadow.checked(simpler(result), flat(value, instr.type))
            except (TermError, Gap):
                result = None
            f.set(instr.slot, value, result)
