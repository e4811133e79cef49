"""The output that was wanted, as a property of the number, character or text that was printed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from butfor.failures.failure_point import FailurePoint, Printed
from butfor.ir.instructions import Operand
from butfor.ir.machine_types import Kind, Type
from butfor.logic.terms import FALSE, Term, const, disjunction, equal, extract, negate
from butfor.path.lift.byte_origins import ReadByte
from butfor.path.lift.register_terms import UNDETERMINED
from butfor.trace.trace import Node, Trace

_DECIMAL = re.compile(rb"\s*([-+]?\d+)")
_HEXADECIMAL = re.compile(rb"\s*((?:0[xX])?[0-9a-fA-F]+)")
OTHER_TEXT = "what text another pointer would lead to is not known"


@dataclass(frozen=True, slots=True)
class WantedOutput:
    """An operand, bytes that were read, and what they should have been; `approximate` says what this leaves out."""

    operands: tuple[tuple[int, Operand], ...]
    bytes: tuple[ReadByte, ...]
    goals: tuple[Goal, ...]
    approximate: tuple[str, ...] = ()

    def build(self, terms: list[Term]) -> Term:
        """The property of the terms of the operands and the bytes: one of them is as it should be."""
        return disjunction(goal.met(term) for goal, term in zip(self.goals, terms, strict=True))


@dataclass(frozen=True, slots=True)
class Goal:
    """Values of which a term should have one, in its lowest bits; or any but one."""

    values: tuple[int, ...]
    bits: int = 0  # 0 for all
    but: int | None = None

    def met(self, term: Term) -> Term:
        """That a term has such a value."""
        if self.but is not None:
            return negate(equal(term, const(self.but, term.width)))
        low = extract(term, 0, self.bits) if 0 < self.bits < term.width else term
        return disjunction(equal(low, const(v, low.width)) for v in self.values) if self.values else FALSE


def wanted_output(trace: Trace, point: FailurePoint, node: Node) -> WantedOutput | None:
    """What should have been printed by a call; None where that is not known."""
    printed = point.printed
    instr = trace.instr(node)
    if printed is None or instr.op != "call" or (printed.argument or 0) >= len(instr.args):
        return None
    if printed.argument is None:
        early = _ended_early(trace, point)
        return WantedOutput((), tuple(early), (_byte_goal(printed),) * len(early)) if early else None
    op = instr.args[printed.argument]
    kind = instr.detail.arg_types[printed.argument]
    if kind.kind is Kind.PTR:
        return _text(trace, point, printed, node, op)
    if kind.kind is not Kind.INT or not isinstance(op, int):
        return None
    goal = _number(trace, printed, node[0], op, kind)
    if goal is None:
        return None
    early = _ended_early(trace, point)
    return WantedOutput(((node[0], op),), tuple(early), (goal, *(_byte_goal(printed),) * len(early)))


def _number(trace: Trace, printed: Printed, i: int, op: int, kind: Type) -> Goal | None:
    """The expected number or character; a goal without values where none would be printed like that."""
    try:
        value = int(trace.operand(i, op))
    except UNDETERMINED:
        return None
    if len(printed.text) == 1 and value & 0xFF == printed.text[0]:
        return Goal(() if printed.wanted is None else (printed.wanted,), 8)
    readings = {value, value - (1 << kind.bits)}
    for pattern, base in ((_DECIMAL, 10), (_HEXADECIMAL, 16)):
        shown = pattern.fullmatch(printed.text)
        if shown is not None and int(shown[1], base) in readings:
            expected = pattern.match(printed.expected)
            return Goal(()) if expected is None else Goal((int(expected[1], base),))
    return None


def _byte_goal(printed: Printed) -> Goal:
    return Goal(() if printed.wanted is None else (printed.wanted,))


def _text(trace: Trace, point: FailurePoint, printed: Printed, node: Node, op: Operand) -> WantedOutput | None:
    """The expected byte of a text, or the end of the text where that would put what follows in the right place."""
    if not point.wrong_text_bytes:
        return None
    (event, at), *_ = point.wrong_text_bytes
    start = int(trace.log.event[event]["addr"])
    byte = ReadByte(event, at, start + at, printed.text[printed.at])
    values = () if printed.wanted is None else (printed.wanted,)
    if printed.after[:1] == printed.expected[printed.at : printed.at + 1]:
        values = (*values, 0)
    early = _ended_early(trace, point)[1:]
    operands: tuple[tuple[int, Operand], ...] = ()
    goals = [Goal(values), *(_byte_goal(printed) for _ in early)]
    if isinstance(op, int):
        try:
            goals.insert(0, Goal((), but=int(trace.operand(node[0], op))))
            operands = ((node[0], op),)
        except UNDETERMINED:
            pass
    return WantedOutput(operands, (byte, *early), tuple(goals), (OTHER_TEXT,) if operands else ())


def _ended_early(trace: Trace, point: FailurePoint) -> list[ReadByte]:
    """The bytes that end texts too early: with another byte there, more of the text would have been printed."""
    return [ReadByte(event, at, int(trace.log.event[event]["addr"]) + at, None) for event, at in point.wrong_text_bytes]
