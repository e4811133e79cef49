"""Loads and stores of the run, with the terms of what they load and store."""

from __future__ import annotations

from butfor.concolic import symbolic_addresses
from butfor.concolic.library_models.character_models import table_entry
from butfor.concolic.shadow_state import UNKNOWN, Shadow, ShadowFrame
from butfor.concolic.symbolic_arguments import loaded_argv_pointer
from butfor.encode.instance_values import Gap, bits_of, flat
from butfor.ir.instructions import Instr
from butfor.logic.byte_rules import simple_extract, simplified
from butfor.logic.terms import Term, TermError, resize
from butfor.trace.log.static_segments import LogCursor, StaticSegment
from butfor.trace.semantics.instruction_semantics import from_bytes


def load(shadow: Shadow, s: StaticSegment, f: ShadowFrame, instr: Instr, at: LogCursor) -> None:
    """Follow a load: its term is that of the bytes, or a choice between all that its address may select."""
    data = _loaded_bytes(shadow, s, instr, at)
    address = shadow.concrete(f, instr.args[0])
    value = from_bytes(data, instr.type)
    term = None
    if address is not UNKNOWN:
        pointer = f.term(instr.args[0])
        if pointer is not None:
            term = table_entry(shadow, pointer, address, len(data)) or symbolic_addresses.symbolic_load(
                shadow, f, instr, pointer, address, data
            )
        if term is None:
            term = loaded_argv_pointer(shadow, address, value) or shadow.memory.loaded(address, data)
        if term is not None:
            try:
                term = shadow.checked(simplified(_truncated(term, bits_of(instr.type))), flat(value, instr.type))
            except (TermError, Gap):
                term = None
        else:
            if shadow.memory.known.read(address, len(data)) != data:
                shadow.memory.known.write(address, data)
            if address in shadow.table_pointers:
                shadow.tables[shadow.table_pointers[address]] = int.from_bytes(data, "little")
    f.set(instr.slot, value, term)


def _loaded_bytes(shadow: Shadow, s: StaticSegment, instr: Instr, at: LogCursor) -> bytes:
    parts = []
    for size in s.layout.effects[instr.index].loads:
        parts.append(shadow.trace.written_bytes(shadow.log.writer(at.load, at.store), size))
        at.load += 1
    return b"".join(parts)


def store(shadow: Shadow, s: StaticSegment, f: ShadowFrame, instr: Instr, at: LogCursor) -> None:
    """Follow a store, to one place or to all that its address may select."""
    effects = s.layout.effects[instr.index]
    total = sum(effects.stores)
    data = shadow.log.value[at.byte : at.byte + total].tobytes()
    address = shadow.concrete(f, instr.args[1])
    if effects.address:
        address = int(shadow.log.address[at.address])
        at.address += 1
    at.store += len(effects.stores)
    at.byte += total
    if address is UNKNOWN:
        return
    term = f.term(instr.args[0])
    if term is not None and term.width != 8 * total:
        term = _widened(term, 8 * total)
    pointer = f.term(instr.args[1])
    if pointer is not None:
        symbolic_addresses.symbolic_store(shadow, f, instr, pointer, address, data, term)
    else:
        shadow.memory.write(address, data, term)


def atomic(shadow: Shadow, s: StaticSegment, f: ShadowFrame, instr: Instr, at: LogCursor) -> None:
    """Replay an atomic read-modify-write, without terms."""
    t = instr.detail[1] if instr.op == "atomicrmw" else instr.detail
    data = _loaded_bytes(shadow, s, instr, at)
    old = from_bytes(data, t)
    if instr.op == "atomicrmw":
        f.set(instr.slot, old, None)
    else:
        f.set(instr.slot, (old, int(old == shadow.concrete(f, instr.args[1]))), None)
    effects = s.layout.effects[instr.index]
    total = sum(effects.stores)
    shadow.memory.write(int(shadow.log.address[at.address]), shadow.log.value[at.byte : at.byte + total].tobytes())
    at.address += 1
    at.store += len(effects.stores)
    at.byte += total


def _truncated(term: Term, width: int) -> Term:
    return simple_extract(term, 0, width) if term.width > width else term


def _widened(term: Term, width: int) -> Term | None:
    return resize(term, width) if term.width < width else None
