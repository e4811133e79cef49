"""One look at a function: states along its control-flow graph, loops until nothing new comes round."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from butfor.ir.instructions import Const, Instr
from butfor.ir.intervals.abstract_arithmetic import Arithmetic
from butfor.ir.intervals.abstract_frame import BIT, FAR, Dead
from butfor.ir.intervals.abstract_instructions import Execution
from butfor.ir.intervals.abstract_state import State
from butfor.ir.intervals.instruction_records import Records
from butfor.ir.intervals.join_and_widen import Joiner
from butfor.ir.intervals.linear_terms import Linear, constant, plus
from butfor.ir.intervals.prepared_functions import Body
from butfor.ir.intervals.state_covering import covers
from butfor.ir.intervals.weak_topological_order import Component, Element

if TYPE_CHECKING:
    from butfor.ir.intervals.forward_analysis import Engine

_THRESHOLD_ROUNDS = 3
_MOST_ROUNDS = 40


class GivenUp(Exception):
    """The analysis has to end without an answer; the text says why."""


class Run:
    """One look at a function from one state."""

    def __init__(self, engine: Engine, body: Body, context: int) -> None:
        self.engine = engine
        self.body, self.context = body, context
        self.function = body.function
        self.edges: dict[tuple[int, int], State] = {}
        self.returned: dict[int, State] = {}
        self.entry: State | None = None

    def result(self, state: State) -> State | None:
        """The state when the function returns."""
        self.entry = state
        for element in self.body.order:
            self._visit(element)
        found: State | None = None
        for returned in self.returned.values():
            found = self.engine.join(found, returned)
        return found

    def _visit(self, element: Element) -> None:
        if isinstance(element, Component):
            self._component(element)
        elif element in self.body.forked:
            self._forget(frozenset((element,)))
            for (source, target), state in list(self.edges.items()):
                if target == element:
                    self._block(element, state.copy(), source)
        else:
            self._forget(frozenset((element,)))
            found = self._incoming(element, frozenset())
            if found is not None:
                self._block(element, found, -1)

    def _forget(self, blocks: frozenset[int]) -> None:
        """Removes what an earlier look found to come out of these blocks."""
        for edge in [e for e in self.edges if e[0] in blocks]:
            del self.edges[edge]
        for block in [b for b in self.returned if b in blocks]:
            del self.returned[block]

    def _incoming(self, block: int, without: frozenset[int], only: bool = False) -> State | None:
        """The join of what comes into a block from outside of some blocks, or only from inside of them; a copy."""
        found: State | None = self.entry.copy() if block == 0 and self.entry is not None and not only else None
        for (source, target), state in self.edges.items():
            if target == block and (source in without) == only:
                found = state.copy() if found is None else self.engine.join(found, state)
        return found

    def _component(self, loop: Component) -> None:
        """A loop: until what comes round is covered, then once more from what really comes in."""
        engine = self.engine
        entry = self._incoming(loop.head, loop.blocks)
        self._forget(loop.blocks)
        if entry is None:
            return
        outer = engine.records
        head = entry
        for rounds in itertools.count():
            if rounds > _MOST_ROUNDS:
                raise GivenUp(f"a loop of {self.function.name} did not settle")
            back = self._round(loop, head)
            if back is None:
                break
            if covers(head, back, Arithmetic(back.numbers, engine.fresh)):
                if rounds:
                    narrowed = engine.join(entry.copy(), back)
                    assert narrowed is not None
                    self._round(loop, narrowed)
                break
            thresholds = self.body.thresholds if rounds < _THRESHOLD_ROUNDS else self.body.natural
            head = Joiner(head.copy(), back, engine.fresh, thresholds).result()
        outer.add(engine.records)
        engine.records = outer

    def _round(self, loop: Component, head: State) -> State | None:
        """One look at a loop; what comes back to its head."""
        self._forget(loop.blocks)
        self.engine.records = Records()
        self._block(loop.head, head.copy(), -1)
        for element in loop.body:
            self._visit(element)
        return self._incoming(loop.head, loop.blocks, only=True)

    # --- blocks ---------------------------------------------------------------------------------------------

    def _block(self, number: int, state: State, source: int) -> None:
        """Looks at a block, coming from one other block or from all (-1; what it merges is in its slots then)."""
        engine = self.engine
        if engine.is_over():
            raise GivenUp("the time was up")
        block = self.function.blocks[number]
        frame = Execution(engine, self.body, self.context, state)
        frame.records.block(self.function.name, number, self._plain(frame))
        engine.steps += block.end - block.start
        try:
            for instr in self.function.instrs[block.start : block.end - 1]:
                if instr.op == "phi":
                    continue
                if instr.op == "call":
                    engine.calls.call(frame, instr)
                else:
                    frame.execute(instr)
            self._leave(frame, self.function.instrs[block.end - 1], number)
        except Dead:
            return

    def _plain(self, frame: Execution) -> dict[int, tuple[int, int]]:
        """The plain variables of which something is known."""
        found = {}
        memory, range_of = frame.state.memory, frame.numbers.range
        for slot, size in self.body.plain:
            content = memory.get(self.engine.local(self.context, slot))
            value = content.cells.get((0, size)) if content is not None else None
            if isinstance(value, Linear):
                found[slot] = range_of(value)
            elif value is not None:
                reach = frame.reach(value)
                if reach is not None:
                    found[slot] = reach
        return found

    def _leave(self, frame: Execution, last: Instr, number: int) -> None:
        """The states on the ways out of a block."""
        if last.op == "br" and len(last.args) == 1:
            condition = frame.integer(last.args[0], BIT)
            frame.records.value(self.function.name, last.index, frame.numbers.range(condition))
            yes, no = last.detail
            if yes == no:
                self._edge(frame, number, yes)
                return
            other = frame.state.copy()
            if frame.numbers.assume_equal(plus(condition, -1)):
                self._edge(frame, number, yes)
            frame.become(other)
            if frame.numbers.assume_equal(condition):
                self._edge(frame, number, no)
        elif last.op == "br":
            self._edge(frame, number, last.detail[0])
        elif last.op == "switch":
            self._switch(frame, last, number)
        elif last.op == "ret":
            value = frame.value(last.args[0], last.detail) if last.args else None
            frame.state.slots[self.context, -1] = value
            frame.records.value(
                self.function.name, last.index, frame.numbers.range(value) if isinstance(value, Linear) else FAR
            )
            self.returned[number] = frame.state
        else:
            if last.op == "call":
                self.engine.calls.call(frame, last)
            elif last.op not in ("indirectbr",):
                frame.execute(last)
            for target in dict.fromkeys(self.function.blocks[number].succs):
                base = frame.state.copy()
                self._edge(frame, number, target)
                frame.become(base)

    def _switch(self, frame: Execution, last: Instr, number: int) -> None:
        default, cases, t = last.detail
        value = frame.integer(last.args[0], t)
        base = frame.state
        for case, target in cases:
            frame.become(base.copy())
            if frame.arithmetic.holds("eq", value, _number(case, t.bits), t.bits, True):
                self._edge(frame, number, target)
        frame.become(base)
        if all(
            frame.arithmetic.holds("eq", value, c, t.bits, False)
            for c in sorted(_number(case, t.bits) for case, _ in cases)
        ):
            self._edge(frame, number, default)

    def _edge(self, frame: Execution, source: int, target: int) -> None:
        """One way out of a block: what the next block merges, without what is not needed any more."""
        state = frame.state
        values = []
        block = self.function.blocks[target]
        for instr in self.function.instrs[block.start : block.end]:
            if instr.op != "phi":
                break
            arg = next(a for a, s in zip(instr.args, instr.detail, strict=True) if s == source)
            values.append((instr, frame.value(arg, instr.type)))
        for instr, value in values:
            frame.set(instr, frame.memory.typed(value, instr.type) if instr.type.bits != 1 else value)
        merged = {instr.slot for instr, _ in values}
        crossing, context = self.body.crossing, self.context
        for key in [k for k in state.slots if k[0] == context and k[1] not in crossing and k[1] not in merged]:
            del state.slots[key]
        old = self.edges.get((source, target))
        self.edges[source, target] = state if old is None else self._joined(old, state)

    def _joined(self, a: State, b: State) -> State:
        found = self.engine.join(a, b)
        assert found is not None
        return found


def _number(case: object, bits: int) -> Linear:
    value = case.value if isinstance(case, Const) else case
    assert isinstance(value, int)
    half = 1 << (bits - 1)
    return constant((value + half) % (2 * half) - half)
