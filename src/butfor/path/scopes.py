"""Positions: in the arms of which branches each instance stands, where arms end, in which rounds of loops it is."""

from __future__ import annotations

from butfor.path.state import Draft
from butfor.program.graphs import successors
from butfor.program.loops import Loops, natural_loops
from butfor.trace.dependence import Dependence
from butfor.trace.trace import Node


class Scopes:
    """Scopes of the instances of one path, given in order."""

    def __init__(self, dependence: Dependence, drafts: list[Draft], whole: dict[Node, Draft], alone: dict[Node, Draft]) -> None:
        self.dependence = dependence
        self.trace = dependence.trace
        self._position = {id(d): k for k, d in enumerate(drafts)}
        self._whole = whole
        self._alone = alone
        self._chains: dict[int, tuple[Node, ...]] = {}
        self._loops: dict[str, Loops] = {}
        self._rounds: dict[tuple[int, int], int] = {}

    def of(self, i: int, position: int) -> tuple[int, ...]:
        """The positions of the branches around a segment instance, seen from a position of the path; outermost first."""
        found: dict[int, None] = {}
        for branch in self._chain(i):
            for table in (self._whole, self._alone):
                draft = table.get(branch)
                at = self._position[id(draft)] if draft is not None else position
                if at < position:
                    found[at] = None
                    break
        return tuple(sorted(found))

    def _chain(self, i: int) -> tuple[Node, ...]:
        """The branch instances that a segment instance depends on, outermost first."""
        way: list[int] = []
        parents: list[Node | None] = []
        at: int | None = i
        while at is not None and at not in self._chains:
            way.append(at)
            parent = self.dependence.control(at)
            parents.append(parent)
            at = parent[0] if parent is not None else None
        for k in range(len(way) - 1, -1, -1):
            parent = parents[k]
            outer = self._chains[parent[0]] if parent is not None else ()
            is_branch = parent is not None and (parent in self._whole or parent in self._alone)
            self._chains[way[k]] = (*outer, parent) if is_branch and parent is not None else outer
        return self._chains[i]

    # --- rounds -------------------------------------------------------------------------------------------------------------

    def rounds(self, i: int) -> tuple[int, ...]:
        """The rounds of the loops around a segment instance in its frame, innermost last."""
        s = self.trace.at(i)
        loops = self._loops.get(s.fn.name)
        if loops is None:
            loops = self._loops[s.fn.name] = natural_loops(successors(s.fn))
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


def ends(scopes: list[tuple[int, ...]], branches: list[int]) -> dict[int, int]:
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
