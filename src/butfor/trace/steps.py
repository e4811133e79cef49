"""The run told in source terms: assignments, decisions, calls and returns with their values, frames and loop iterations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from butfor.program.debug import CType, Variable
from butfor.program.decisions import Decisions, find_decisions
from butfor.program.graphs import successors
from butfor.program.loops import Loop, natural_loops
from butfor.program.model import Instr, Operand
from butfor.program.segments import root_of
from butfor.program.types import Kind, Type
from butfor.trace.dependence import Dependence
from butfor.trace.log import NO_FRAME
from butfor.trace.objects import Objects, path_text, path_type
from butfor.trace.overwritten import Overwritten
from butfor.trace.places import Place, Places
from butfor.trace.semantics import from_bytes
from butfor.trace.trace import Node, Trace, Unknown
from butfor.trace.values import show

_STEPS = frozenset(("store", "ret", "switch"))
_MOST_ITERATIONS = 10_000
_MOST_VALUES = 6


@dataclass(frozen=True, slots=True)
class Iteration:
    """Which round of a loop: `number` counts from 1; `total` is 0 while unknown."""

    line: int
    number: int
    total: int


@dataclass(frozen=True, slots=True)
class Step:
    """One statement instance. kind: assign, branch, call, return.

    `target`, `before` and `after` belong to assignments; `outcome` says where a branch went; `uses` are the variables read, as written, with
    their values; `frame` numbers the call, `depth` counts the calls around it; `loops` are the rounds of the loops around it, innermost first.
    """

    node: Node
    place: Place
    kind: str
    target: str | None
    before: str | None
    after: str | None
    outcome: str | None
    uses: tuple[tuple[str, str], ...]
    frame: int
    depth: int
    loops: tuple[Iteration, ...]


class Steps:
    """Steps of a recorded run, made when asked for."""

    def __init__(self, places: Places, objects: Objects, dependence: Dependence) -> None:
        self.places = places
        self.objects = objects
        self.dependence = dependence
        self.trace: Trace = places.trace
        self.log = self.trace.log
        self.source = places.source
        self.overwritten = Overwritten(self.trace, objects)
        self._decisions: dict[str, Decisions] = {}
        self._loops: dict[str, tuple[tuple[Loop, ...], tuple[int, ...]]] = {}

    def is_step(self, instr: Instr) -> bool:
        """Whether an instruction is a step of its own."""
        return instr.op in _STEPS or (instr.op == "br" and bool(instr.args)) or instr.op == "call"

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
        """The step of an instance, or None where the source does not show it; `brief` leaves out the rounds of loops."""
        place = self.places.of(node)
        if place is None or node[1] < 0:
            return None
        instr = self.trace.instr(node)
        kind = {"store": "assign", "ret": "return", "call": "call"}.get(instr.op, "branch" if instr.op in ("br", "switch") else "assign")
        before = after = target = outcome = None
        if instr.op == "store":
            target, before, after = self._assignment(node, instr, place)
        elif kind == "branch":
            outcome = self._outcome(node, instr)
        frame = self.log.frame_of(node[0])
        rounds = () if brief else self.iterations(node[0])
        return Step(node, place, kind, target, before, after, outcome, self.uses(node), frame, self.depth(frame), rounds)

    # --- values -------------------------------------------------------------------------------------------------------------

    def _type_at(self, i: int, op: Operand) -> CType | None:
        """The C type of the variable, element or member at an address operand."""
        s = self.trace.at(i)
        root = root_of(s.fn, op, s.layout.frame)
        if root is not None:
            known: Variable | None = self.source.variables(s.fn).get(root[0]) if isinstance(root[0], int) else self.source.global_variable(root[0])
            return None if known is None else path_type(known.type, root[1])
        try:
            address = self.trace.operand(i, op)
        except Unknown:
            return None
        o = self.objects.at(address, i)
        return None if o is None or o.variable is None else path_type(o.variable.type, address - o.start)

    def _assignment(self, node: Node, instr: Instr, place: Place) -> tuple[str | None, str | None, str | None]:
        i = node[0]
        where = self.places.location(instr)
        tree = self.places.tree(place.path)
        target = place.target
        if where is None:  # a parameter: the place is the call
            s = self.trace.at(i)
            variable: Variable | None = self.source.variables(s.fn).get(instr.args[1]) if isinstance(instr.args[1], int) else None
            target = variable.name if variable is not None else None
        if where is not None and tree is not None:
            target = tree.target_at(where.line, where.column) or target
        ctype = self._type_at(i, instr.args[1])
        new = self.trace.stored(node)  # nothing for the store that crashed
        after = show(from_bytes(new, instr.detail), instr.detail, ctype, self.objects, i) if new else None
        old = self.previous(node)
        before = None if old is None else show(from_bytes(old, instr.detail), instr.detail, ctype, self.objects, i)
        return target, before, after

    def previous(self, node: Node) -> bytes | None:
        """What a store overwrote, where that is certain: read by the same statement, or left by a known write."""
        i, n = node
        s = self.trace.at(i)
        pointer = s.fn.instrs[n].args[1]
        size = sum(s.layout.effects[n].stores)
        for k in range(n - 1, s.seg.start - 1, -1):
            instr = s.fn.instrs[k]
            if instr.op == "load" and instr.args[0] == pointer and sum(s.layout.effects[k].loads) == size:
                return self.trace.loaded((i, k))
            if instr.op in ("store", "call", "atomicrmw", "cmpxchg"):
                break
        return self.overwritten.by(node)

    def uses(self, node: Node) -> tuple[tuple[str, str], ...]:
        """The variables that an instance read, as written, with their values."""
        found: dict[str, str] = {}
        work = [a for a in self.trace.instr(node).args if isinstance(a, int)]
        if self.trace.instr(node).op == "store":
            work = work[:1] if isinstance(self.trace.instr(node).args[0], int) else []
        s = self.trace.at(node[0])
        seen: set[int] = set()
        while work and len(found) < _MOST_VALUES:
            slot = work.pop(0)
            d = s.fn.definer[slot]
            if d < 0 or slot in seen or slot in s.layout.frame:
                continue
            seen.add(slot)
            instr = s.fn.instrs[d]
            if instr.op == "load" and instr.type.kind is not Kind.VECTOR:
                self._use(node[0], slot, instr, found)
            if instr.op != "phi":
                work += [a for a in instr.args if isinstance(a, int)]
        return tuple(found.items())

    def _use(self, i: int, slot: int, instr: Instr, found: dict[str, str]) -> None:
        name = self._name(i, instr)
        if name is None:
            return
        try:
            at = self.trace.definition(i, slot)
            value = self.trace.value(at)
        except Unknown:
            return
        text = show(value, instr.type, self._type_at(at[0], instr.args[0]), self.objects, i)
        if not text.startswith("0x"):  # an address without a name says nothing
            found.setdefault(name, text)

    def _name(self, i: int, load: Instr) -> str | None:
        """What a load reads, as the program writes it: a variable's own name, else the expression in the source."""
        s = self.trace.at(i)
        root = root_of(s.fn, load.args[0], s.layout.frame)
        if root is not None:
            known: Variable | None = self.source.variables(s.fn).get(root[0]) if isinstance(root[0], int) else self.source.global_variable(root[0])
            return None if known is None else known.name + path_text(known.type, root[1])
        where = self.places.location(load)
        tree = self.places.tree(where.file) if where is not None else None
        if where is None or tree is None:
            return None
        for expression in reversed(tree.expressions_at(where.line, where.column)):
            if expression.kind in ("subscript_expression", "field_expression", "pointer_expression", "identifier"):
                return expression.text
        return None

    def show_operand(self, i: int, op: Operand, t: Type) -> str | None:
        """An operand's value in words, or None when it is not known."""
        try:
            return show(self.trace.operand(i, op), t, None, self.objects, i)
        except Unknown:
            return None

    def _outcome(self, node: Node, instr: Instr) -> str | None:
        if instr.op == "switch":
            return self.show_operand(node[0], instr.args[0], instr.detail[2])
        s = self.trace.at(node[0])
        decisions = self._decisions.get(s.fn.name)
        if decisions is None:
            decisions = find_decisions(s.fn)
            self._decisions[s.fn.name] = decisions
        number = decisions.of_block[s.seg.block]
        inside = set(decisions.decisions[number].blocks) if number >= 0 else {s.seg.block}
        exits = decisions.decisions[number].exits if number >= 0 else s.fn.blocks[s.seg.block].succs
        i = self.trace.next_in_frame(node[0])
        for _ in range(64):
            if i < 0 or self.trace.at(i).seg.block not in inside:
                break
            i = self.trace.next_in_frame(i)
        went = self.trace.at(i).seg.block if i >= 0 else -1
        if len(exits) == 2 and went in exits:
            return "true" if went == min(exits) else "false"  # what holds comes first in the order of the source
        try:
            return "true" if self.trace.operand(node[0], instr.args[0]) else "false"
        except Unknown:
            return None

    # --- frames and loops ---------------------------------------------------------------------------------------------------

    def depth(self, frame: int) -> int:
        """How many calls are around a frame."""
        count = -1
        while frame != NO_FRAME:
            count += 1
            frame = int(self.log.frame["parent"][frame])
        return count

    def callers(self, i: int) -> list[Place]:
        """The calls that led to a segment instance, innermost first."""
        found: list[Place] = []
        call = self.trace.call_of(i)
        while call is not None and len(found) < 100:
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
        while parent is not None and self.log.frame_of(parent[0]) == frame and len(found) < 100:
            place = self.places.of(parent)
            if place is not None and place not in found:
                found.append(place)
            parent = self.dependence.control(parent[0])
        return found

    def iterations(self, i: int) -> tuple[Iteration, ...]:
        """The rounds of the loops around a segment instance, innermost first."""
        s = self.trace.at(i)
        loops, innermost = self._loops_of(s.fn.name)
        out = []
        k = innermost[s.seg.block]
        while k >= 0:
            out.append(self._iteration(i, s.fn.name, loops[k]))
            k = loops[k].parent
        return tuple(out)

    def _loops_of(self, name: str) -> tuple[tuple[Loop, ...], tuple[int, ...]]:
        known = self._loops.get(name)
        if known is None:
            found = natural_loops(successors(self.trace.program.function(name)))
            known = (found.loops, found.innermost)
            self._loops[name] = known
        return known

    def _iteration(self, i: int, name: str, loop: Loop) -> Iteration:
        fn = self.trace.program.function(name)
        header = self.trace.static.first(fn) + self.trace.program.layout(name).first_of_block[loop.header]
        frame = self.log.frame_of(i)
        places = self.log.positions(header)
        at = int(places.searchsorted(i, "right")) - 1
        number = self._count(places, at, -1, frame, loop)
        total = number + self._count(places, at + 1, 1, frame, loop)
        where = self.places.of_instr(fn, fn.instrs[fn.blocks[loop.header].end - 1])
        left_by_header = any(e[0] == loop.header for e in loop.exits)
        return Iteration(where.line if where else 0, number, max(total - (1 if left_by_header else 0), number) if total < _MOST_ITERATIONS else 0)

    def _count(self, places: np.ndarray[tuple[int], np.dtype[np.int64]], k: int, step: int, frame: int, loop: Loop) -> int:
        """Rounds of the same activation of a loop, backward or forward from header instance k."""
        count = 0
        for _ in range(_MOST_ITERATIONS):
            if not 0 <= k < len(places):
                return count
            p = int(places[k])
            if self.log.frame_of(p) == frame:
                entered = self._entered(p, loop)
                if step > 0 and entered:
                    return count
                count += 1
                if step < 0 and entered:
                    return count
            elif p < int(self.log.frame["entry"][frame]):
                return count
            k += step
        return count

    def _entered(self, p: int, loop: Loop) -> bool:
        before = self.log.previous_in_frame(p)
        return before < 0 or self.trace.at(before).seg.block not in loop.body
