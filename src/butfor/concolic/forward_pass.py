"""The forward pass: symbolic execution along a recorded run, which gives its path condition.

It replays the run with the recorded values at hand and keeps a term for every value that depends on the input. Every
branch on such a value is a decision.
"""

from __future__ import annotations

from typing import Any

from butfor.concolic import symbolic_accesses, symbolic_calls, symbolic_decisions
from butfor.concolic.path_condition import PathCondition
from butfor.concolic.program_facts import ProgramFacts
from butfor.concolic.search_inputs import ProgramInput
from butfor.concolic.shadow_state import UNKNOWN, Shadow, ShadowFrame
from butfor.concolic.symbolic_arguments import bind_main_parameters, write_argument_texts
from butfor.encode.instance_values import Gap, flat
from butfor.encode.instruction_terms import term_of
from butfor.ir.instructions import Instr
from butfor.ir.machine_types import Kind
from butfor.ir.recording_segments import AFTER, ENTRY, RET
from butfor.logic.byte_rules import simplified
from butfor.logic.terms import Term, TermError, binary
from butfor.trace.log.record_layout import NO_FRAME
from butfor.trace.log.static_segments import LogCursor, StaticSegment
from butfor.trace.recording import Recording
from butfor.trace.semantics.instruction_semantics import SemanticsError, compile_instr
from butfor.trace.trace import UnknownValue

_MAX_FOLLOWED_SEGMENTS = 100_000  # bounds the time of one pass
_MAX_DECISIONS = 4000  # bounds the conditions that a solver gets
_INTEGER_ARITHMETIC = frozenset("mul udiv sdiv urem srem".split())


def path_condition(recording: Recording, given: ProgramInput, facts: ProgramFacts) -> PathCondition:
    """The path condition of the run with this input."""
    shadow = Shadow(recording, given, facts)
    write_argument_texts(shadow)
    log = shadow.log
    count = min(len(log), _MAX_FOLLOWED_SEGMENTS)
    if count < len(log):
        shadow.gaps.add("the end of a long run")
    for i in range(count):
        s = shadow.trace.at(i)
        try:
            _follow_segment(shadow, i, s, _frame_of_segment(shadow, i, s), i == len(log) - 1)
        except (UnknownValue, SemanticsError, TermError, Gap):
            shadow.gaps.add("the end of a run that stopped in the middle of something")
            break
        if len(shadow.decisions) >= _MAX_DECISIONS:
            shadow.gaps.add("a path with very many decisions")
            break
    return shadow.path()


# --- frames


def _frame_of_segment(shadow: Shadow, i: int, s: StaticSegment) -> ShadowFrame:
    """The frame that segment i belongs to, a new one if it enters a function."""
    number = shadow.log.frame_of(i)
    f = shadow.frames.get(number)
    if s.seg.flags & ENTRY or f is None:
        base = int(shadow.log.frame["base"][number])
        f = ShadowFrame(s.fn, base)
        shadow.frames[number] = f
        shadow.memory.forget(base, s.layout.frame_size)
        _bind_parameters(shadow, i, f, number)
    if s.seg.start == s.fn.blocks[s.seg.block].start:
        f.came_from, f.block = f.block, s.seg.block
    return f


def _bind_parameters(shadow: Shadow, i: int, f: ShadowFrame, number: int) -> None:
    """Give a new frame its parameters."""
    args, shadow.args = shadow.args, None
    for k in range(len(f.fn.params)):
        f.regs[k] = UNKNOWN
    if int(shadow.log.frame["parent"][number]) == NO_FRAME:
        if f.fn.name == "main":
            bind_main_parameters(shadow, f)
    elif args is not None and args[0] == f.fn.name:
        for k in range(min(len(f.fn.params), len(args[1]))):
            f.set(k, args[1][k], args[2][k])
    for k, size in enumerate(f.fn.byval):
        if size:
            source, copy = f.regs[k], shadow.trace.byval_address(i, k)
            f.set(k, copy, None)
            shadow.copied.add((int(shadow.log.frame["caller"][number]), copy))
            if source is not UNKNOWN:
                shadow.memory.copy(copy, source, size)


# --- instructions


def _follow_segment(shadow: Shadow, i: int, s: StaticSegment, f: ShadowFrame, is_last: bool) -> None:
    seg, log = s.seg, shadow.log
    loads, stores, size, addresses, words = log.counts_before(i)
    if seg.flags & AFTER:
        symbolic_calls.after_call(shadow, i, s, f, words)
    at = LogCursor(loads, stores, size, addresses)
    instrs = s.fn.instrs
    if seg.start == s.fn.blocks[seg.block].start:
        _follow_phis(shadow, s, f)
    for n in range(seg.start, seg.end):
        if is_last and at.is_past_end(log, s, n):
            return
        _follow_instruction(shadow, i, s, f, instrs[n], at)
    if seg.flags & RET:
        last = s.last
        shadow.returned = (shadow.concrete(f, last.args[0]), f.term(last.args[0])) if last.args else (UNKNOWN, None)
        shadow.frames.pop(log.frame_of(i), None)


def _follow_phis(shadow: Shadow, s: StaticSegment, f: ShadowFrame) -> None:
    new = []
    for n in range(s.seg.start, s.seg.end):
        instr = s.fn.instrs[n]
        if instr.op != "phi":
            break
        if f.came_from in instr.detail:
            chosen = instr.args[instr.detail.index(f.came_from)]
            new.append((instr.slot, shadow.concrete(f, chosen), f.term(chosen)))
    for slot, value, term in new:
        f.set(slot, value, term)


def _follow_instruction(shadow: Shadow, i: int, s: StaticSegment, f: ShadowFrame, instr: Instr, at: LogCursor) -> None:
    match instr.op:
        case "phi" | "unreachable" | "fence" | "indirectbr" | "ret":
            return
        case "alloca":
            if instr.slot in s.layout.frame:
                f.regs[instr.slot] = f.base + s.layout.frame[instr.slot]
            else:
                f.regs[instr.slot] = int(
                    shadow.log.word[shadow.log.counts_before(i).words + s.offsets[instr.index].words]
                )
        case "load":
            symbolic_accesses.load(shadow, s, f, instr, at)
        case "store":
            symbolic_accesses.store(shadow, s, f, instr, at)
        case "atomicrmw" | "cmpxchg":
            symbolic_accesses.atomic(shadow, s, f, instr, at)
        case "br" | "switch":
            if instr.args:
                symbolic_decisions.branch(shadow, f, instr)
        case "call":
            symbolic_calls.call(shadow, i, s, f, instr)
        case _:
            _follow_computation(shadow, f, instr)


def _follow_computation(shadow: Shadow, f: ShadowFrame, instr: Instr) -> None:
    regs, is_open = f.regs, False
    for a in instr.args:
        if isinstance(a, int):
            if regs.get(a, UNKNOWN) is UNKNOWN:
                f.set(instr.slot, UNKNOWN, None)
                return
            is_open = is_open or a in f.terms
    closure = shadow.facts.closures.get(id(instr))
    if closure is None:
        closure = shadow.facts.closures[id(instr)] = compile_instr(instr, shadow.trace.constant)
    if is_open and instr.op in ("sdiv", "udiv", "srem", "urem"):
        symbolic_decisions.division(shadow, f, instr)
    elif is_open and shadow.facts.looks_for_arithmetic_errors and instr.type.kind is Kind.INT:
        symbolic_decisions.arithmetic(shadow, f, instr)
    try:
        value = closure(regs)  # type: ignore[arg-type]  # reads by slot only, which a dict serves as well as a list
    except SemanticsError:
        f.set(instr.slot, UNKNOWN, None)
        return
    f.set(instr.slot, value, _result_term(shadow, f, instr, value) if is_open else None)


def _result_term(shadow: Shadow, f: ShadowFrame, instr: Instr, value: Any) -> Term | None:
    """The term of a computation's result, None where it cannot be followed."""
    try:
        args = [shadow.operand(f, a) for a in instr.args]
        term = term_of(instr, args, f.fn.operand_type(instr.args[0]))
        if term is None and instr.op in _INTEGER_ARITHMETIC and instr.type.kind is Kind.INT and instr.type.bits <= 64:
            term = binary(instr.op, args[0], args[1])
        if term is None:
            shadow.gaps.add("floating point" if "f" in instr.op else f"the operation {instr.op}")
            return None
        return shadow.checked(simplified(term), flat(value, instr.type))
    except (TermError, Gap):
        return None
