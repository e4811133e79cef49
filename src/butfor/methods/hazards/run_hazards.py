"""Hazards of a run besides its failure: bad accesses, uninitialised values, overflows.

None of them need be what made the run fail, but each is a mistake by itself, and a run that has one and fails often
fails because of it. The edit may belong to the statement or to the declaration of the variable: too few elements, no
initial value, a type that is too small.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from butfor.failures.failure_point import FailurePoint
from butfor.failures.memory_errors import errors_with_objects
from butfor.failures.uninitialised_reads import MAX_SECONDS, UninitialisedUse, uninitialised_use
from butfor.ir.debug_types import Variable
from butfor.ir.instructions import Function, Instr
from butfor.methods.case import FailingRun
from butfor.methods.hazards.missed_bounds import missed_bounds
from butfor.methods.hazards.misused_pointers import misused_pointers
from butfor.ranking.finding import Diagnosis, Finding
from butfor.trace.log.record_layout import ObjectKind
from butfor.trace.semantics.integers import signed
from butfor.trace.trace import Node, UnknownValue
from butfor.trace.view.object_parts import array_member
from butfor.trace.view.run_objects import RunObject
from butfor.trace.view.source_places import Place

_NAME = re.compile(r"[A-Za-z_]\w*")
_CUT = (
    f"uninitialised values were followed through the run for {MAX_SECONDS:g} seconds: whether one is used later is not "
    "known"
)
MAX_SLICE_INSTANCES = 20_000  # the nearest ones, that are checked for overflow: each takes a lookup of its operands
MAX_HAZARDS = 12  # that are reported; a run that has more has one mistake that shows many times
_SIGN_OF_OP = {"add": "+", "sub": "-", "mul": "*"}
_BITS = (8, 16, 32, 64)
# how often a hazard of a kind is the fault of the run
_SCORES = {
    "copied": 0.9,
    "size": 0.9,
    "uninitialised": 0.9,
    "passed": 0.9,
    "known": 0.8,
    "limit": 0.8,
    "checked": 0.7,
    "freed": 0.7,
    "type": 0.7,
    "untested": 0.7,
    "access": 0.6,
    "overflow": 0.6,
    "unchecked": 0.6,
    "guard": 0.6,
    "kept": 0.6,
    "cut": 0.4,
}


@dataclass(frozen=True, slots=True)
class Hazard:
    """One mistake: the statement or declaration that may have to be changed, and what is wrong."""

    place: Place
    kind: str
    text: str

    @property
    def score(self) -> float:
        """How likely the mistake is to be the fault."""
        return _SCORES[self.kind]


def hazards_of_run(case: FailingRun) -> Diagnosis:
    """The statements and declarations where something is wrong in this run."""
    found: dict[Place, Hazard] = {}
    uninitialised = _first_use(case)
    of_values = _uninitialised(case, uninitialised.point)
    for hazard in (*_bounds(case), *_pointers(case), *_memory(case), *of_values, *_numbers(case)):
        if hazard.place not in found and case.may_be_changed(hazard.place):
            found[hazard.place] = hazard
    chosen = sorted(found.values(), key=lambda h: -h.score)[:MAX_HAZARDS]
    rows = [
        {"file": h.place.file, "line": h.place.line, "text": h.place.text, "kind": h.kind, "what": h.text}
        for h in chosen
    ]
    findings = tuple(Finding(h.place, h.score, h.text) for h in chosen)
    is_complete = not (uninitialised.is_cut or case.budget.is_over())
    return Diagnosis(findings, {"hazards": rows}, is_complete, (_CUT,) if uninitialised.is_cut else ())


def _bounds(case: FailingRun) -> Iterator[Hazard]:
    """The statements that may have to keep an access inside of its object."""
    for missed in missed_bounds(case):
        yield Hazard(missed.place, missed.kind, missed.text)


def _pointers(case: FailingRun) -> Iterator[Hazard]:
    """The statements that may have to keep a bad pointer from being used."""
    for misused in misused_pointers(case):
        yield Hazard(misused.place, misused.kind, misused.text)


def _memory(case: FailingRun) -> Iterator[Hazard]:
    """Bad accesses, and the declarations of the objects that they were meant for."""
    for point, o in errors_with_objects(case.trace, case.objects):
        place = case.places.of(point.node) if point.node is not None else None
        if place is not None and not case.point.is_survivable:
            yield Hazard(place, "access", point.message)
        if o is not None and point.details["memory"] == "out-of-member":
            yield from _small_member(case, o, point)
        declared = _declaration(case, o)
        if o is not None and declared is not None and point.details["memory"] == "out-of-bounds":
            size = (
                f"{o.variable.type.count} elements"
                if o.variable is not None and o.variable.type.count
                else f"{o.size} bytes"
            )
            what = "it allocates" if o.kind == ObjectKind.HEAP else f"`{o.name}` has"
            yield Hazard(declared, "size", f"{what} {size} and more are used: {point.message}")


def _small_member(case: FailingRun, o: RunObject, point: FailurePoint) -> Iterator[Hazard]:
    """The declaration of the member whose array an access left."""
    count, start = point.details.get("elements"), point.details.get("array_start")
    if count is None or start is None or o.type is None:
        return
    member = array_member(o.type, o.offset_in_element(int(start)), int(count))
    declared = case.places.member_declaration(member) if member is not None else None
    if member is not None and declared is not None:
        yield Hazard(declared, "size", f"`{member.name}` has {count} elements, and more are used")


def _first_use(case: FailingRun) -> UninitialisedUse:
    """The first use of an uninitialised value in the run."""
    if case.point.details.get("memory") == "uninitialised":
        return UninitialisedUse(case.point)
    return uninitialised_use(case.trace, case.objects, case.budget.is_over)


def _uninitialised(case: FailingRun, point: FailurePoint | None) -> Iterator[Hazard]:
    """The declaration of the variable whose uninitialised value was used first."""
    if point is None or point.node is None or not point.details.get("address"):
        return
    declared = _declaration(case, case.objects.at(int(point.details["address"]), point.node[0]))
    if declared is not None:
        yield Hazard(declared, "uninitialised", f"it has no value when it is used: {point.message}")


def _declaration(case: FailingRun, o: RunObject | None) -> Place | None:
    """The declaration of a variable, or the statement that allocated a heap block."""
    if o is None:
        return None
    if o.kind == ObjectKind.HEAP and o.birth >= 0:
        call = case.trace.at(o.birth).call
        return case.places.of(case.places.in_user_code((o.birth, call.index))) if call is not None else None
    return None if o.variable is None else case.places.declaration(o.variable)


# --- numbers ----------------------------------------------------------------------------------------------------------


def _numbers(case: FailingRun) -> Iterator[Hazard]:
    """Sums and products of the slice that overflow, and values that were truncated when they were stored."""
    known: set[tuple[str, int]] = set()
    for node in list(case.slices["control"].distance)[:MAX_SLICE_INSTANCES]:
        if node[1] < 0:
            continue
        instr = case.trace.instr(node)
        fn = case.trace.at(node[0]).fn
        if (fn.name, instr.index) in known or not (instr.op in _SIGN_OF_OP or instr.op == "trunc"):
            continue
        try:
            text = _overflow(case, node, instr) if instr.op != "trunc" else _truncated(case, node, instr)
        except UnknownValue:
            continue
        place = case.places.of(node) if text else None
        if text is None or place is None:
            continue
        known.add((fn.name, instr.index))
        yield Hazard(place, "overflow" if instr.op != "trunc" else "cut", text)
        for declared in _declarations(case, fn, place):
            yield Hazard(declared, "type", f"a type that is too small: {text}")


def _overflow(case: FailingRun, node: Node, instr: Instr) -> str | None:
    bits = instr.type.bits
    if bits not in _BITS or instr.detail != "nsw":
        return None
    x, y = (signed(int(case.trace.operand(node[0], a)), bits) for a in instr.args)
    exact = {"add": x + y, "sub": x - y, "mul": x * y}[instr.op]
    if -(1 << bits - 1) <= exact < 1 << bits - 1:
        return None
    return f"{x} {_SIGN_OF_OP[instr.op]} {y} does not fit {bits} bits, it gave {signed(exact & (1 << bits) - 1, bits)}"


def _truncated(case: FailingRun, node: Node, instr: Instr) -> str | None:
    """A 64-bit number that lost its upper half; smaller types are truncated on purpose all the time."""
    if instr.type.bits != 32 or instr.detail.bits != 64:
        return None
    value = int(case.trace.operand(node[0], instr.args[0]))
    number = signed(value, 64)
    if -(1 << 31) <= number < 1 << 32:
        return None
    return f"{number} was cut to 32 bits, which left {signed(value & 0xFFFFFFFF, 32)}"


def _declarations(case: FailingRun, fn: Function, place: Place) -> Iterator[Place]:
    """The declarations of the small integers that a statement names, one for each line, which has one type."""
    lines: set[tuple[str, int]] = set()
    names = set(_NAME.findall(place.text))
    for variable in (*_local(case, fn), *case.recording.source.global_declarations().values()):
        t = variable.type
        while t.kind == "array" and t.element is not None:
            t = t.element
        declared = (
            case.places.declaration(variable, fn.name)
            if variable.name in names and t.kind in ("signed", "unsigned") and t.size < 8
            else None
        )
        if declared is not None and (declared.path, declared.line) not in lines:
            lines.add((declared.path, declared.line))
            yield declared


def _local(case: FailingRun, fn: Function) -> tuple[Variable, ...]:
    return tuple(case.recording.source.variables(fn).values())
