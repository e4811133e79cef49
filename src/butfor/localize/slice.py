"""Dynamic slices: the statements that the failure depended on, nearest first.

Three slices, each part of the next: data (values and addresses), control (and the decisions that let them run), relevant (and the decisions that
kept other assignments from running).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from butfor.localize.base import Case, Diagnosis, Finding
from butfor.program.model import Instr
from butfor.trace.places import Place
from butfor.trace.slicing import KINDS, Slice, Slicer
from butfor.trace.trace import Node


@dataclass(slots=True)
class _Entry:
    place: Place
    distance: float
    kind: str
    first: Node
    count: int = 0
    edges: set[str] = field(default_factory=set)


def localize(case: Case) -> Diagnosis:
    """The slices of the failure as one ranking."""
    slicer = Slicer(case.dependence, case.budget.is_over)
    slices = {kind: slicer.backward(case.point.roots, kind, case.point.node) for kind in KINDS}
    entries = _entries(case, slices)
    ordered = sorted(entries.values(), key=lambda e: (e.distance, -e.first[0]))
    farthest = max((e.distance for e in ordered), default=0.0) + 1.0
    findings = tuple(Finding(e.place, round(1.0 - e.distance / farthest, 4), _reason(case, e)) for e in ordered)
    lines: set[tuple[str, int]] = set()
    data = {}
    for kind, s in slices.items():  # each holds the one before
        lines |= {(p.file, p.line) for p in _places(case, s)}
        data[kind] = {"instances": len(s.distance), "complete": s.complete, "lines": sorted(lines)}
    return Diagnosis("slice", findings, data, all(s.complete for s in slices.values()))


def is_step(instr: Instr) -> bool:
    """Whether an instruction is a step of the program: an assignment, a decision, a call, a return."""
    if instr.op == "br":
        return bool(instr.args)
    return instr.op in ("store", "switch", "ret", "call", "atomicrmw", "cmpxchg", "indirectbr")


def place_of(case: Case, node: Node) -> Place | None:
    """The statement that an instance stands for, or None for those that are only part of an expression."""
    if node[1] >= 0 and case.trace.instr(node).op == "alloca":
        return None
    return case.places.of(node)


def _places(case: Case, s: Slice) -> list[Place]:
    found = [p for p in (place_of(case, node) for node in s.distance) if p is not None]
    for address in s.initial:
        found += _initial_places(case, address)
    return found


def _initial_places(case: Case, address: int) -> list[Place]:
    """The declarations that gave the byte at an address its initial value."""
    o = case.objects.global_at(address)
    return [] if o is None else case.places.initialisers(o[0], o[1])


def _entries(case: Case, slices: dict[str, Slice]) -> dict[Place, _Entry]:
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
            if node in s.reached:
                entry.edges.add(s.reached[node][0])
        for address, reader in s.initial.items():
            for place in _initial_places(case, address):
                if place not in entries:
                    entries[place] = _Entry(place, s.distance[reader] + 1.0, kind, reader, 1, {"initial"})
    return entries


def _reason(case: Case, e: _Entry) -> str:
    if e.distance == 0.0:
        return "this is where the failure shows"
    if "initial" in e.edges:
        return "the initial value reaches the failure"
    if e.kind == "data":
        return "its value reaches the failure"
    if e.kind == "relevant":
        return "decided otherwise, it could have assigned a value that the failure used"
    return (
        "it decided that a statement ran which the failure depended on"
        if e.place.role == "condition"
        else "it led to a statement that the failure depended on"
    )
