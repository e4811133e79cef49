"""Dynamic slices: the statements that the failure depended on, nearest first.

Three slices, each part of the next: data (values and addresses), control (and the decisions that let them run), relevant (and the decisions that
kept other assignments from running).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from butfor.ir.instructions import Instr
from butfor.methods.case import FailingRun
from butfor.ranking.finding import Diagnosis, Finding
from butfor.trace.dependence.backward_slice import KINDS, Slice
from butfor.trace.trace import Node
from butfor.trace.view.source_places import Place
from butfor.trace.view.source_steps import Step

_TOLD = 40  # statements whose values are told


@dataclass(slots=True)
class _Entry:
    place: Place
    distance: float
    kind: str
    first: Node
    count: int = 0
    edges: set[str] = field(default_factory=set)
    lines: set[int] = field(default_factory=set)


def slices_of_run(case: FailingRun) -> Diagnosis:
    """The slices of the failure as one ranking."""
    slices = case.slices
    entries = _entries(case, slices)
    farthest = max((e.distance for e in entries.values()), default=0.0) + 1.0
    for e in entries.values():
        e.distance += _symptom(case, e, farthest)
    farthest *= 2
    ordered = sorted(entries.values(), key=lambda e: (e.distance, -e.first[0]))
    findings = tuple(_finding(case, e, round(1.0 - e.distance / farthest, 4), k < _TOLD) for k, e in enumerate(ordered))
    lines: set[tuple[str, int]] = set()
    data = {}
    for kind, s in slices.items():  # each holds the one before
        lines |= _lines(case, s)
        data[kind] = {"instances": len(s.distance), "complete": s.complete, "lines": sorted(lines)}
    return Diagnosis(findings, data, all(s.complete for s in slices.values()))


def _symptom(case: FailingRun, e: _Entry, last: float) -> float:
    """How far down the statement belongs that only shows the failure: a failed assertion to the end, other places a little."""
    shown = case.places.of(case.point.node) if case.point.node is not None else None
    if shown is None or e.place.path != shown.path:
        return 0.0
    if case.is_check(e.place):
        return last
    return 1.5 if e.place == shown else 0.0


def is_step(instr: Instr) -> bool:
    """Whether an instruction is a step of the program: an assignment, a decision, a call, a return."""
    if instr.op == "br":
        return bool(instr.args)
    return instr.op in ("store", "switch", "ret", "call", "atomicrmw", "cmpxchg", "indirectbr")


def place_of(case: FailingRun, node: Node) -> Place | None:
    """The statement that an instance stands for, or None for those that are only part of an expression."""
    if node[1] >= 0 and case.trace.instr(node).op == "alloca":
        return None
    return case.places.of(node)


def _lines(case: FailingRun, s: Slice) -> set[tuple[str, int]]:
    """All source lines of a slice: where its statements begin, and where else they were evaluated."""
    found = set()
    for node in s.distance:
        place = place_of(case, node)
        if place is not None:
            found |= {(place.file, line) for line in (place.line, *_own_lines(case, node, place))}
    for address in s.initial:
        found |= {(p.file, p.line) for p in initial_places(case, address)}
    return found


def _own_lines(case: FailingRun, node: Node, place: Place) -> list[int]:
    """Lines of a statement besides its first: where this part of it stands, and the label that a switch went to."""
    if node[1] < 0:
        return []
    instr = case.trace.instr(node)
    where = case.places.location(instr)
    found = [where.line] if where is not None and where.file == place.path and where.line > place.line else []
    return found + case.places.labels(node) if instr.op == "switch" else found


def initial_places(case: FailingRun, address: int) -> list[Place]:
    """The declarations that gave the byte at an address its initial value."""
    o = case.objects.global_at(address)
    return [] if o is None else case.places.initialisers(o[0], o[1])


def _entries(case: FailingRun, slices: dict[str, Slice]) -> dict[Place, _Entry]:
    entries: dict[Place, _Entry] = {}
    for kind in KINDS:
        s = slices[kind]
        for node, distance in s.distance.items():
            place = place_of(case, node)
            if place is None:
                continue
            entry = entries.get(place)
            if entry is None:
                entries[place] = entry = _Entry(place, distance, kind, node)
            elif distance < entry.distance:
                entry.distance, entry.first = distance, node
            if kind == KINDS[-1]:
                entry.count += 1
                entry.lines.update(_own_lines(case, node, place))
            if node in s.reached:
                entry.edges.add(s.reached[node][0])
        for address, reader in s.initial.items():
            for place in initial_places(case, address):
                if place not in entries:
                    entries[place] = _Entry(place, s.distance[reader] + 1.0, kind, reader, 1, {"initial"})
    return entries


def _finding(case: FailingRun, e: _Entry, score: float, with_values: bool) -> Finding:
    step = case.steps.of(e.first, brief=True) if with_values and e.first[1] >= 0 else None
    seen = "" if step is None else in_words(step)
    return Finding(e.place, score, _reason(case, e, seen), lines=tuple(e.lines), extra={"values": seen} if seen else {})


def _reason(case: FailingRun, e: _Entry, seen: str) -> str:
    if case.point.node is not None and e.place == case.places.of(case.point.node):
        text = "this is where the failure shows"
    elif e.first in case.point.roots and _life(case, e.first):
        text = _life(case, e.first)
    elif e.first in case.point.roots:
        text = "its result is what was wrong" if e.place.role != "condition" else "it decided the failure"
    elif "initial" in e.edges:
        text = "the initial value reaches the failure"
    elif e.kind == "data":
        text = "its value reaches the failure"
    elif e.kind == "relevant":
        text = "decided otherwise, it could have assigned a value that the failure used"
    elif e.place.role == "condition":
        text = "it decided that a statement ran which the failure depended on"
    else:
        text = "it led to a statement that the failure depended on"
    times = f" ({e.count:,} instances)" if e.count > 50 else ""
    return f"{text}{': ' + seen if seen else ''}{times}"


def _life(case: FailingRun, node: Node) -> str:
    """What a root did to the life of an object, if that is why it is one."""
    instr = case.trace.instr(node) if node[1] >= 0 else None
    callee = instr.detail.callee if instr is not None and instr.op == "call" else None
    if callee == "free":
        return "the memory was freed here"
    return (
        "the memory was allocated here"
        if callee in ("malloc", "calloc", "realloc", "strdup", "strndup", "aligned_alloc")
        else ""
    )


def in_words(step: Step) -> str:
    """What a step did, with values."""
    uses = ", ".join(f"{name} = {value}" for name, value in step.uses)
    if step.kind == "assign" and step.after is not None:
        was = f" (was {step.before})" if step.before is not None and step.before != step.after else ""
        what = f"{step.target or 'the value'} became {step.after}{was}"
        return what + (f" with {uses}" if uses and step.target not in dict(step.uses) else "")
    if step.kind == "branch":
        return f"{step.outcome or 'decided'}" + (f" with {uses}" if uses else "")
    return f"with {uses}" if uses else ""
