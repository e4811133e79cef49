"""Outcomes of whole conditions, of which a branch instance may have decided only a part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from butfor.ir.debug_types import Location
from butfor.ir.flow_graphs import reverse_post_order, successors
from butfor.ir.instructions import Function, Instr
from butfor.ir.machine_types import Kind
from butfor.ir.short_circuits import find_decisions
from butfor.source import Role, Statement
from butfor.trace.trace import Node, Trace, UnknownValue
from butfor.trace.view.source_places import Place, Places

_CONTROL = frozenset(("if", "while", "do", "for", "?:"))  # whose first exit block is the one for a true condition
_VALUES = frozenset(("xor", "zext", "sext", "trunc", "icmp", "freeze", "and", "or", "add", "sub", "mul"))
_MAX_SEGMENTS_PER_CONDITION = 10_000  # of one evaluation; more are a loop in a macro or statement expression
_MAX_OPERAND_DEPTH = 16  # conversions and comparisons between a branch and the text of its condition


@dataclass(frozen=True, slots=True)
class _ConditionRegion:
    """A condition of the source and the blocks that evaluate it."""

    statement: Statement
    blocks: frozenset[int]
    exits: tuple[int, ...]  # the blocks that follow
    is_control: bool  # there are two exits: one for true, one for false


class ConditionOutcomes:
    """Outcomes of the conditions of a recorded run."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.trace: Trace = places.trace
        self._regions: dict[str, dict[Place, _ConditionRegion]] = {}

    def outcome(self, node: Node) -> bool | None:
        """Whether the condition of a branch instance was true; None if there is none, or if the run ended within it."""
        s = self.trace.at(node[0])
        place = self.places.of_instr(s.fn, s.fn.instrs[node[1]])
        region = None if place is None else self._regions_of(s.fn).get(place)
        if region is None:
            return None
        last, end = self._evaluation_end(node[0], region)
        if end < 0:
            return None
        if region.is_control:
            return self.trace.at(end).seg.block == min(region.exits)
        merged = self._merged_value(end, region.statement) if len(region.exits) == 1 else None
        return merged if merged is not None else self._last_operand_value(last, region.statement)

    def _evaluation_end(self, i: int, region: _ConditionRegion) -> tuple[Node, int]:
        """The last branch instance of this evaluation of a condition, and the segment instance after it or -1."""
        last = i
        for _ in range(_MAX_SEGMENTS_PER_CONDITION):
            following = self.trace.next_in_frame(i)
            if following < 0 or self.trace.at(following).seg.block not in region.blocks:
                return (last, self.trace.at(last).last.index), following
            i = following
            if self.trace.at(i).last.is_two_way:
                last = i
        return (last, self.trace.at(last).last.index), -1

    def _merged_value(self, i: int, statement: Statement) -> bool | None:
        """The truth of a condition that a phi merged into a value, after what its text does to that value."""
        s = self.trace.at(i)
        block = s.fn.blocks[s.seg.block]
        value = _merged(s.fn, s.seg.block)
        if value is None:
            return None
        for instr in s.fn.instrs[block.start + 1 : block.end]:
            if instr.op in _VALUES and value.slot in instr.args and self._is_inside(instr, statement):
                value = instr
        while value.index >= self.trace.at(i).seg.end:
            i = self.trace.next_in_frame(i)
            if i < 0:
                return None
        try:
            return bool(self.trace.value((i, value.index)))
        except UnknownValue:
            return None

    def _last_operand_value(self, last: Node, statement: Statement) -> bool | None:
        """The truth of a condition from the operand evaluated last, where a macro such as assert hides what follows."""
        branch = self.trace.instr(last)
        tree = self.places.tree(statement.file)
        where = self._operand_location(self.trace.at(last[0]).fn, branch, statement)
        negated = (
            tree.is_negated(where.line, where.column, statement) if tree is not None and where is not None else None
        )
        if negated is None:
            return None
        try:
            return bool(self.trace.operand(last[0], branch.args[0])) != negated
        except UnknownValue:
            return None

    def _operand_location(self, fn: Function, instr: Instr, statement: Statement) -> Location | None:
        """The position, in the text of a condition, where the value that a branch tests is computed."""
        for _ in range(_MAX_OPERAND_DEPTH):
            operand = next((a for a in instr.args if isinstance(a, int) and fn.definer[a] >= 0), None)
            if operand is None:
                return None
            instr = fn.instrs[fn.definer[operand]]
            if self._is_inside(instr, statement):
                return self.places.location(instr)
        return None

    def _is_inside(self, instr: Instr, statement: Statement) -> bool:
        where = self.places.location(instr)
        return (
            where is not None
            and where.file == statement.file
            and statement.start <= (where.line, where.column) < statement.end
        )

    # --- static ---------------------------------------------------------------------------------------------

    def _regions_of(self, fn: Function) -> dict[Place, _ConditionRegion]:
        known = self._regions.get(fn.name)
        if known is None:
            known = self._regions[fn.name] = dict(self._find_regions(fn))
        return known

    def _find_regions(self, fn: Function) -> Iterator[tuple[Place, _ConditionRegion]]:
        condition_blocks: dict[Place, list[int]] = {}
        statements: dict[Place, Statement] = {}
        places: dict[int, Place] = {}
        for block in reverse_post_order(successors(fn)):
            branch = fn.terminator(block)
            place = self.places.of_instr(fn, branch) if branch.is_two_way else None
            statement = self._statement(branch) if place is not None else None
            if place is None:
                continue
            places[branch.loc] = place
            if statement is not None and statement.role is Role.CONDITION:
                condition_blocks.setdefault(place, []).append(block)
                statements[place] = statement

        def related(first: int, second: int) -> bool:
            one, other = places.get(first), places.get(second)
            return one == other or one not in condition_blocks or other not in condition_blocks

        decisions = find_decisions(fn, related)
        for place, blocks in condition_blocks.items():
            deciding = {b for block in blocks for b in decisions.decisions[decisions.of_block[block]].blocks}
            yield place, self._region(fn, statements[place], blocks[0], deciding)

    def _statement(self, branch: Instr) -> Statement | None:
        where = self.places.location(branch)
        tree = self.places.tree(where.file) if where is not None else None
        return None if where is None or tree is None else tree.decision_at(where.line, where.column)

    def _region(self, fn: Function, statement: Statement, head: int, deciding: set[int]) -> _ConditionRegion:
        """The region of a condition: the deciding blocks, those between them, and those that go on evaluating it."""
        blocks = _between(fn, head, deciding)
        while True:
            exits = {after for b in blocks for after in fn.blocks[b].succs} - blocks
            more = {b for b in exits if self._evaluates(fn, b, statement) and set(fn.blocks[b].preds) <= blocks}
            if not more:
                merges = any(_merged(fn, b) is not None for b in exits)
                return _ConditionRegion(
                    statement,
                    frozenset(blocks),
                    tuple(sorted(exits)),
                    len(exits) == 2 and not merges and statement.keyword in _CONTROL,
                )
            blocks |= more

    def _evaluates(self, fn: Function, number: int, statement: Statement) -> bool:
        """Whether a block only evaluates a part of a condition that its successor merges with other parts."""
        block = fn.blocks[number]
        *body, last = fn.block_instrs(number)
        if not body or last.op != "br" or len(block.succs) != 1:
            return False
        merge = fn.instrs[fn.blocks[block.succs[0]].start]
        # A phi that merges truth values has no position.
        own = [instr for instr in (*body, merge) if self.places.location(instr) is not None]
        return merge.op == "phi" and all(self._is_inside(instr, statement) for instr in own)


def _merged(fn: Function, block: int) -> Instr | None:
    """The phi by which a block merges the values of the parts of a condition, if it begins with one."""
    first = fn.instrs[fn.blocks[block].start]
    return first if first.op == "phi" and first.type.kind in (Kind.INT, Kind.PTR) else None


def _between(fn: Function, head: int, deciding: set[int]) -> set[int]:
    """The blocks on paths from the first to the other deciding blocks; only these if other paths lead there too."""
    found = set(deciding)
    work = [b for b in deciding if b != head]
    while work:
        for before in fn.blocks[work.pop()].preds:
            if before not in found:
                found.add(before)
                work.append(before)
    return set(deciding) if 0 in found and head != 0 else found
