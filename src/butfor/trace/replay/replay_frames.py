"""The calls under way in the full replay: their registers, and what goes in as arguments and comes back as a result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from butfor.ir.instructions import Const, Function, Operand
from butfor.trace.log.columns import NO_FRAME
from butfor.trace.replay.replay_result import POISON
from butfor.trace.trace import Trace


class Frame:
    """One call of a function. `low` is the lowest address of its own variables."""

    __slots__ = ("base", "block", "came_from", "constant", "fn", "low", "regs")

    def __init__(self, fn: Function, base: int, constant: Callable[[Const], Any]) -> None:
        self.fn = fn
        self.base = base
        self.low = base
        self.constant = constant
        self.regs: dict[int, Any] = {}
        self.block = 0
        self.came_from = -1

    def value(self, op: Operand) -> Any:
        """The value of an operand."""
        return self.constant(op) if isinstance(op, Const) else self.regs.get(op, POISON)


class Frames:
    """The frames by number, and what is on its way from one to another."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.log = trace.log
        self.given: tuple[str | None, list[Any]] | None = (
            None  # the function that was called last and the arguments, until it begins
        )
        self._returned: Any = POISON
        self._frames: dict[int, Frame] = {}

    def of(self, i: int) -> Frame:
        """The frame that segment i ran in."""
        return self._frames[self.log.frame_of(i)]

    def caller(self, number: int) -> Frame | None:
        """The frame that called another one, if it is known."""
        return self._frames.get(int(self.log.frame["parent"][number]))

    def begin(self, number: int, fn: Function) -> Frame:
        """A new frame with its parameters."""
        f = self._frames[number] = Frame(fn, int(self.log.frame["base"][number]), self.trace.constant)
        given, self.given = self.given, None
        f.regs.update(dict.fromkeys(range(len(fn.params)), POISON))
        if given is not None and given[0] == fn.name and int(self.log.frame["parent"][number]) != NO_FRAME:
            f.regs.update(enumerate(given[1][: len(fn.params)]))
        return f

    def end(self, i: int, result: Any) -> None:
        """Ends the frame of segment i."""
        self._returned = result
        self._frames.pop(self.log.frame_of(i), None)

    def returned(self) -> Any:
        """What the call that has just ended returned; no arguments are on their way any more."""
        returned, self._returned = self._returned, POISON
        self.given = None
        return returned
