"""The functions that the points-to analysis looks into: those that ran, and the nearest ones that they may call."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from butfor.ir.instructions import Function
from butfor.ir.program import Program

# Instructions of functions that did not run: the cost of a run follows what it executed, not the size of the program.
_MIN_INSTRUCTIONS_BEYOND = 8_000  # a quarter of a second
_INSTRUCTIONS_BEYOND_PER_EXECUTED = 4  # as much of an interpreter as most of its runs can reach


class NearFunctions:
    """Functions of a program by their distance in calls from those that ran, up to a bound on their size.

    Functions that are only known through pointers are taken in as they turn up, as long as there is room.
    """

    def __init__(self, program: Program, executed: Iterable[str]) -> None:
        self._program = program
        self._near = set(executed)
        self.left_out: set[str] = set()  # those that were asked for in vain
        ran = sum(len(program.function(name).instrs) for name in self._near)
        self._room = max(_MIN_INSTRUCTIONS_BEYOND, _INSTRUCTIONS_BEYOND_PER_EXECUTED * ran)
        self._add_callees(deque(program.function(name) for name in executed))

    def _add_callees(self, waiting: deque[Function]) -> None:
        """Take in what these functions call by name, the nearest first."""
        while waiting and self._room > 0:
            for instr in waiting.popleft().instrs:
                name = instr.callee
                if name is not None and name not in self._near and self._program.defines(name) and self._room > 0:
                    waiting.append(self._taken_in(name))

    def _taken_in(self, name: str) -> Function:
        fn = self._program.function(name)
        self._near.add(name)
        self._room -= len(fn.instrs)
        return fn

    @property
    def is_full(self) -> bool:
        """Whether no more functions are taken in."""
        return self._room <= 0

    def holds(self, name: str) -> bool:
        """Whether a function of the program is near; one that was unknown is taken in if there is room."""
        if name not in self._near and self._room > 0:
            self._add_callees(deque((self._taken_in(name),)))
        if name not in self._near:
            self.left_out.add(name)
        return name in self._near
