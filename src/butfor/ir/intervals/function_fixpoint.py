"""The forward fixpoint of one function, with its loops iterated in weak topological order."""

from __future__ import annotations

import itertools

from butfor.ir.flow_graphs import Component, OrderElement
from butfor.ir.instructions import Const, Instr
from butfor.ir.intervals.abstract_arithmetic import Arithmetic
from butfor.ir.intervals.abstract_calls import CallEffects
from butfor.ir.intervals.abstract_frame import TRUTH_TYPE
from butfor.ir.intervals.abstract_instructions import AbstractExecution
from butfor.ir.intervals.abstract_state import AbstractState
from butfor.ir.intervals.abstract_values import OFFSET_RANGE
from butfor.ir.intervals.instruction_records import AnalysisRecords
from butfor.ir.intervals.join_and_widen import Joiner
from butfor.ir.intervals.linear_terms import Linear, constant, plus
from butfor.ir.intervals.prepared_functions import PreparedFunction
from butfor.ir.intervals.shared_analysis import GivenUp, SharedAnalysis, Unreachable
from butfor.ir.intervals.state_covering import covers
from butfor.ir.machine_types import signed_value

ROUNDS_WITH_THRESHOLDS = 3  # widened to constants of the function; after that only to the bounds of types
MAX_ROUNDS_PER_LOOP = 40  # widening ends long before; guards against a domain that does not stabilise


class FunctionFixpoint:
    """The analysis of one function from one entry state.

    `edges`: the states on control-flow edges. `returned`: the states at returns, by block.
    """

    def __init__(self, shared: SharedAnalysis, calls: CallEffects, body: PreparedFunction, context: int) -> None:
        self.shared, self.calls = shared, calls
        self.body, self.context = body, context
        self.function = body.function
        self.edges: dict[tuple[int, int], AbstractState] = {}
        self.returned: dict[int, AbstractState] = {}
        self.entry: AbstractState | None = None

    def returned_state(self, state: AbstractState) -> AbstractState | None:
        """The join of the states at all returns, None if the function never returns."""
        self.entry = state
        for element in self.body.order:
            self._visit(element)
        found: AbstractState | None = None
        for returned in self.returned.values():
            found = self.shared.join(found, returned)
        return found

    def _visit(self, element: OrderElement) -> None:
        if isinstance(element, Component):
            self._visit_loop(element)
        elif element in self.body.split_blocks:
            self._clear_outgoing(frozenset((element,)))
            for (_, target), state in list(self.edges.items()):
                if target == element:
                    self._visit_block(element, state.copy())
        else:
            self._clear_outgoing(frozenset((element,)))
            found = self._incoming(element, frozenset())
            if found is not None:
                self._visit_block(element, found)

    def _clear_outgoing(self, blocks: frozenset[int]) -> None:
        """Remove the states that an earlier visit of these blocks left on their outgoing edges."""
        for edge in [e for e in self.edges if e[0] in blocks]:
            del self.edges[edge]
        for block in [b for b in self.returned if b in blocks]:
            del self.returned[block]

    def _incoming(self, block: int, blocks: frozenset[int], from_inside: bool = False) -> AbstractState | None:
        """A copy of the join over the edges into a block: from outside some blocks, or only from inside them."""
        found: AbstractState | None = (
            self.entry.copy() if block == 0 and self.entry is not None and not from_inside else None
        )
        for (source, target), state in self.edges.items():
            if target == block and (source in blocks) == from_inside:
                found = state.copy() if found is None else self.shared.join(found, state)
        return found

    def _visit_loop(self, loop: Component) -> None:
        """Iterate the loop until its back-edge state is covered, then once more from the narrowed state."""
        shared = self.shared
        entry = self._incoming(loop.head, loop.blocks)
        self._clear_outgoing(loop.blocks)
        if entry is None:
            return
        outer = shared.records
        head = entry
        for rounds in itertools.count():
            if rounds > MAX_ROUNDS_PER_LOOP:
                raise GivenUp(f"a loop of {self.function.name} did not settle")
            back = self._iterate_once(loop, head)
            if back is None:
                break
            if covers(head, back, Arithmetic(back.numbers, shared.fresh_symbols)):
                if rounds:
                    narrowed = shared.join(entry.copy(), back)
                    assert narrowed is not None
                    self._iterate_once(loop, narrowed)
                break
            thresholds = self.body.thresholds if rounds < ROUNDS_WITH_THRESHOLDS else self.body.type_bounds
            head = Joiner(head.copy(), back, shared.fresh_symbols, thresholds).result()
        outer.merge(shared.records)
        shared.records = outer

    def _iterate_once(self, loop: Component, head: AbstractState) -> AbstractState | None:
        """The back-edge state after one iteration of the loop from a state at its head."""
        self._clear_outgoing(loop.blocks)
        self.shared.records = AnalysisRecords()
        self._visit_block(loop.head, head.copy())
        for element in loop.body:
            self._visit(element)
        return self._incoming(loop.head, loop.blocks, from_inside=True)

    # --- blocks ---------------------------------------------------------------------------------------------

    def _visit_block(self, number: int, state: AbstractState) -> None:
        """Analyse a block from a state, in which its phis already have their values."""
        shared = self.shared
        if shared.is_over():
            raise GivenUp("the time was up")
        block = self.function.blocks[number]
        frame = AbstractExecution(shared, self.body, self.context, state)
        frame.records.note_block(self.function.name, number, self._plain_ranges(frame))
        shared.steps += block.end - block.start
        try:
            for instr in self.function.instrs[block.start : block.end - 1]:
                if instr.op == "phi":
                    continue
                if instr.op == "call":
                    self.calls.call(frame, instr)
                else:
                    frame.execute(instr)
            self._leave_block(frame, self.function.instrs[block.end - 1], number)
        except Unreachable:
            return

    def _plain_ranges(self, frame: AbstractExecution) -> dict[int, tuple[int, int]]:
        """The known ranges of plain variables, by slot."""
        found = {}
        memory, range_of = frame.state.memory, frame.numbers.range
        for slot, size in self.body.plain_variables:
            content = memory.get(self.shared.local_object(self.context, slot))
            value = content.cells.get((0, size)) if content is not None else None
            if isinstance(value, Linear):
                found[slot] = range_of(value)
            elif value is not None:
                offsets = frame.offset_range(value)
                if offsets is not None:
                    found[slot] = offsets
        return found

    def _leave_block(self, frame: AbstractExecution, last: Instr, number: int) -> None:
        """Propagate the state along the outgoing edges of a block."""
        if last.is_two_way:
            condition = frame.integer(last.args[0], TRUTH_TYPE)
            frame.records.note_value(self.function.name, last.index, frame.numbers.range(condition))
            yes, no = last.detail
            if yes == no:
                self._flow_along(frame, number, yes)
                return
            other = frame.state.copy()
            if frame.numbers.assume_zero(plus(condition, -1)):
                self._flow_along(frame, number, yes)
            frame.continue_with(other)
            if frame.numbers.assume_zero(condition):
                self._flow_along(frame, number, no)
        elif last.op == "br":
            self._flow_along(frame, number, last.detail[0])
        elif last.op == "switch":
            self._switch(frame, last, number)
        elif last.op == "ret":
            value = frame.value(last.args[0], last.detail) if last.args else None
            frame.state.slots[self.context, -1] = value
            frame.records.note_value(
                self.function.name,
                last.index,
                frame.numbers.range(value) if isinstance(value, Linear) else OFFSET_RANGE,
            )
            self.returned[number] = frame.state
        else:
            if last.op == "call":
                self.calls.call(frame, last)
            elif last.op != "indirectbr":
                frame.execute(last)
            for target in dict.fromkeys(self.function.blocks[number].succs):
                base = frame.state.copy()
                self._flow_along(frame, number, target)
                frame.continue_with(base)

    def _switch(self, frame: AbstractExecution, last: Instr, number: int) -> None:
        default, cases, t = last.detail
        value = frame.integer(last.args[0], t)
        base = frame.state
        for case, target in cases:
            frame.continue_with(base.copy())
            if frame.arithmetic.assume_compare("eq", value, _case_term(case, t.bits), t.bits, True):
                self._flow_along(frame, number, target)
        frame.continue_with(base)
        if all(
            frame.arithmetic.assume_compare("eq", value, c, t.bits, False)
            for c in sorted(_case_term(case, t.bits) for case, _ in cases)
        ):
            self._flow_along(frame, number, default)

    def _flow_along(self, frame: AbstractExecution, source: int, target: int) -> None:
        """Propagate the state along one edge: assign the phis of the target, drop slots that are dead there."""
        state = frame.state
        values = []
        for instr in self.function.block_instrs(target):
            if instr.op != "phi":
                break
            arg = next(a for a, s in zip(instr.args, instr.detail, strict=True) if s == source)
            values.append((instr, frame.value(arg, instr.type)))
        for instr, value in values:
            frame.assign(instr, frame.memory.typed(value, instr.type) if instr.type.bits != 1 else value)
        merged = {instr.slot for instr, _ in values}
        live, context = self.body.live_across_blocks, self.context
        for key in [k for k in state.slots if k[0] == context and k[1] not in live and k[1] not in merged]:
            del state.slots[key]
        old = self.edges.get((source, target))
        self.edges[source, target] = state if old is None else self._joined(old, state)

    def _joined(self, a: AbstractState, b: AbstractState) -> AbstractState:
        found = self.shared.join(a, b)
        assert found is not None
        return found


def _case_term(case: object, bits: int) -> Linear:
    value = case.value if isinstance(case, Const) else case
    assert isinstance(value, int)
    return constant(signed_value(value, bits))
