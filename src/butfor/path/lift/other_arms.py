"""The other arms of a branch: whether they come back to the failing check, what they may assign."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from butfor.ir.instructions import Function
from butfor.ir.may_define import Arm, DefiningArms, WriteReason
from butfor.ir.points_to.inclusion_solver import set_bits
from butfor.ir.points_to.may_write import AbstractCell
from butfor.path.lift.branch_conditions import ConditionEvaluation
from butfor.path.path_model import Cell, CellBytes
from butfor.trace.dependence.object_at_address import ConcreteObject
from butfor.trace.dependence.potential_dependence import PotentialDependence
from butfor.trace.log.record_layout import NO_FRAME
from butfor.trace.trace import Node, Trace


class Escapes:
    """Static reachability of the failing check."""

    def __init__(self, trace: Trace, check: Node) -> None:
        self.trace = trace
        self._ahead: dict[tuple[str, frozenset[int]], frozenset[int]] = {}
        self._returning: dict[str, bool] = {}
        self._under_way: dict[int, int] = {}  # frame -> block in which it was at the check
        at: Node | None = check
        while at is not None:
            self._under_way[trace.log.frame_of(at[0])] = trace.at(at[0]).seg.block
            at = trace.call_of(at[0])

    def is_escape(self, decided: ConditionEvaluation) -> bool:
        """Whether another arm of a condition never comes back to the check."""
        fn = decided.stretch.fn
        frame = self.trace.log.frame_of(decided.last[0])
        if frame in self._under_way:
            goals = frozenset((self._under_way[frame],))
        else:
            goals = frozenset(b.index for b in fn.blocks if fn.terminator(b.index).op == "ret")
        reaching = self._reaching(fn, goals)
        return any(target not in reaching for target in other_targets(decided))

    def _reaching(self, fn: Function, goals: frozenset[int]) -> frozenset[int]:
        """The blocks from which one of the goals can be reached."""
        key = fn.name, goals
        if key not in self._ahead:
            found = set(goals)
            work = list(goals)
            while work:
                for before in fn.blocks[work.pop()].preds:
                    if before not in found and not self._ends_run(fn, before):
                        found.add(before)
                        work.append(before)
            self._ahead[key] = frozenset(found)
        return self._ahead[key]

    def _ends_run(self, fn: Function, block: int) -> bool:
        """Whether a block calls a function of the program that cannot return."""
        b = fn.blocks[block]
        return any(i.op == "call" and not self._can_return(i.callee) for i in fn.block_instrs(b.index))

    def _can_return(self, name: str | None) -> bool:
        if name is None or name not in self.trace.program.source.function_names():
            return True
        if name not in self._returning:
            self._returning[name] = any(i.op == "ret" for i in self.trace.program.function(name).instrs)
        return self._returning[name]


def other_targets(decided: ConditionEvaluation) -> list[int]:
    """The blocks to which the condition might have gone instead."""
    blocks = decided.stretch.fn.blocks
    return list(
        dict.fromkeys(
            s for b in decided.blocks for s in blocks[b].succs if s not in decided.blocks and s != decided.taken
        )
    ) or [s for b in decided.blocks if len(decided.blocks) == 1 for s in blocks[b].succs if s != decided.taken]


@dataclass(frozen=True, slots=True)
class _WritingArm:
    """An arm under which a cell may be assigned: by name in its own frame, or for these reasons, if that is known."""

    arm: Arm
    is_own: bool = False
    reasons: tuple[WriteReason, ...] = ()


class FramedCells:
    """Cells that the arms not taken may assign."""

    def __init__(self, trace: Trace, potential: PotentialDependence, ranges: list[CellBytes]) -> None:
        self.trace = trace
        self.potential = potential
        self._by_block: dict[tuple[str, int], list[tuple[CellBytes, _WritingArm]]] = {}
        for r in ranges:
            if r.home.key == ("nowhere",):
                continue
            for way in self._each(
                potential.may_define.defining_arms(AbstractCell(r.home.key, r.start - r.home.start, r.size))
            ):
                self._by_block.setdefault((way.arm.function, way.arm.block), []).append((r, way))

    def _each(self, ways: DefiningArms) -> Iterator[_WritingArm]:
        arms = self.potential.may_define.arms
        yield from (_WritingArm(arms[k], is_own=True) for k in ways.own)
        yield from (_WritingArm(arms[k], reasons=reasons) for k, reasons in ways.explained)
        yield from (_WritingArm(arms[k]) for k in set_bits(ways.unexplained))

    def of(self, decided: ConditionEvaluation) -> dict[str, Cell]:
        """The cells that another arm of a condition may assign, as far as the addresses it would write to are known."""
        fn, i = decided.stretch.fn, decided.last[0]
        frame = self.trace.log.frame_of(i)
        elsewhere = set(other_targets(decided))
        found: dict[str, Cell] = {}
        for block in decided.blocks:
            for r, way in self._by_block.get((fn.name, block), ()):
                if r.cell.name in found or fn.blocks[block].succs[way.arm.successor] not in elsewhere:
                    continue
                if r.home.birth <= i and self._may(r, way, decided.stretch.ran.get(block, i), frame):
                    found[r.cell.name] = r.cell
        return found

    def _may(self, r: CellBytes, way: _WritingArm, i: int, frame: int) -> bool:
        if way.is_own:
            return r.home.frame == frame
        if r.home.frame is not None and not self._is_around(r.home.frame, frame):
            return False
        if not way.reasons:
            return True
        home = ConcreteObject(r.home.key, r.home.start, r.home.end, r.home.birth, r.home.frame)
        return self.potential.would_write(way.arm, way.reasons, i, home, r.start, r.size)

    def _is_around(self, outer: int, frame: int) -> bool:
        while frame != NO_FRAME and frame > outer:
            frame = int(self.trace.log.frame["parent"][frame])
        return frame == outer
