"""Which iteration of which loop a part of the run is in."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from butfor.ir.flow_graphs import successors
from butfor.ir.natural_loops import Loop, natural_loops
from butfor.run_story import LoopIteration
from butfor.trace.view.source_places import Places

_MAX_ITERATIONS_COUNTED = 200_000  # of one loop; beyond this, counting takes seconds and nobody reads the number


@dataclass(slots=True)
class _CountedLoop:
    """All iterations of one loop: where each begins, its frame, activation and number; totals by activation."""

    starts: NDArray[np.int64]
    frames: list[int] = field(default_factory=list)
    activations: list[int] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    totals: dict[int, int] = field(default_factory=dict)
    line: int = 0
    is_left_by_header: bool = False


class LoopIterations:
    """Iterations of loops; a loop is counted once, when it is first asked about."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.trace = places.trace
        self.log = self.trace.log
        self._loops: dict[str, tuple[tuple[Loop, ...], tuple[int, ...]]] = {}
        self._counted: dict[tuple[str, int], _CountedLoop | None] = {}
        self._activations = 0

    def of(self, i: int) -> tuple[LoopIteration, ...]:
        """The iterations that a segment instance is in, outermost loop first."""
        s = self.trace.at(i)
        known = self._loops.get(s.fn.name)
        if known is None:
            found = natural_loops(successors(s.fn))
            known = self._loops[s.fn.name] = (found.loops, found.innermost)
        loops, innermost = known
        out = []
        k = innermost[s.seg.block]
        while k >= 0:
            iteration = self._iteration(i, s.fn.name, k, loops[k])
            if iteration is not None:
                out.append(iteration)
            k = loops[k].parent
        return tuple(reversed(out))

    def _iteration(self, i: int, name: str, k: int, loop: Loop) -> LoopIteration | None:
        key = (name, k)
        if key not in self._counted:
            self._counted[key] = self._count(name, loop)
        counted = self._counted[key]
        if counted is None:
            return None
        frame = self.log.frame_of(i)
        at = int(counted.starts.searchsorted(i, "right")) - 1
        while at >= 0 and counted.frames[at] != frame:  # iterations in recursive calls that the loop made
            at -= 1
        if at < 0:
            return None
        activation, number = counted.activations[at], counted.numbers[at]
        total = counted.totals[activation] - int(counted.is_left_by_header)
        return LoopIteration(counted.line, activation, number, total)

    def _count(self, name: str, loop: Loop) -> _CountedLoop | None:
        fn = self.trace.program.function(name)
        header = self.trace.static.first_of_block(fn, loop.header)
        starts = self.log.positions(header)
        if len(starts) > _MAX_ITERATIONS_COUNTED:
            return None
        where = self.places.of_instr(fn, fn.terminator(loop.header))
        result = _CountedLoop(
            starts, line=where.line if where else 0, is_left_by_header=any(e[0] == loop.header for e in loop.exits)
        )
        running: dict[int, tuple[int, int]] = {}  # frame -> activation, number
        for p in starts.tolist():
            frame, before = self.log.frame_of(p), self.log.previous_in_frame(p)
            if frame not in running or before < 0 or self.trace.at(before).seg.block not in loop.body:
                self._activations += 1
                running[frame] = (self._activations, 0)
            activation, number = running[frame]
            running[frame] = (activation, number + 1)
            result.frames.append(frame)
            result.activations.append(activation)
            result.numbers.append(number + 1)
            result.totals[activation] = number + 1
        return result
