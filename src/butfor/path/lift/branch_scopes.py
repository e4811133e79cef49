"""The branches and loops around each instance of a path: scopes, ends of arms, iterations."""

from __future__ import annotations

from collections.abc import Iterator

from butfor.ir.flow_graphs import successors
from butfor.ir.instructions import Function
from butfor.ir.natural_loops import Loops, natural_loops
from butfor.path.lift.chosen_effects import LiftableRun
from butfor.path.lift.lifting_state import Draft
from butfor.trace.trace import Node

_STEPS_BETWEEN_LOOKS = 256  # at the clock


class BranchScopes:
    """Scopes of the instances of one path, given in order."""

    def __init__(
        self, run: LiftableRun, drafts: list[Draft], whole: dict[Node, Draft], alone: dict[Node, Draft]
    ) -> None:
        self.run = run
        self.dependence = run.dependence
        self.trace = run.dependence.trace
        self._position = {id(d): k for k, d in enumerate(drafts)}
        self._first = min(
            (n[0] for table in (whole, alone) for n in table), default=0
        )  # before this there are no branches of the path
        self._whole = whole
        self._alone = alone
        self._known: dict[int, tuple[int, ...]] = {}
        self._loops: dict[str, Loops] = {}
        self._rounds: dict[tuple[int, int], int] = {}

    def of(self, i: int, position: int) -> tuple[int, ...]:
        """The positions of the branches around a segment instance, seen from a position; outermost first."""
        around = self._around(i)
        if not around or max(around) < position:
            return around
        found: dict[int, None] = {}  # in the middle of a condition: its parts so far
        for branch in self._branches(i):
            at = min(
                (self._position[id(t[branch])] for t in (self._whole, self._alone) if branch in t), default=position
            )
            whole = self._whole.get(branch)
            if whole is not None and self._position[id(whole)] < position:
                at = self._position[id(whole)]
            if at < position:
                found[at] = None
        return tuple(sorted(found))

    def _around(self, i: int) -> tuple[int, ...]:
        """The positions of all branches that a segment instance depends on, of whole conditions where there are such.

        Neighbouring instances share their tuples.
        """
        way: list[tuple[int, Node | None]] = []
        at: int | None = i
        while at is not None and at >= self._first and at not in self._known:
            if len(way) % _STEPS_BETWEEN_LOOKS == 0:
                self.run.require_time()
            parent = self.dependence.control(at)
            way.append((at, parent))
            at = parent[0] if parent is not None else None
        for j, parent in reversed(way):
            outer = self._known.get(parent[0], ()) if parent is not None else ()
            draft = (self._whole.get(parent) or self._alone.get(parent)) if parent is not None else None
            own = self._position[id(draft)] if draft is not None else -1
            if own < 0 or own in outer[-1:]:
                self._known[j] = outer
            else:
                self._known[j] = (*outer, own) if not outer or own > outer[-1] else tuple(sorted({*outer, own}))
        return self._known.get(i, ())

    def _branches(self, i: int) -> Iterator[Node]:
        """The branch instances that a segment instance depends on, innermost first."""
        parent = self.dependence.control(i)
        while parent is not None and parent[0] >= self._first:
            if parent in self._whole or parent in self._alone:
                yield parent
            parent = self.dependence.control(parent[0])

    # --- rounds -------------------------------------------------------------------------------------------------------

    def exits_loop(self, i: int) -> bool:
        """Whether a successor of a segment instance's block is outside the innermost loop around it."""
        s = self.trace.at(i)
        loops = self._loops_of(s.fn)
        number = loops.innermost[s.seg.block]
        return number >= 0 and not loops.loops[number].body.issuperset(s.fn.blocks[s.seg.block].succs)

    def _loops_of(self, function: Function) -> Loops:
        if function.name not in self._loops:
            self._loops[function.name] = natural_loops(successors(function))
        return self._loops[function.name]

    def rounds(self, i: int) -> tuple[int, ...]:
        """The rounds of the loops around a segment instance in its frame, innermost last."""
        s = self.trace.at(i)
        loops = self._loops_of(s.fn)
        found = []
        k = loops.innermost[s.seg.block]
        while k >= 0:
            found.append(self._round(i, k, loops))
            k = loops.loops[k].parent
        return tuple(reversed(found))

    def _round(self, i: int, number: int, loops: Loops) -> int:
        """How often the header of a loop has run since it was entered."""
        loop = loops.loops[number]
        way = []
        at = i
        count = 0
        while True:
            known = self._rounds.get((at, number))
            if known is not None:
                count = known
                break
            way.append(at)
            before = self.trace.log.previous_in_frame(at)
            if before < 0 or self.trace.at(before).seg.block not in loop.body:
                break
            at = before
        for j in reversed(way):
            s = self.trace.at(j)
            count += s.seg.block == loop.header and s.seg.start == s.fn.blocks[loop.header].start
            self._rounds[j, number] = count
        return count


def arm_ends(scopes: list[tuple[int, ...]], branches: list[int]) -> dict[int, int]:
    """For each branch position the position of the first instance behind its arm."""
    found = dict.fromkeys(branches, len(scopes))
    under_way: list[int] = []
    for k, scope in enumerate(scopes):
        inside = set(scope)
        while under_way and under_way[-1] not in inside:
            found[under_way.pop()] = k
        if k in found:
            under_way.append(k)
    return found
