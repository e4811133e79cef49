"""The run in source terms: assignments, branches, calls and returns with values and iterations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from butfor.ir.flow_graphs import successors
from butfor.ir.instructions import Const, Instr, Operand
from butfor.ir.machine_types import Type, int_type, store_size
from butfor.ir.natural_loops import Loop, natural_loops
from butfor.ir.recording_segments import variable_and_offset
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.log.record_layout import NO_FRAME
from butfor.trace.trace import Node, Trace, UnknownValue
from butfor.trace.view.access_names import Accesses, NamedRead
from butfor.trace.view.c_values import value_text
from butfor.trace.view.condition_outcomes import ConditionOutcomes
from butfor.trace.view.object_parts import smallest_part
from butfor.trace.view.overwritten_values import OverwrittenValues
from butfor.trace.view.run_objects import RunObjects
from butfor.trace.view.source_places import Place, Places

_STEPS = frozenset(("store", "ret", "switch"))
_MAX_ITERATIONS_COUNTED = 10_000  # counting more would take too long
_MAX_VALUES_SHOWN = 6  # of variables that a step reads; more do not fit a line
_MAX_ENCLOSING_SHOWN = 100  # callers or decisions around a step


@dataclass(frozen=True, slots=True)
class Iteration:
    """An iteration of a loop: `number` counts from 1, `total` is 0 if there are too many to count."""

    line: int
    number: int
    total: int


@dataclass(frozen=True, slots=True)
class Step:
    """One statement instance."""

    node: Node
    place: Place
    kind: str  # assign, branch, call or return
    target: str | None  # of an assignment, as written
    before: str | None  # the value that an assignment overwrote
    after: str | None  # the value assigned
    outcome: str | None  # of a branch
    uses: tuple[tuple[str, str], ...]  # the variables read, as written, with their values
    frame: int  # the number of the call
    depth: int  # calls around it
    loops: tuple[Iteration, ...]  # iterations of the loops around it, innermost first


class Steps:
    """Steps of a recorded run, made on demand."""

    def __init__(self, places: Places, objects: RunObjects, dependence: Dependence) -> None:
        self.places = places
        self.objects = objects
        self.dependence = dependence
        self.trace: Trace = places.trace
        self.log = self.trace.log
        self.source = places.source
        self.overwritten = OverwrittenValues(self.trace, objects)
        self.accesses = Accesses(places, objects)
        self.conditions = ConditionOutcomes(places)
        self._depths: dict[int, int] = {}
        self._loops: dict[str, tuple[tuple[Loop, ...], tuple[int, ...]]] = {}

    def is_step(self, instr: Instr) -> bool:
        """Whether an instruction is a step of its own."""
        return instr.op in _STEPS or instr.is_two_way or instr.op == "call"

    def between(self, first: int, last: int) -> Iterator[Step]:
        """The steps of the segment instances `first` to `last` (exclusive), in order."""
        for i in range(first, last):
            s = self.trace.at(i)
            for n in range(s.seg.start, s.seg.end):
                if self.is_step(s.fn.instrs[n]) and s.layout.kinds.get(n) not in ("ignored", "pure", "opaque"):
                    step = self.of((i, n))
                    if step is not None:
                        yield step

    def of(self, node: Node, brief: bool = False) -> Step | None:
        """The step of an instance, None if the source does not show it; `brief` omits the iterations of loops."""
        place = self.places.of(node)
        if place is None or node[1] < 0:
            return None
        instr = self.trace.instr(node)
        kind = {"store": "assign", "ret": "return", "call": "call"}.get(
            instr.op, "branch" if instr.is_branch else "assign"
        )
        before = after = target = outcome = None
        if instr.op == "store":
            target, before, after = self._assignment(node, instr, place)
        elif kind == "branch":
            outcome = self._outcome(node, instr)
        frame = self.log.frame_of(node[0])
        iterations = () if brief else self.iterations(node[0])
        return Step(
            node, place, kind, target, before, after, outcome, self.uses(node), frame, self.depth(frame), iterations
        )

    # --- values ---------------------------------------------------------------------------------------------

    def _assignment(self, node: Node, instr: Instr, place: Place) -> tuple[str | None, str | None, str | None]:
        i = node[0]
        where = self.places.location(instr)
        tree = self.places.tree(place.path)
        s = self.trace.at(i)
        variable = self.accesses.types.variable(s.fn, instr.args[1])
        target = place.target
        if where is not None and tree is not None:
            target = tree.target_at(where.line, where.column) or target
        if variable is not None:
            # A parameter has no position, so that its place is the call; an initialiser may set a member.
            if where is None or target == variable[0].name:
                target = variable[0].name + smallest_part(variable[0].type, variable[1], store_size(instr.detail))[0]
        elif where is None or variable_and_offset(s.fn, instr.args[1], s.layout.frame) is not None:
            target = None  # a temporary: the statement assigns something else
        new, old = self.trace.stored_bytes(node), self.previous(node)  # nothing new if the store crashed
        after = self.accesses.value_text(i, instr.args[1], instr.detail, new, target) if new else None
        before = None if old is None else self.accesses.value_text(i, instr.args[1], instr.detail, old, target)
        return target, before, after

    def previous(self, node: Node) -> bytes | None:
        """The bytes that a store overwrote, if certain: read by the same statement, or left by a known write."""
        i, n = node
        s = self.trace.at(i)
        pointer = s.fn.instrs[n].args[1]
        size = sum(s.layout.effects[n].stores)
        for k in range(n - 1, s.seg.start - 1, -1):
            instr = s.fn.instrs[k]
            if instr.op == "load" and instr.args[0] == pointer and sum(s.layout.effects[k].loads) == size:
                try:
                    return self.trace.loaded_bytes((i, k))
                except UnknownValue:  # the run crashed at this read
                    return None
            if instr.op in ("store", "call", "atomicrmw", "cmpxchg"):
                break
        return self.overwritten.before(node)

    def uses(self, node: Node) -> tuple[tuple[str, str], ...]:
        """The variables that an instance read, as written, with their values."""
        found: dict[str, str] = {}
        for read in self.reads(node):
            if not read.text.startswith("0x"):  # an address without a name
                found.setdefault(read.name, read.text)
            if len(found) == _MAX_VALUES_SHOWN:
                break
        return tuple(found.items())

    def reads(self, node: Node) -> Iterator[NamedRead]:
        """The variables that an instance read, nearest first; for a phi those of the operand taken."""
        args = self.trace.instr(node).args
        work = [(node[0], a) for a in (args[:1] if self.trace.instr(node).op == "store" else args)]
        seen: set[tuple[int, Operand]] = set()
        while work:
            i, slot = work.pop(0)
            s = self.trace.at(i)
            if not isinstance(slot, int) or (i, slot) in seen or s.fn.definer[slot] < 0 or slot in s.layout.frame:
                continue
            seen.add((i, slot))
            instr = s.fn.instrs[s.fn.definer[slot]]
            if instr.op == "load":
                yield from self._read(i, slot)
            work += self._phi_operands(i, slot) if instr.op == "phi" else [(i, a) for a in instr.args]

    def _read(self, i: int, slot: int) -> list[NamedRead]:
        try:
            return self.accesses.read(self.trace.definition(i, slot))
        except UnknownValue:  # it was not completed
            return []

    def _phi_operands(self, i: int, slot: int) -> list[tuple[int, Operand]]:
        """The operand that a phi took, and where; for a constant truth value, the condition that decided it."""
        try:
            phi = self.trace.definition(i, slot)
        except UnknownValue:
            return []
        chosen, at = self.trace.phi_choice(phi)
        last = self.trace.at(at).last
        is_decided = isinstance(chosen, Const) and self.trace.instr(phi).type == int_type(1) and last.is_two_way
        return [(at, last.args[0] if is_decided else chosen)]

    def operand_text(self, i: int, op: Operand, t: Type) -> str | None:
        """An operand's value as C text, or None if it is unknown."""
        try:
            return value_text(self.trace.operand(i, op), t, None, self.objects, i)
        except UnknownValue:
            return None

    def _outcome(self, node: Node, instr: Instr) -> str | None:
        if instr.op == "switch":
            return self.operand_text(node[0], instr.args[0], instr.detail[2])
        truth = self.conditions.outcome(node)
        return None if truth is None else "true" if truth else "false"

    # --- frames and loops -----------------------------------------------------------------------------------

    def depth(self, frame: int) -> int:
        """The number of calls around a frame."""
        path = []
        while frame != NO_FRAME and frame not in self._depths:
            path.append(frame)
            frame = int(self.log.frame["parent"][frame])
        count = self._depths.get(frame, -1)
        for inner in reversed(path):
            count += 1
            self._depths[inner] = count
        return count

    def callers(self, i: int) -> list[Place]:
        """The calls that led to a segment instance, innermost first."""
        found: list[Place] = []
        call = self.trace.call_of(i)
        while call is not None and len(found) < _MAX_ENCLOSING_SHOWN:
            place = self.places.of(call)
            if place is not None:
                found.append(place)
            call = self.trace.call_of(call[0])
        return found

    def enclosing(self, i: int) -> list[Place]:
        """The decisions around a segment instance in its own function, innermost first."""
        found: list[Place] = []
        frame = self.log.frame_of(i)
        parent = self.dependence.control(i)
        while parent is not None and self.log.frame_of(parent[0]) == frame and len(found) < _MAX_ENCLOSING_SHOWN:
            place = self.places.of(parent)
            if place is not None and place not in found:
                found.append(place)
            parent = self.dependence.control(parent[0])
        return found

    def iterations(self, i: int) -> tuple[Iteration, ...]:
        """The iterations of the loops around a segment instance, innermost first."""
        s = self.trace.at(i)
        loops, innermost = self._loops_of(s.fn.name)
        out = []
        k = innermost[s.seg.block]
        while k >= 0:
            out.append(self._iteration(i, s.fn.name, loops[k]))
            k = loops[k].parent
        return tuple(out)

    def loops_around(self, i: int) -> list[Loop]:
        """The loops around a segment instance, innermost first."""
        s = self.trace.at(i)
        loops, innermost = self._loops_of(s.fn.name)
        found, k = [], innermost[s.seg.block]
        while k >= 0:
            found.append(loops[k])
            k = loops[k].parent
        return found

    def _loops_of(self, name: str) -> tuple[tuple[Loop, ...], tuple[int, ...]]:
        known = self._loops.get(name)
        if known is None:
            found = natural_loops(successors(self.trace.program.function(name)))
            known = (found.loops, found.innermost)
            self._loops[name] = known
        return known

    def _iteration(self, i: int, name: str, loop: Loop) -> Iteration:
        fn = self.trace.program.function(name)
        header = self.trace.static.first_of_block(fn, loop.header)
        frame = self.log.frame_of(i)
        places = self.log.positions(header)
        at = int(places.searchsorted(i, "right")) - 1
        number = self._count_iterations(places, at, -1, frame, loop)
        total = number + self._count_iterations(places, at + 1, 1, frame, loop)
        where = self.places.of_instr(fn, fn.terminator(loop.header))
        left_by_header = any(e[0] == loop.header for e in loop.exits)
        return Iteration(
            where.line if where else 0,
            number,
            max(total - (1 if left_by_header else 0), number) if total < _MAX_ITERATIONS_COUNTED else 0,
        )

    def _count_iterations(
        self, places: np.ndarray[tuple[int], np.dtype[np.int64]], k: int, step: int, frame: int, loop: Loop
    ) -> int:
        """The number of iterations of the same loop execution, backward or forward from header instance k."""
        count = 0
        for _ in range(_MAX_ITERATIONS_COUNTED):
            if not 0 <= k < len(places):
                return count
            p = int(places[k])
            if self.log.frame_of(p) == frame:
                enters = self._enters_loop(p, loop)
                if step > 0 and enters:
                    return count
                count += 1
                if step < 0 and enters:
                    return count
            elif p < int(self.log.frame["entry"][frame]):
                return count
            k += step
        return count

    def _enters_loop(self, p: int, loop: Loop) -> bool:
        before = self.log.previous_in_frame(p)
        return before < 0 or self.trace.at(before).seg.block not in loop.body


def is_step(instr: Instr) -> bool:
    """Whether an instruction is a step of the program: an assignment, a decision, a call, a return."""
    if instr.op == "br":
        return bool(instr.args)
    return instr.op in ("store", "switch", "ret", "call", "atomicrmw", "cmpxchg", "indirectbr")


def step_in_words(step: Step) -> str:
    """What a step did, with values; empty where there are none."""
    uses = ", ".join(f"{name} = {value}" for name, value in step.uses)
    if step.kind == "assign" and step.after is not None:
        was = f" (was {step.before})" if step.before is not None and step.before != step.after else ""
        what = f"{step.target or 'the value'} became {step.after}{was}"
        return what + (f" with {uses}" if uses and step.target not in dict(step.uses) else "")
    if step.kind == "branch":
        return f"{step.outcome or 'decided'}" + (f" with {uses}" if uses else "")
    return f"with {uses}" if uses else ""
