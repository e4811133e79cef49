"""Instances of a run in words: places, calls with arguments, rounds of loops, values and where they came from."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from butfor.ir.instructions import Const, Instr, Operand
from butfor.ir.machine_types import Kind
from butfor.libc.library import lookup
from butfor.origin_ladder import Round
from butfor.origins.value_origins import Origin, OriginKind, ValueOrigins
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.log.record_layout import NO_FRAME, EventKind
from butfor.trace.trace import Node, Trace, UnknownValue
from butfor.trace.view.access_names import NamedRead
from butfor.trace.view.c_values import value_text
from butfor.trace.view.run_objects import RunObjects
from butfor.trace.view.source_places import Place, Places
from butfor.trace.view.source_steps import Steps

_LAST_MEMBER = re.compile(r"(?:->|\.)\s*\w+$")
_MAX_VALUE_CHARS = 48  # of one value within a sentence
_MAX_PARAMETERS_SHOWN = 3  # of a call within a sentence
_FEW_FRAMES = 100  # calls around an instance that are walked one by one
_MAX_LEAVES = 12  # values that one expression is made of; more do not fit a sentence anyway
_MAX_EXPRESSION_NODES = 400  # instructions of one expression
_MAX_DECISIONS_AROUND = 8  # of an instance: more are nested too deeply to matter
MAX_TEXT_CHARS = 72  # of a statement within a sentence


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value that an expression read: a variable, member or element, or the result of a call. `name` is as written."""

    node: Node
    name: str
    value: str
    is_index: bool = False  # it only chose which element was read


class RunWords:
    """Words for the instances of one run; `home` is the file that lines without a file name are of."""

    def __init__(self, places: Places, dependence: Dependence, steps: Steps | None = None, home: str = "") -> None:
        self.places = places
        self.trace: Trace = places.trace
        self.log = self.trace.log
        self.dependence = dependence
        self.objects: RunObjects = places.objects
        self.steps = steps or Steps(places, places.objects, dependence)
        self.origins = ValueOrigins(dependence)
        self.home = home

    # --- places -------------------------------------------------------------------------------------------------

    def place(self, node: Node) -> Place | None:
        """The statement of an instance in the user's own code."""
        return self.places.of(self.places.in_user_code(node))

    def line(self, place: Place) -> str:
        """Where a statement is: `line 12`, or `list.c:12` in another file."""
        return f"line {place.line}" if place.file == self.home else f"{place.file.rpartition('/')[2]}:{place.line}"

    def line_of(self, node: Node) -> str:
        """Where an instance is, "" where it has no source."""
        place = self.place(node)
        return self.line(place) if place is not None else ""

    def quoted(self, place: Place) -> str:
        """The text of a statement in backticks, on one line and not too long."""
        return quoted(place.text)

    # --- calls --------------------------------------------------------------------------------------------------

    def call_words(self, i: int, with_caller: bool = True) -> str:
        """The call that a segment instance is in: `push(value = 20), called at line 49`."""
        s = self.trace.at(i)
        arguments = self.arguments(self.trace.frame_entry(i))
        shown = ", ".join(f"{name} = {value}" for name, value in arguments[:_MAX_PARAMETERS_SHOWN])
        more = ", ..." if len(arguments) > _MAX_PARAMETERS_SHOWN else ""
        if s.fn.name == "main":
            return "main()"
        call = self.trace.call_of(i)
        where = self.line_of(call) if call is not None and with_caller else ""
        round_ = self.round_words(call[0]) if call is not None and where else ""
        where += f" {round_}" if round_ else ""
        return f"{s.fn.name}({shown}{more})" + (f", called at {where}" if where else "")

    def arguments(self, entry: int) -> list[tuple[str, str]]:
        """The parameters of the call that begins at a segment instance, with their values."""
        s = self.trace.at(entry)
        found: dict[str, str] = {}
        for n in range(s.seg.start, s.seg.end):
            instr = s.fn.instrs[n]
            if instr.op == "store" and s.fn.is_parameter(instr.args[0]):
                known = self.steps.accesses.types.variable(s.fn, instr.args[1])
                value = self.stored_text((entry, n), instr) if known is not None else "0x"
                if known is not None and not value.startswith("0x"):
                    found.setdefault(known[0].name, value)  # of a struct in two registers, the first part
        return list(found.items())

    def frames(self, i: int, most: int) -> list[int]:
        """The innermost calls around a segment instance, as the segment instances that are in each, at most so many."""
        found = [i]
        frame = self.log.frame_of(i)
        parents, callers = self.log.frame["parent"], self.log.frame["caller"]
        if most > _FEW_FRAMES:  # plain lists are several times faster to walk
            parents, callers = parents[: frame + 1].tolist(), callers[: frame + 1].tolist()
        while len(found) < most and int(parents[frame]) != NO_FRAME:
            found.append(int(callers[frame]))
            frame = int(parents[frame])
        return found

    # --- loops --------------------------------------------------------------------------------------------------

    def rounds(self, i: int) -> tuple[Round, ...]:
        """The rounds of the loops around a segment instance, innermost first."""
        return tuple(Round(it.line, it.number, it.total) for it in self.steps.iterations(i) if it.line)

    def round_words(self, i: int) -> str:
        """The round of the innermost loop: `in round 2 of 3`; "" outside of loops and in a loop's only round."""
        inner = next(iter(self.rounds(i)), None)
        if inner is None or inner.total == 1:
            return ""
        return f"in round {inner.number:,}" + (f" of {inner.total:,}" if inner.total >= inner.number else "")

    # --- values -------------------------------------------------------------------------------------------------

    def stored_text(self, node: Node, instr: Instr, target: str | None = None) -> str:
        """The value that a store stored, as C text."""
        data = self.trace.stored_bytes(node)
        if not data:
            return "?"
        return short(self.steps.accesses.value_text(node[0], instr.args[1], instr.detail, data, target))

    def text_of(self, node: Node) -> str:
        """The value of an instance as C text, "?" where it is not known."""
        if node[1] < 0:
            fn = self.trace.at(node[0]).fn
            t = fn.params[~node[1]]
        else:
            instr = self.trace.instr(node)
            if instr.op == "store":
                return self.stored_text(node, instr)
            if instr.op == "load":
                read = self._named(node)
                if read is not None:
                    return read.value
            t = instr.type
        try:
            return short(value_text(self.trace.value(node), t, None, self.objects, node[0]))
        except (UnknownValue, TypeError, ValueError):
            return "?"

    def number(self, node: Node) -> int | None:
        """The value of an instance, where it is a known number or address."""
        try:
            value = self.trace.value(node)
        except UnknownValue:
            return None
        return value if isinstance(value, int) else None

    def leaves(self, node: Node, operands: Iterable[Operand] | None = None) -> list[Leaf]:
        """The values that an instance's expression was computed from, as they are read in the source."""
        args = self.trace.instr(node).args if operands is None else operands
        if operands is None and self.trace.instr(node).op == "store":
            args = args[:1]  # type: ignore[index]  # the operands of an instruction are a tuple
        work = [(node[0], a, False) for a in args]
        found: dict[tuple[str, bool], Leaf] = {}
        seen: set[Node] = set()
        while work and len(seen) < _MAX_EXPRESSION_NODES and len(found) < _MAX_LEAVES:
            i, operand, is_index = work.pop(0)
            at = self.definition(i, operand)
            if at is None or at in seen:
                continue
            seen.add(at)
            work += self._inner(at, found, is_index)
        return list(found.values())

    def definition(self, i: int, operand: Operand) -> Node | None:
        """The instance that defined an operand as seen in segment instance i; None for constants and unknown ones."""
        try:
            return self.trace.definition(i, operand) if isinstance(operand, int) else None
        except UnknownValue:
            return None

    def _inner(self, at: Node, found: dict[tuple[str, bool], Leaf], is_index: bool) -> list[tuple[int, Operand, bool]]:
        """The operands to look at behind an instance; a leaf is added to those found."""
        if at[1] < 0:
            return []
        instr = self.trace.instr(at)
        if instr.op == "load":
            leaf = self._named(at, is_index)
            if leaf is not None:
                found.setdefault((leaf.name, False), leaf)
            return [(at[0], instr.args[0], True)]
        if instr.op == "call" and self.trace.at(at[0]).layout.kinds[at[1]] != "pure":
            name = f"{callee_name(instr)}()"
            if not is_index:
                found.setdefault((name, True), Leaf(at, name, self.text_of(at)))
            return []
        if instr.op == "phi":
            chosen, before = self.trace.phi_choice(at)
            last = self.trace.at(before).last
            return [(before, chosen, is_index), *((before, a, is_index) for a in last.args if last.is_two_way)]
        return [] if instr.op == "alloca" else [(at[0], a, is_index) for a in instr.args]

    def _named(self, load: Node, is_index: bool = False) -> Leaf | None:
        try:
            read = next(iter(self.steps.accesses.read(load)), None) or self._updated_read(load)
        except UnknownValue:
            return None
        if read is None or read.text.startswith("0x"):
            return None
        text = self._freed_target(load) or read.text
        return Leaf(load, self._fitting_name(load, read.name), short(text), is_index)

    def _freed_target(self, load: Node) -> str:
        """A pointer to a heap block that was freed by then: its memory may be that of another block; "" for others."""
        if self.trace.instr(load).type.kind is not Kind.PTR or not len(self.log.death):
            return ""
        origin = self.origins.of(load)
        if origin.kind is not OriginKind.RETURNED:
            return ""
        made = self.objects.blocks.made_in(origin.node[0])
        died = self.log.death_of(made) if made else -1
        block = self.objects.blocks.of(made) if 0 <= died < load[0] else None
        return f"&({block.value_text()}, freed)" if block is not None else ""

    def _updated_read(self, load: Node) -> NamedRead | None:
        """What a compound assignment read of its own target, whose position in the debug info is the operator."""
        instr = self.trace.instr(load)
        where, place = self.places.location(instr), self.places.of(load)
        tree = self.places.tree(place.path) if place is not None else None
        target = tree.target_at(where.line, where.column) if tree is not None and where is not None else None
        if target is None:
            return None
        data = self.trace.loaded_bytes(load)
        return NamedRead(target, data, self.steps.accesses.value_text(load[0], instr.args[0], instr.type, data, target))

    def _fitting_name(self, load: Node, written: str) -> str:
        """The name of what a load read; the debug info gives `a->b` and the `a` in it the same position."""
        name = " ".join(written.split())
        if _LAST_MEMBER.search(name) is None:
            return name
        fn = self.trace.at(load[0]).fn
        gep = fn.definition(self.trace.instr(load).args[0])
        last = gep.args[-1] if gep is not None and gep.op == "gep" else None
        is_element = last is not None and (not isinstance(last, Const) or len(last_step(gep)) == 1)
        return _LAST_MEMBER.sub("", name) if gep is None or gep.op == "alloca" or is_element else name

    def pointer_name(self, node: Node) -> str:
        """How the source writes what a load read, or the call that gave a value; "" where it does not."""
        if node[1] < 0:
            return ""
        instr = self.trace.instr(node)
        if instr.op == "load":
            named = self._named_anyway(node)
            return named
        return f"{callee_name(instr)}()" if instr.op == "call" and instr.callee else ""

    def _named_anyway(self, load: Node) -> str:
        try:
            read = next(iter(self.steps.accesses.read(load)), None) or self._updated_read(load)
        except UnknownValue:
            return self.places.lvalue_text(self.trace.instr(load)) or ""
        return self._fitting_name(load, read.name) if read is not None else ""

    def with_origins(self, leaves: Iterable[Leaf], beside: Place | None) -> str:
        """Names, values and the lines where the values were made: `lo = 3 (line 20), hi = 3`."""
        return ", ".join(f"{leaf.name} = {leaf.value}{self._made_at(leaf, beside)}" for leaf in leaves)

    def telling_decision(self, node: Node, asked_by: Node | None) -> Node | None:
        """The decision that let an instance run, unless it goes without saying.

        It does for the condition of the loop around it, for a check that only ends the function early, and for a
        decision that let the instance run which asks.
        """
        frame = self.log.frame_of(node[0])
        branch = self.dependence.control(node[0])
        if branch is None or self.log.frame_of(branch[0]) != frame or not self.trace.instr(branch).is_conditional:
            return None
        if self._keeps_loop_going(branch, node) or branch in self._decisions_around(asked_by, frame):
            return None
        return None if self._is_passed_guard(branch) or self._is_passed_check(branch) else branch

    def _is_passed_check(self, branch: Node) -> bool:
        """Whether a branch is an assertion that held: its other arms do not come back."""
        s = self.trace.at(branch[0])
        following = self.trace.next_in_frame(branch[0])
        taken = self.trace.at(following).seg.block if following >= 0 else -1
        others = [block for block in s.fn.blocks[s.seg.block].succs if block != taken]
        return bool(others) and all(s.fn.terminator(block).op == "unreachable" for block in others)

    def decision_on(self, origin: Origin, asked_by: Node | None) -> Node | None:
        """The decision that chose a value: among operands, to make it, or to return it; None if none says anything."""
        if origin.decisions:
            return origin.decisions[0]
        holder = origin.holder if origin.through else origin.node
        returns = [n for n in origin.through if n[1] >= 0 and self._is_return(n)]
        for node in dict.fromkeys((holder, *returns[::-1])):
            found = self.telling_decision(node, asked_by) if node[1] >= 0 else None
            if found is not None:
                return found
        return None

    def _is_return(self, node: Node) -> bool:
        place = self.place(node)
        return self.trace.instr(node).op == "store" and place is not None and place.role == "return"

    def _is_passed_guard(self, branch: Node) -> bool:
        """Whether a branch is a check that would have left the function, and did not."""
        place, step = self.place(branch), self.steps.of(branch, brief=True)
        is_if = place is not None and place.keyword == "if"
        return is_if and step is not None and step.outcome == "false" and self.dependence.is_guard(branch)

    def _keeps_loop_going(self, branch: Node, node: Node) -> bool:
        """Whether a branch is that of a loop, and the instance is in the body that it let run once more."""
        blocks = {loop.header for loop in self.steps.loops_around(node[0])}
        place = self.place(branch)
        keyword = place.keyword if place is not None else None
        return self.trace.at(branch[0]).seg.block in blocks or (keyword in ("for", "while", "do") and bool(blocks))

    def is_loop_condition(self, branch: Node) -> bool:
        """Whether a decision is the condition of a loop."""
        place = self.place(branch)
        return place is not None and place.keyword in ("for", "while", "do")

    def _decisions_around(self, node: Node | None, frame: int) -> set[Node]:
        """The decisions of one call that let an instance run, the nearest ones."""
        found: set[Node] = set()
        at = node
        for _ in range(_MAX_DECISIONS_AROUND):
            at = self.dependence.control(at[0]) if at is not None else None
            if at is None or self.log.frame_of(at[0]) < frame:
                break
            found.add(at)
        return found

    def _made_at(self, leaf: Leaf, beside: Place | None) -> str:
        origin = self.origins.of(leaf.node)
        given = self.argument_read(origin)
        if given:
            return f" (argument {given})"
        place = self.origin_place(origin)
        if place is None or origin.kind in (OriginKind.UNINITIALISED, OriginKind.INITIAL, OriginKind.ADDRESS):
            return ""
        if beside is not None and (place.path, place.line) == (beside.path, beside.line):
            return ""
        return f" ({self.line(place)})"

    def argument_read(self, origin: Origin) -> int:
        """The number of the command-line argument that a value was converted from; 0 for none."""
        if origin.kind is not OriginKind.RETURNED:
            return 0
        for k in self.log.events_of(origin.node[0]):
            e = self.log.event[k]
            if int(e["kind"]) == EventKind.READ_BY_CALL:
                spans = enumerate(self.places.recording.arguments)
                found = next((n for n, (start, size) in spans if n and start <= int(e["addr"]) < start + size), 0)
                if found:
                    return found
        return 0

    def origin_place(self, origin: Origin) -> Place | None:
        """The statement that made a value."""
        if origin.kind is OriginKind.CONSTANT and origin.through:
            return self.place(origin.holder)
        return self.place(origin.node)


def last_step(gep: Instr | None) -> tuple[Operand, ...]:
    """The indices of an address computation; a single one steps over elements."""
    return gep.args[1:] if gep is not None else ()


def callee_name(instr: Instr) -> str:
    """The function that a call calls, by the name that headers give it."""
    if instr.callee is None:
        return "the function"
    known = lookup(instr.callee)
    return known.name if known is not None else instr.callee


def told_leaves(leaves: Iterable[Leaf], most: int) -> list[Leaf]:
    """The leaves to show beside a statement: values, then numbers that chose elements; no pointers on the way."""
    given = list(leaves)
    numbers = [leaf for leaf in given if leaf.is_index and not leaf.value.startswith("&")]
    return ([leaf for leaf in given if not leaf.is_index] + numbers)[:most]


def short(text: str) -> str:
    """A value within a sentence."""
    return text if len(text) <= _MAX_VALUE_CHARS else text[: _MAX_VALUE_CHARS - 1] + "…"


def quoted(text: str) -> str:
    """Source text in backticks, on one line and not too long."""
    flat = " ".join(text.split())
    return f"`{flat if len(flat) <= MAX_TEXT_CHARS else flat[: MAX_TEXT_CHARS - 1] + '…'}`"
