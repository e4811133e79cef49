"""Dynamic slices: the statements that the failure depended on, nearest first.

Three slices, each part of the next: data (values and addresses), control (and the decisions that let them run),
relevant (and the decisions that kept other assignments from running).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from butfor.libc.library import lookup
from butfor.methods.case import FailingRun
from butfor.ranking.finding import Diagnosis, Finding
from butfor.trace.dependence.sliced_instances import KINDS, Slice, SlicedInstruction
from butfor.trace.trace import Node
from butfor.trace.view.source_places import Place
from butfor.trace.view.source_steps import step_in_words

MAX_STATEMENTS_WITH_VALUES = 40  # the nearest ones; values take time to look up, and few read further down
MIN_COUNTED_INSTANCES = 51  # fewer instances are not worth a word
SYMPTOM_DISTANCE = 1.5  # the statement where the failure shows is further from the fault than it looks
REASONS = {
    "data": "its value reaches the failure",
    "control": "it decided that a statement ran which the failure depended on",
    "omitted": "decided otherwise, it could have assigned a value that the failure used",
}


@dataclass(slots=True)
class _SlicedStatement:
    """A statement of the slices with its smallest distance, and the first slice that it is in."""

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
        e.distance += _symptom_distance(case, e, farthest)
    farthest *= 2
    ordered = sorted(entries.values(), key=lambda e: (e.distance, -e.first[0]))
    findings = tuple(
        _finding(case, e, round(1.0 - e.distance / farthest, 4), k < MAX_STATEMENTS_WITH_VALUES)
        for k, e in enumerate(ordered)
    )
    lines: set[tuple[str, int]] = set()
    data = {}
    for kind, s in slices.items():  # each holds the one before
        lines |= _lines(case, s)
        data[kind] = {"instances": s.size, "complete": s.followed_all, "lines": sorted(lines)}
    return Diagnosis(findings, data, all(s.followed_all for s in slices.values()))


def _symptom_distance(case: FailingRun, e: _SlicedStatement, last: float) -> float:
    """What is added to the distance of a statement that only shows the failure: a failed assertion goes to the end."""
    shown = case.places.of(case.point.node) if case.point.node is not None else None
    if shown is None or e.place.path != shown.path:
        return 0.0
    if case.is_check(e.place):
        return last
    return SYMPTOM_DISTANCE if e.place == shown else 0.0


def _place_of(case: FailingRun, node: Node) -> Place | None:
    """The statement of an instance; None for allocations of local variables, which do nothing by themselves."""
    if node[1] >= 0 and case.trace.instr(node).op == "alloca":
        return None
    return case.places.of(node)


def _rows(case: FailingRun, s: Slice) -> Iterator[SlicedInstruction]:
    """The instances of a slice: each on its own if they are listed, else by instructions and single switches."""
    if s.complete:
        for node, distance in s.distance.items():
            yield SlicedInstruction(node, distance, 1, frozenset((s.reached[node],) if node in s.reached else ()))
        return
    yield from s.instructions
    if any(case.trace.instr(row.nearest).op == "switch" for row in s.instructions if row.nearest[1] >= 0):
        for node, distance in s.distance.items():  # these have lines of their own: the labels that they went to
            if node[1] >= 0 and case.trace.instr(node).op == "switch":
                yield SlicedInstruction(node, distance, 0, frozenset())


def _lines(case: FailingRun, s: Slice) -> set[tuple[str, int]]:
    """All source lines of a slice: the first lines of its statements, and the others that were evaluated."""
    found = set()
    for row in _rows(case, s):
        place = _place_of(case, row.nearest)
        if place is not None:
            found |= {(place.file, line) for line in (place.line, *_own_lines(case, row.nearest, place))}
    for address in s.initial:
        found |= {(p.file, p.line) for p in case.initialisers(address)}
    return found


def _own_lines(case: FailingRun, node: Node, place: Place) -> list[int]:
    """Lines of a statement besides its first: the line of this instruction, and the label that a switch went to."""
    if node[1] < 0:
        return []
    instr = case.trace.instr(node)
    where = case.places.location(instr)
    found = [where.line] if where is not None and where.file == place.path and where.line > place.line else []
    return found + case.places.labels(node) if instr.op == "switch" else found


def _entries(case: FailingRun, slices: dict[str, Slice]) -> dict[Place, _SlicedStatement]:
    entries: dict[Place, _SlicedStatement] = {}
    for kind in KINDS:
        s = slices[kind]
        for row in _rows(case, s):
            place = _place_of(case, row.nearest)
            if place is None:
                continue
            entry = entries.get(place)
            if entry is None:
                entries[place] = entry = _SlicedStatement(place, row.distance, kind, row.nearest)
            elif row.distance < entry.distance:
                entry.distance, entry.first = row.distance, row.nearest
            if kind == KINDS[-1]:
                entry.count += row.count
                entry.lines.update(_own_lines(case, row.nearest, place))
            entry.edges.update(row.edges)
        for address, reader in s.initial.items():
            for place in case.initialisers(address):
                if place not in entries:
                    entries[place] = _SlicedStatement(
                        place, s.reader_distance[reader] + 1.0, kind, reader, 1, {"initial"}
                    )
    return entries


def _finding(case: FailingRun, e: _SlicedStatement, score: float, with_values: bool) -> Finding:
    is_told = with_values and e.first[1] >= 0 and not case.budget.is_over()
    step = case.steps.of(e.first, brief=True) if is_told else None
    seen = "" if step is None else step_in_words(step)
    return Finding(e.place, score, _reason(case, e, seen), lines=tuple(e.lines), extra={"values": seen} if seen else {})


def _reason(case: FailingRun, e: _SlicedStatement, seen: str) -> str:
    if case.point.node is not None and e.place == case.places.of(case.point.node):
        text = "this is where the failure shows"
    elif e.first in case.point.roots and _lifetime_event(case, e.first):
        text = _lifetime_event(case, e.first)
    elif e.first in case.point.roots:
        text = "its result is what was wrong" if e.place.role != "condition" else "it decided the failure"
    elif "initial" in e.edges:
        text = "the initial value reaches the failure"
    elif e.kind == "data":
        text = REASONS["data"]
    elif e.kind == "relevant" and e.place.role == "condition":
        text = REASONS["omitted"]
    elif e.kind == "relevant":
        text = "it led to a decision that kept another value from being assigned"
    elif e.place.role == "condition":
        text = REASONS["control"]
    else:
        text = "it led to a statement that the failure depended on"
    times = f" ({e.count:,} instances)" if e.count >= MIN_COUNTED_INSTANCES else ""
    return f"{text}{': ' + seen if seen else ''}{times}"


def _lifetime_event(case: FailingRun, node: Node) -> str:
    """How a root began or ended the lifetime of an object; empty if it did not."""
    instr = case.trace.instr(node) if node[1] >= 0 else None
    callee = instr.callee if instr is not None else None
    called = lookup(callee)
    if called is not None and called.frees:
        return "the memory was freed here"
    return "the memory was allocated here" if called is not None and called.allocates is not None else ""
