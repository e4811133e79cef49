"""Safety and error projections of one function: boxes at the starts of its blocks, found backwards.

Safety: the largest boxes from which no proved check of the function need be violated, over-approximated. Error: boxes from which a violation of one
check may be reached if the code before were not there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from butfor.ir.flow_graphs import reverse_post_order, successors
from butfor.ir.instructions import Instr, Operand
from butfor.ir.intervals.linear_terms import Range
from butfor.ir.intervals.proved_facts import Check, Interval
from butfor.ir.intervals.value_boxes import BIG, EVERYTHING, Backwards, Box, either
from butfor.ir.machine_types import Kind

if TYPE_CHECKING:
    from butfor.ir.intervals.backward_analysis import Backward

_ROUNDS = 8
_NARROW = 3  # rounds before bounds that still move are dropped


@dataclass(frozen=True, slots=True)
class Condition:
    """What a proved check asks of an operand: where it is safe, where it is violated. No operand: it must not be reached."""

    check: Check
    operand: Operand | None
    safe: Range
    wrong: Range


class Look:
    """Boxes at the starts of the blocks of a function."""

    def __init__(self, whole: Backward, name: str, blame: int | None = None) -> None:
        self.whole, self.name = whole, name
        self.body = whole.bodies(name)
        self.function = self.body.function
        self.steps = Backwards(self.body, whole.records, blame)
        self.boxes: list[Box | None] = []
        self.order = reverse_post_order(successors(self.function))[::-1]

    def out(self, block: int, target: int) -> Box | None:
        """The box on the way from a block to the next: what that one merges, and what the branch says."""
        box = self.boxes[target]
        if box is None:
            return None
        first = self.function.blocks[target]
        found: Box | None = dict(box)
        for instr in self.function.instrs[first.start : first.end]:
            if instr.op != "phi":
                break
            if found is not None and instr.slot in found:
                r = found.pop(instr.slot)
                arg = next(a for a, s in zip(instr.args, instr.detail, strict=True) if s == block)
                found = self.steps.demand(found, arg, r)
        last = self.function.instrs[self.function.blocks[block].end - 1]
        if found is not None and last.op == "br" and last.args and last.detail[0] != last.detail[1]:
            holds = int(last.detail[0] == target)
            found = self.steps.demand(found, last.args[0], (holds, holds))
        return found

    def ways(self, block: int) -> list[tuple[int, Box]]:
        """The boxes that hold before some instruction of a block, its end for the ways out of it; they are followed back one by one."""
        end = self.function.blocks[block].end
        succs = dict.fromkeys(self.function.blocks[block].succs)
        if not succs:
            last = self.at_end()
            return [] if last is None else [(end, last)]
        return [(end, box) for t in succs if (box := self.out(block, t)) is not None]

    def at_end(self) -> Box | None:
        """The box where the function ends."""
        raise NotImplementedError

    def before(self, instr: Instr, box: Box) -> Box | None:
        """The box before an instruction."""
        raise NotImplementedError

    def through(
        self, block: int, at: int, box: Box | None, visit: Callable[[Instr, Box], None] | None = None
    ) -> Box | None:
        """The box at the start of a block from one before an instruction; `visit` sees the box after each instruction."""
        start = self.function.blocks[block].start
        for instr in reversed(self.function.instrs[start:at]):
            if instr.op == "phi" or box is None:
                break
            if visit is not None:
                visit(instr, box)
            box = self.before(instr, box)
        return box

    def at_start(self, block: int) -> Box | None:
        """The box at the start of a block, over all ways out of it."""
        found: Box | None = None
        for at, box in self.ways(block):
            found = either(found, self.through(block, at, box))
        return found


class Safety(Look):
    """Boxes from which no proved check need be violated: from everything downwards, so that every round is sound."""

    def __init__(self, whole: Backward, name: str) -> None:
        super().__init__(whole, name)
        self.boxes = [{} for _ in self.function.blocks]
        self.conditions = whole.conditions.get(name, {})

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
        for k, r in self.whole.entries.get(instr.detail.callee, {}).items():
            if found is not None and k < len(instr.args) and instr.detail.arg_types[k].kind is Kind.INT:
                found = self.steps.demand(found, instr.args[k], r)
        return found

    def settle(self) -> None:
        """Rounds until nothing changes, or enough of them."""
        for _ in range(_ROUNDS):
            is_stable = True
            for block in self.order:
                found = self.at_start(block)
                if found != self.boxes[block]:
                    self.boxes[block] = found
                    is_stable = False
            if is_stable:
                return

    def collect(self) -> None:
        """What stores, conditions and calls may be."""
        found: dict[int, Range | None] = {}

        def visit(instr: Instr, box: Box) -> None:
            r: Range | None = None
            if instr.op == "store" and instr.detail.kind is Kind.INT and isinstance(instr.args[1], int):
                r = box.get(~instr.args[1])
            elif instr.op == "call":
                r = self._argument(instr)
            elif instr.op == "br" and instr.args and isinstance(instr.args[0], int):
                r = box.get(instr.args[0], (0, 1))
            else:
                return
            old = found.get(instr.index, (BIG, -BIG))
            found[instr.index] = None if r is None or old is None else (min(r[0], old[0]), max(r[1], old[1]))

        for block in self.order:
            if (self.name, block) in self.whole.records.blocks:
                for at, box in self.ways(block):
                    self.through(block, at, box, visit)
        for index, r in found.items():
            instr = self.function.instrs[index]
            t = instr.detail if instr.op == "store" else None
            half = 1 << (t.bits - 1) if t is not None else 0
            if r is None or r[0] > r[1] or (instr.op == "br" and r[0] != r[1]):
                continue
            low = None if r[0] <= (-half if half else -BIG) else r[0]
            high = None if r[1] >= (half - 1 if half else BIG) else r[1]
            if low is not None or high is not None:
                self.whole.allowed[self.name, index] = Interval(low, high)

    def _argument(self, instr: Instr) -> Range | None:
        integers = [k for k, t in enumerate(instr.detail.arg_types) if t.kind is Kind.INT]
        entry = self.whole.entries.get(instr.detail.callee, {})
        return entry.get(integers[0]) if len(integers) == 1 else None


class Errors(Look):
    """Boxes from which the violation of one check may be reached."""

    def __init__(self, whole: Backward, name: str, start: dict[int, Condition], blame: int) -> None:
        super().__init__(whole, name, blame)
        self.boxes = [None for _ in self.function.blocks]
        self.start = start

    def at_end(self) -> Box | None:
        return None

    def before(self, instr: Instr, box: Box) -> Box | None:
        return self.steps.before(instr, box)

    def ways(self, block: int) -> list[tuple[int, Box]]:
        """The ways out, and the violations in the block itself."""
        found = super().ways(block)
        b = self.function.blocks[block]
        for index, condition in self.start.items():
            if b.start <= index < b.end:
                wrong: Box | None = (
                    {} if condition.operand is None else self.steps.demand({}, condition.operand, condition.wrong)
                )
                if wrong is not None:
                    found.append((index, wrong))
        return found

    def settle(self) -> None:
        """Rounds until nothing changes; what still grows after some is dropped."""
        rounds = 0
        is_stable = False
        while not is_stable:
            is_stable = True
            rounds += 1
            for block in self.order:
                found = either(self.boxes[block], self.at_start(block))
                old = self.boxes[block]
                if found == old:
                    continue
                is_stable = False
                if old is not None and found is not None and rounds > _NARROW:
                    found = {k: _grown(old[k], r) for k, r in found.items() if k in old}
                    found = {k: r for k, r in found.items() if r != EVERYTHING}
                self.boxes[block] = found

    def collect(self) -> None:
        """The relevant edges: with the instruction no violation can be reached, without it one might."""
        for block in self.order:
            if (self.name, block) in self.whole.records.blocks:
                self._stores(block)
                self._branch(block)

    def _stores(self, block: int) -> None:
        after: dict[int, list[Box]] = {}

        def visit(instr: Instr, box: Box) -> None:
            if instr.op == "store":
                after.setdefault(instr.index, []).append(box)

        for at, box in self.ways(block):
            self.through(block, at, box, visit)
        cells = dict(self.whole.records.cells.get((self.name, block), {}))
        for instr in self._instrs(block):
            address = instr.args[1] if instr.op == "store" else None
            if (
                not isinstance(address, int)
                or address not in self.body.variables
                or not self.body.variables[address].is_plain
            ):
                continue
            stored = self.whole.records.values.get((self.name, instr.index))
            new = {**cells, address: stored} if stored is not None else {k: r for k, r in cells.items() if k != address}
            boxes = after.get(instr.index, [])
            if (
                boxes
                and not any(self._meets(box, new) for box in boxes)
                and any(self._meets(box, cells) for box in boxes)
            ):
                self.whole.trusted.add((self.name, instr.index))
            cells = new

    def _instrs(self, block: int) -> list[Instr]:
        b = self.function.blocks[block]
        return self.function.instrs[b.start : b.end]

    def _branch(self, block: int) -> None:
        last = self._instrs(block)[-1]
        if last.op != "br" or not last.args:
            return
        cells = dict(self.whole.records.cells.get((self.name, block), {}))
        for instr in self._instrs(block):
            if instr.op == "store" and isinstance(instr.args[1], int):
                stored = self.whole.records.values.get((self.name, instr.index))
                cells.pop(instr.args[1], None)
                if stored is not None:
                    cells[instr.args[1]] = stored
        for target in dict.fromkeys(last.detail):
            box = self.boxes[target]
            if (
                box is None
                or set(self.function.blocks[target].preds) != {block}
                or any(i.index in self.start for i in self._instrs(target)[:2])
            ):
                continue
            there = (
                self.whole.records.cells.get((self.name, target))
                if (self.name, target) in self.whole.records.blocks
                else None
            )
            if (there is None or not self._meets(box, there)) and self._meets(box, cells):
                self.whole.trusted.add((self.name, last.index))
                if isinstance(last.args[0], int) and self.function.definer[last.args[0]] >= 0:
                    self.whole.trusted.add((self.name, self.function.definer[last.args[0]]))

    def _meets(self, box: Box, cells: dict[int, Range]) -> bool:
        """Whether some state of the program is in the box."""
        for key, (low, high) in box.items():
            if key < 0:
                r = cells.get(~key)
            else:
                at = self.function.definer[key]
                r = self.whole.records.values.get((self.name, at)) if at >= 0 else None
            if r is not None and (r[1] < low or r[0] > high):
                return False
        return True


def _grown(old: Range, new: Range) -> Range:
    return old[0] if new[0] >= old[0] else -BIG, old[1] if new[1] <= old[1] else BIG
