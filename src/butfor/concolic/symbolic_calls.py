"""Calls of the run: their arguments, how results depend on the input, and their effects on memory."""

from __future__ import annotations

from typing import Any

from butfor.concolic import symbolic_addresses, symbolic_decisions
from butfor.concolic.library_models import model_table
from butfor.concolic.library_models.number_models import intrinsic_term
from butfor.concolic.search_inputs import STDIN
from butfor.concolic.shadow_state import UNKNOWN, ConsumedInput, LibraryCall, Shadow, ShadowFrame
from butfor.encode.instance_values import Gap, flat
from butfor.ir.instructions import Instr
from butfor.ir.machine_types import store_size
from butfor.ir.recording_segments import SETJMP
from butfor.logic.byte_rules import simplified
from butfor.logic.terms import TermError
from butfor.trace.log.record_layout import NO_SITE, EventKind
from butfor.trace.log.static_segments import StaticSegment
from butfor.trace.semantics.instruction_semantics import from_bytes, intrinsic

_MAX_FILL_BYTES = 1 << 20  # of which every byte is remembered; larger areas are forgotten instead


def call(shadow: Shadow, i: int, s: StaticSegment, f: ShadowFrame, instr: Instr) -> None:
    """Follow a call up to the start of the callee."""
    kind = s.layout.kinds[instr.index]
    given = instr.args[: len(instr.detail.arg_types)]
    if kind in ("internal", "indirect", "external"):
        name = instr.callee
        values = [shadow.concrete(f, a) for a in given]
        terms = [f.term(a) for a in given]
        if kind == "indirect":
            target = shadow.trace.indirect_target((i, instr.index))
            symbolic_decisions.chosen_function(shadow, f, instr, target)
            name = shadow.trace.function_at(target)
        shadow.args = (name, values, terms)
        if kind == "external" and name is not None:
            f.call = LibraryCall(
                name, tuple(None if v is UNKNOWN else v for v in values), tuple(terms), f.fn.name, instr.index
            )
            model_table.before(shadow, f.call)
    elif kind == "memory":
        _memory_intrinsic(shadow, i, f, instr)
    elif kind == "pure":
        _pure_intrinsic(shadow, f, instr)
    elif kind in ("opaque", "asm") and instr.slot >= 0:
        f.set(
            instr.slot,
            from_bytes(shadow.trace.logged_bytes(i, s.offsets[instr.index].words, instr.type), instr.type),
            None,
        )


def _memory_intrinsic(shadow: Shadow, i: int, f: ShadowFrame, instr: Instr) -> None:
    """Follow a copy or fill that the compiler put in."""
    given = instr.args[: len(instr.detail.arg_types)]
    is_fill = "memset" in instr.detail.callee
    if len(given) > 2 and f.term(given[2]) is not None:
        places = tuple(shadow.concrete(f, a) for a in given[:3])
        symbolic_addresses.long_copy(shadow, f.fn.name, instr.index, places, shadow.operand(f, given[2]), not is_fill)
    byte: Any = shadow.concrete(f, given[1]) if is_fill else UNKNOWN
    apply_memory_effects(shadow, i, instr.index, None if byte is UNKNOWN else byte)


def _pure_intrinsic(shadow: Shadow, f: ShadowFrame, instr: Instr) -> None:
    """Follow an intrinsic that only computes."""
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


def after_call(shadow: Shadow, i: int, s: StaticSegment, f: ShadowFrame, words: int) -> None:
    """Follow the return of the call before segment i, whose logged words begin at `words`."""
    instr = s.fn.instrs[s.seg.start - 1]
    kind = s.layout.kinds[instr.index]
    (returned, term), shadow.returned = shadow.returned, (UNKNOWN, None)
    shadow.args = None
    before = shadow.log.previous_in_frame(i)
    apply_memory_effects(shadow, before, NO_SITE, model_table.filled_with(f.call))
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
        result = model_table.after(shadow, done, value, instr.type, input_taken_by(shadow, before))
        if instr.slot >= 0 and result is not None:
            try:
                result = shadow.checked(simplified(result), flat(value, instr.type))
            except (TermError, Gap):
                result = None
            f.set(instr.slot, value, result)


def input_taken_by(shadow: Shadow, i: int) -> list[ConsumedInput]:
    """What the call at the end of segment i read from outside."""
    rows = (shadow.log.event[k] for k in shadow.log.events_of(i))
    return [
        ConsumedInput(int(e["addr"]), int(e["len"]), int(e["stream"]), int(e["addr2"]))
        for e in rows
        if int(e["kind"]) == EventKind.INPUT
    ]


def apply_memory_effects(shadow: Shadow, i: int, site: int, fill: int | None = None) -> None:
    """Apply the effects of segment i on memory at a site; those of library calls have none.

    `fill` is the byte that a call like memset fills with.
    """
    for k in shadow.log.events_of(i):
        e = shadow.log.event[k]
        if int(e["site"]) != site:
            continue
        kind, address, length = int(e["kind"]), int(e["addr"]), int(e["len"])
        if (i, address) in shadow.copied:
            continue
        if kind == EventKind.COPY:
            shadow.memory.copy(address, int(e["addr2"]), length)
        elif kind == EventKind.INPUT and address:
            _store_input(shadow, address, length, int(e["stream"]), int(e["addr2"]))
        elif kind == EventKind.WRITE and length == 1:
            shadow.memory.write(address, b"\0")  # the terminators of fgets, strtok and the like
        elif kind == EventKind.FILL and fill is not None and length < _MAX_FILL_BYTES:
            shadow.memory.write(address, bytes([fill & 255]) * length)
        elif kind in (EventKind.WRITE, EventKind.FILL, EventKind.INPUT):
            shadow.memory.forget(address, length)
        elif kind == EventKind.BIRTH:
            shadow.memory.write(address, bytes(length))


def _store_input(shadow: Shadow, address: int, length: int, stream: int, offset: int) -> None:
    """Store bytes that came from a stream: those of standard input are variables."""
    shadow.memory.forget(address, length)
    data = shadow.given.stdin[offset : offset + length]
    if stream != STDIN or offset < 0 or len(data) != length:
        return
    shadow.reads.add("stdin")
    for k, value in enumerate(data):
        shadow.memory.write(address + k, bytes([value]), shadow.variable(f"s{offset + k}", 8, value))
