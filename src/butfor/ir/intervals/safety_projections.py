"""Safety and error projections of one function: boxes at the starts of its blocks, computed backwards.

Safety: an over-approximation of the states from which no proved check of the function need be violated. Error: the
states from which a violation of one check could be reached, were it not for the code before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from butfor.ir.flow_graphs import reverse_post_order, successors
from butfor.ir.instructions import Instr, Operand
from butfor.ir.intervals.instruction_records import AnalysisRecords, ProgramPoint
from butfor.ir.intervals.linear_terms import Range
from butfor.ir.intervals.prepared_functions import PreparedFunction
from butfor.ir.intervals.proved_facts import CheckVerdict, Interval
from butfor.ir.intervals.value_boxes import EVERYTHING, UNBOUNDED, BackwardTransfer, Box, box_hull
from butfor.ir.machine_types import Kind

MAX_SAFETY_ROUNDS = 8  # the boxes only shrink, and every round is sound
ROUNDS_BEFORE_WIDENING = 3  # of an error projection; after that, bounds that still move are dropped


@dataclass(frozen=True, slots=True)
class CheckCondition:
    """What a proved check demands of an operand: its safe and its wrong values. No operand: it must be unreachable."""

    check: CheckVerdict
    operand: Operand | None
    safe: Range
    wrong: Range


@dataclass(frozen=True, slots=True, eq=False)
class ProofContext:
    """What the projections of all functions share: their inputs, and what they add to.

    `conditions`: of proved checks by function and instruction. `entries`: safe ranges of parameters by function.
    `allowed` and `trusted`: see `StaticFacts`.
    """

    prepared: Callable[[str], PreparedFunction]
    records: AnalysisRecords
    conditions: dict[str, dict[int, list[CheckCondition]]] = field(default_factory=dict)
    entries: dict[str, Box] = field(default_factory=dict)
    allowed: dict[ProgramPoint, Interval] = field(default_factory=dict)
    trusted: set[ProgramPoint] = field(default_factory=set)


class BackwardFixpoint:
    """Boxes at the starts of the blocks of one function."""

    def __init__(self, proofs: ProofContext, name: str, blame: int | None = None) -> None:
        self.proofs, self.name = proofs, name
        self.body = proofs.prepared(name)
        self.function = self.body.function
        self.steps = BackwardTransfer(self.body, proofs.records, blame)
        self.boxes: list[Box | None] = []
        self.order = reverse_post_order(successors(self.function))[::-1]

    def on_edge(self, block: int, target: int) -> Box | None:
        """The box on an edge: the box of its target, through its phis and the condition of the branch."""
        box = self.boxes[target]
        if box is None:
            return None
        found: Box | None = dict(box)
        for instr in self.function.block_instrs(target):
            if instr.op != "phi":
                break
            if found is not None and instr.slot in found:
                r = found.pop(instr.slot)
                arg = next(a for a, s in zip(instr.args, instr.detail, strict=True) if s == block)
                found = self.steps.demand(found, arg, r)
        last = self.function.terminator(block)
        if found is not None and last.is_two_way and last.detail[0] != last.detail[1]:
            holds = int(last.detail[0] == target)
            found = self.steps.demand(found, last.args[0], (holds, holds))
        return found

    def start_boxes(self, block: int) -> list[tuple[int, Box]]:
        """The boxes to follow back through a block, each with the instruction before which it holds."""
        end = self.function.blocks[block].end
        succs = dict.fromkeys(self.function.blocks[block].succs)
        if not succs:
            last = self.at_end()
            return [] if last is None else [(end, last)]
        return [(end, box) for t in succs if (box := self.on_edge(block, t)) is not None]

    def at_end(self) -> Box | None:
        """The box at the end of the function."""
        raise NotImplementedError

    def before(self, instr: Instr, box: Box) -> Box | None:
        """The box before an instruction."""
        raise NotImplementedError

    def through(
        self, block: int, at: int, box: Box | None, visit: Callable[[Instr, Box], None] | None = None
    ) -> Box | None:
        """The box at the start of a block, given one before an instruction; `visit` gets the box after each one."""
        start = self.function.blocks[block].start
        for instr in reversed(self.function.instrs[start:at]):
            if instr.op == "phi" or box is None:
                break
            if visit is not None:
                visit(instr, box)
            box = self.before(instr, box)
        return box

    def at_start(self, block: int) -> Box | None:
        """The box at the start of a block, joined over all boxes to follow back."""
        found: Box | None = None
        for at, box in self.start_boxes(block):
            found = box_hull(found, self.through(block, at, box))
        return found


class SafetyProjection(BackwardFixpoint):
    """Boxes from which no proved check need be violated, by descending iteration: every round is sound."""

    def __init__(self, proofs: ProofContext, name: str) -> None:
        super().__init__(proofs, name)
        self.boxes = [{} for _ in self.function.blocks]
        self.conditions = proofs.conditions.get(name, {})

    def at_end(self) -> Box | None:
        return {}

    def before(self, instr: Instr, box: Box) -> Box | None:
        found = self.steps.before(instr, box)
        if found is not None and instr.op == "call":
            found = self._call(instr, found)
        for condition in self.conditions.get(instr.index, ()):
            if found is not None:
                found = (
                    None if condition.operand is None else self.steps.demand(found, condition.operand, condition.safe)
                )
        return found

    def _call(self, instr: Instr, box: Box) -> Box | None:
        found: Box | None = box
        for k, r in self.proofs.entries.get(instr.callee or "", {}).items():
            if found is not None and k < len(instr.args) and instr.detail.arg_types[k].kind is Kind.INT:
                found = self.steps.demand(found, instr.args[k], r)
        return found

    def iterate(self) -> None:
        """Iterate until the boxes are stable, or for the maximum of rounds."""
        for _ in range(MAX_SAFETY_ROUNDS):
            is_stable = True
            for block in self.order:
                found = self.at_start(block)
                if found != self.boxes[block]:
                    self.boxes[block] = found
                    is_stable = False
            if is_stable:
                return

    def collect(self) -> None:
        """Add the allowed values of stores, branch conditions and call arguments."""
        found: dict[int, Range | None] = {}

        def visit(instr: Instr, box: Box) -> None:
            r: Range | None = None
            if instr.op == "store" and instr.detail.kind is Kind.INT and isinstance(instr.args[1], int):
                r = box.get(~instr.args[1])
            elif instr.op == "call":
                r = self._argument(instr)
            elif instr.is_two_way and isinstance(instr.args[0], int):
                r = box.get(instr.args[0], (0, 1))
            else:
                return
            old = found.get(instr.index, (UNBOUNDED, -UNBOUNDED))
            found[instr.index] = None if r is None or old is None else (min(r[0], old[0]), max(r[1], old[1]))

        for block in self.order:
            if (self.name, block) in self.proofs.records.blocks:
                for at, box in self.start_boxes(block):
                    self.through(block, at, box, visit)
        for index, r in found.items():
            instr = self.function.instrs[index]
            t = instr.detail if instr.op == "store" else None
            half = 1 << (t.bits - 1) if t is not None else 0
            if r is None or r[0] > r[1] or (instr.op == "br" and r[0] != r[1]):
                continue
            low = None if r[0] <= (-half if half else -UNBOUNDED) else r[0]
            high = None if r[1] >= (half - 1 if half else UNBOUNDED) else r[1]
            if low is not None or high is not None:
                self.proofs.allowed[self.name, index] = Interval(low, high)

    def _argument(self, instr: Instr) -> Range | None:
        integers = [k for k, t in enumerate(instr.detail.arg_types) if t.kind is Kind.INT]
        entry = self.proofs.entries.get(instr.callee or "", {})
        return entry.get(integers[0]) if len(integers) == 1 else None


class ErrorProjection(BackwardFixpoint):
    """Boxes from which the violation of one check may be reached, by ascending iteration."""

    def __init__(self, proofs: ProofContext, name: str, start: dict[int, CheckCondition], blame: int) -> None:
        super().__init__(proofs, name, blame)
        self.boxes = [None for _ in self.function.blocks]
        self.start = start

    def at_end(self) -> Box | None:
        return None

    def before(self, instr: Instr, box: Box) -> Box | None:
        return self.steps.before(instr, box)

    def start_boxes(self, block: int) -> list[tuple[int, Box]]:
        """The boxes of outgoing edges, and the violations in the block itself."""
        found = super().start_boxes(block)
        b = self.function.blocks[block]
        for index, condition in self.start.items():
            if b.start <= index < b.end:
                wrong: Box | None = (
                    {} if condition.operand is None else self.steps.demand({}, condition.operand, condition.wrong)
                )
                if wrong is not None:
                    found.append((index, wrong))
        return found

    def iterate(self) -> None:
        """Iterate until the boxes are stable, with widening."""
        rounds = 0
        is_stable = False
        while not is_stable:
            is_stable = True
            rounds += 1
            for block in self.order:
                found = box_hull(self.boxes[block], self.at_start(block))
                old = self.boxes[block]
                if found == old:
                    continue
                is_stable = False
                if old is not None and found is not None and rounds > ROUNDS_BEFORE_WIDENING:
                    found = {k: _widened(old[k], r) for k, r in found.items() if k in old}
                    found = {k: r for k, r in found.items() if r != EVERYTHING}
                self.boxes[block] = found

    def collect(self) -> None:
        """Trust the instructions without which a violation might be reached, and with which none can be."""
        for block in self.order:
            if (self.name, block) in self.proofs.records.blocks:
                self._collect_stores(block)
                self._collect_branch(block)

    def _collect_stores(self, block: int) -> None:
        after: dict[int, list[Box]] = {}

        def visit(instr: Instr, box: Box) -> None:
            if instr.op == "store":
                after.setdefault(instr.index, []).append(box)

        for at, box in self.start_boxes(block):
            self.through(block, at, box, visit)
        cells = dict(self.proofs.records.cells.get((self.name, block), {}))
        for instr in self.function.block_instrs(block):
            address = instr.args[1] if instr.op == "store" else None
            if (
                not isinstance(address, int)
                or address not in self.body.variables
                or not self.body.variables[address].is_plain
            ):
                continue
            stored = self.proofs.records.values.get((self.name, instr.index))
            new = {**cells, address: stored} if stored is not None else {k: r for k, r in cells.items() if k != address}
            boxes = after.get(instr.index, [])
            if (
                boxes
                and not any(self._is_reachable(box, new) for box in boxes)
                and any(self._is_reachable(box, cells) for box in boxes)
            ):
                self.proofs.trusted.add((self.name, instr.index))
            cells = new

    def _collect_branch(self, block: int) -> None:
        last = self.function.terminator(block)
        if not last.is_two_way:
            return
        cells = dict(self.proofs.records.cells.get((self.name, block), {}))
        for instr in self.function.block_instrs(block):
            if instr.op == "store" and isinstance(instr.args[1], int):
                stored = self.proofs.records.values.get((self.name, instr.index))
                cells.pop(instr.args[1], None)
                if stored is not None:
                    cells[instr.args[1]] = stored
        for target in dict.fromkeys(last.detail):
            box = self.boxes[target]
            if (
                box is None
                or set(self.function.blocks[target].preds) != {block}
                or any(i.index in self.start for i in self.function.block_instrs(target)[:2])
            ):
                continue
            there = (
                self.proofs.records.cells.get((self.name, target))
                if (self.name, target) in self.proofs.records.blocks
                else None
            )
            if (there is None or not self._is_reachable(box, there)) and self._is_reachable(box, cells):
                self.proofs.trusted.add((self.name, last.index))
                if isinstance(last.args[0], int) and self.function.definer[last.args[0]] >= 0:
                    self.proofs.trusted.add((self.name, self.function.definer[last.args[0]]))

    def _is_reachable(self, box: Box, cells: dict[int, Range]) -> bool:
        """Whether the box contains a state that the forward analysis allows."""
        for key, (low, high) in box.items():
            if key < 0:
                r = cells.get(~key)
            else:
                at = self.function.definer[key]
                r = self.proofs.records.values.get((self.name, at)) if at >= 0 else None
            if r is not None and (r[1] < low or r[0] > high):
                return False
        return True


def _widened(old: Range, new: Range) -> Range:
    return old[0] if new[0] >= old[0] else -UNBOUNDED, old[1] if new[1] <= old[1] else UNBOUNDED
