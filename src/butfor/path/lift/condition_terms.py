"""Terms for whole conditions and merged values, with the parts that the run did not evaluate."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from butfor.encode.instance_values import bits_of
from butfor.ir.flow_graphs import immediate_dominators, successors
from butfor.ir.instructions import Const, Function, Instr, Operand
from butfor.ir.machine_types import store_size
from butfor.ir.recording_segments import variable_and_offset
from butfor.logic.rules import choose
from butfor.logic.terms import FALSE, TRUE, Term, conjunction, const, disjunction, equal, ite, negate
from butfor.path.lift.register_terms import UNDETERMINED, RegisterTerms
from butfor.trace.trace import Node, Trace

MAX_BLOCKS_PER_CONDITION = 64  # longer ones are loops, not conditions
_NOT_COMPUTED = frozenset(("load", "br", "switch", "phi"))

Read = Callable[[int, int, int], Term | None]  # what memory holds now: address, size, segment instance


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of one frame: `ran` has the segment instance that ended each block, `last` is the current one."""

    fn: Function
    ran: Mapping[int, int]
    last: int


def stretch_since(trace: Trace, i: int, stop: int) -> Stretch | None:
    """The blocks that ran from block `stop` up to segment instance i; None when that is too long for a condition."""
    fn = trace.at(i).fn
    ran: dict[int, int] = {}
    j = i
    for _ in range(4 * MAX_BLOCKS_PER_CONDITION):
        j = trace.log.previous_in_frame(j)
        if j < 0:
            return None
        block = trace.at(j).seg.block
        ran.setdefault(block, j)
        if block == stop:
            return Stretch(fn, ran, i)
    return None


class Merges:
    """The ways that meet in a phi, from where they parted."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._dominators: dict[str, tuple[int, ...]] = {}

    def since(self, phi: Node) -> tuple[int, Stretch | None]:
        """The block where the ways parted, and what ran from there; None when that is too long for a condition."""
        s = self.trace.at(phi[0])
        known = self._dominators.get(s.fn.name)
        if known is None:
            known = self._dominators[s.fn.name] = immediate_dominators(successors(s.fn))
        stop = known[s.seg.block]
        return stop, stretch_since(self.trace, phi[0], stop) if stop >= 0 else None

    def loads_not_evaluated(self, phi: Node) -> Iterator[tuple[int, int, int]]:
        """Address and size of what the ways not taken would have read from variables, and the moment."""
        _, stretch = self.since(phi)
        region = _region(stretch, self.trace.at(phi[0]).seg.block) if stretch is not None else frozenset()
        if stretch is not None and len(region) <= MAX_BLOCKS_PER_CONDITION:
            yield from ((a, n, stretch.last) for a, n in hypothetical_loads(self.trace, stretch, region))


class ConditionTerms:
    """Terms for all ways through the blocks of a condition."""

    def __init__(self, trace: Trace, registers: RegisterTerms, read: Read) -> None:
        self.trace = trace
        self.registers = registers
        self.read = read
        self._merges = Merges(trace)

    # --- conditions ---------------------------------------------------------------------------------------------------

    def leads_to(self, stretch: Stretch, head: int, blocks: frozenset[int], exit_block: int) -> Term:
        """The condition that the evaluation which begins at `head` leaves the blocks to the exit."""

        def leaf(block: int, _: int) -> Term | None:
            return None if block in blocks else TRUE if block == exit_block else FALSE

        return self.registers.state.simplify(self._condition(stretch, head, -1, leaf, 0))

    def _condition(
        self, stretch: Stretch, block: int, before: int, leaf: Callable[[int, int], Term | None], deep: int
    ) -> Term:
        instrs = stretch.fn.block_instrs(block)
        last = instrs[-1]
        if deep > MAX_BLOCKS_PER_CONDITION or not last.is_branch:
            return self.registers.state.unknown("condition", 0)

        def go(target: int) -> Term:
            found = leaf(target, block)
            return found if found is not None else self._condition(stretch, target, block, leaf, deep + 1)

        if not last.args:
            return go(last.detail[0])
        if last.op == "switch":
            return self._switch(stretch, block, before, last, go)
        truth = self._truth(stretch, block, before, last.args[0])
        return choose(truth, go(last.detail[0]), go(last.detail[1]))

    def _switch(self, stretch: Stretch, block: int, before: int, last: Instr, go: Callable[[int], Term]) -> Term:
        default, cases, t = last.detail
        value = self._operand(stretch, block, before, last.args[0])
        if value is None:
            return self.registers.state.unknown("condition", 0)
        hits = [(equal(value, const(int(case or 0), t.bits)), target) for case, target in cases]
        ways = [conjunction((hit, go(target))) for hit, target in hits]
        ways.append(conjunction((*(negate(hit) for hit, _ in hits), go(default))))
        return disjunction(w for w in map(self.registers.state.simplify, ways) if w is not FALSE)

    def _truth(self, stretch: Stretch, block: int, before: int, op: Operand) -> Term:
        value = self._operand(stretch, block, before, op)
        if value is None:
            return self.registers.state.unknown("condition", 0)
        return self.registers.state.simplify(equal(value, const(1, 1)))

    # --- merged values ------------------------------------------------------------------------------------------------

    def merged(self, phi: Node) -> Term:
        """The value of a phi, whichever way had led there."""
        s = self.trace.at(phi[0])
        instr = self.trace.instr(phi)
        width = bits_of(instr.type)
        chosen, at = self.trace.phi_choice(phi)
        stop, stretch = self._merges.since(phi)
        if stretch is None:
            return self.registers.operand(at, chosen)

        def value(block: int, before: int, deep: int) -> Term:
            if block == s.seg.block:
                k = instr.detail.index(before)
                found = self._operand(stretch, before, -1, instr.args[k])
                return (
                    found
                    if found is not None and found.width == width
                    else self.registers.state.unknown("value", width)
                )
            last = s.fn.terminator(block)
            if deep > MAX_BLOCKS_PER_CONDITION or last.op != "br":
                return self.registers.state.unknown("value", width)
            if not last.args:
                return value(last.detail[0], block, deep + 1)
            truth = self._truth(stretch, block, before, last.args[0])
            if truth is TRUE or truth is FALSE:
                return value(last.detail[0 if truth is TRUE else 1], block, deep + 1)
            return ite(truth, value(last.detail[0], block, deep + 1), value(last.detail[1], block, deep + 1))

        return self.registers.state.simplify(value(stop, -1, 0))

    # --- operands -----------------------------------------------------------------------------------------------------

    def _operand(self, stretch: Stretch, block: int, before: int, op: Operand) -> Term | None:
        """An operand of a block that was, or would have been, reached from another one; None when it cannot be told."""
        if isinstance(op, Const):
            return self.registers.constant(op)
        instr = stretch.fn.definition(op)
        if instr is not None and instr.op == "phi" and instr.block == block and before >= 0:
            return self._operand(stretch, before, -1, instr.args[instr.detail.index(before)])
        if (
            instr is None
            or instr.op == "alloca"
            or (instr.block in stretch.ran and not self._is_after_phi(stretch, instr, block, before))
        ):
            at = stretch.ran.get(instr.block, stretch.last) if instr is not None else stretch.last
            return self._ran(at, op)
        if instr.block != block:
            return self._ran(stretch.last, op) if instr.block not in _region(stretch, block) else None
        return self._hypothetical(stretch, block, before, instr)

    def _ran(self, i: int, op: int) -> Term | None:
        try:
            return self.registers.operand(i, op)
        except UNDETERMINED:
            return None

    def _is_after_phi(self, stretch: Stretch, instr: Instr, block: int, before: int) -> bool:
        """Whether a value depends on which way led to its block."""
        return (
            before >= 0
            and instr.block == block
            and any(isinstance(a, int) and self._uses_phi(stretch.fn, a, block) for a in instr.args)
        )

    def _uses_phi(self, fn: Function, slot: int, block: int) -> bool:
        instr = fn.definition(slot)
        if instr is None or instr.block != block:
            return False
        return instr.op == "phi" or any(isinstance(a, int) and self._uses_phi(fn, a, block) for a in instr.args)

    def _hypothetical(self, stretch: Stretch, block: int, before: int, instr: Instr) -> Term | None:
        if instr.op == "load":
            address = fixed_address(self.trace, stretch.fn, stretch.last, instr.args[0])
            return None if address is None else self.read(address, store_size(instr.type), stretch.last)
        if instr.op in _NOT_COMPUTED or instr.op == "call":
            return None
        args = [self._operand(stretch, block, before, a) for a in instr.args]
        if any(a is None for a in args):
            return None
        return self.registers.hypothetical_result(
            instr, [a for a in args if a is not None], stretch.fn.operand_type(instr.args[0])
        )


def fixed_address(trace: Trace, fn: Function, i: int, op: Operand) -> int | None:
    """The address of a variable that an operand names."""
    root = variable_and_offset(fn, op, trace.program.layout(fn.name).frame)
    if root is None:
        return None
    if isinstance(root[0], int):
        return int(trace.value((trace.frame_entry(i), fn.definer[root[0]]))) + root[1]
    return trace.addresses[root[0]] + root[1] if root[0] in trace.addresses else None


def hypothetical_loads(trace: Trace, stretch: Stretch, blocks: frozenset[int]) -> Iterator[tuple[int, int]]:
    """Address and size of what the blocks that did not run would have read from variables."""
    for block in blocks - stretch.ran.keys():
        for instr in stretch.fn.block_instrs(block):
            address = fixed_address(trace, stretch.fn, stretch.last, instr.args[0]) if instr.op == "load" else None
            if address is not None:
                yield address, store_size(instr.type)


def _region(stretch: Stretch, block: int) -> frozenset[int]:
    """Blocks other than these that did not run in the stretch, on the way to a block."""
    found: set[int] = set()
    work = [block]
    while work:
        for before in stretch.fn.blocks[work.pop()].preds:
            if before not in found and before not in stretch.ran:
                found.add(before)
                work.append(before)
    return frozenset(found)
