"""State of the full replay: the calls under way with their registers, and what was compared so far."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from butfor.ir.instructions import Const, Function, Operand
from butfor.trace.log.record_layout import NO_FRAME, NO_SEGMENT
from butfor.trace.trace import Trace

UNKNOWN = object()  # a value that the recording does not determine: never compared
NO_BLOCK = -2  # before the first block that ran in the recorded part
_MAX_SHOWN_MISMATCHES = 20  # the first ones show what is wrong, later ones follow from them


@dataclass(slots=True)
class ReplayResult:
    """Counts of what was compared; `shown` are the first mismatches in words."""

    instructions: int = 0
    loads: int = 0
    stores: int = 0
    branches: int = 0
    from_outside: int = 0
    mismatches: int = 0
    shown: list[str] = field(default_factory=list)

    def miss(self, text: str) -> None:
        """Count one mismatch."""
        self.mismatches += 1
        if len(self.shown) < _MAX_SHOWN_MISMATCHES:
            self.shown.append(text)

    def compare(self, i: int, computed: Any, recorded: Any, what: str) -> None:
        """Count a mismatch in segment i if a computed value is not the recorded one."""
        if computed is not UNKNOWN and computed != recorded:
            self.miss(f"segment {i}: {what}: computed {computed!r}, recorded {recorded!r}")


class ReplayFrame:
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
        return self.constant(op) if isinstance(op, Const) else self.regs.get(op, UNKNOWN)


class ReplayFrames:
    """The frames by number, and the arguments and results in transit from one to another."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.log = trace.log
        # The function that was called last and its arguments, until it begins.
        self.pending_call: tuple[str | None, list[Any]] | None = None
        self._returned: Any = UNKNOWN
        self._frames: dict[int, ReplayFrame] = {}

    def frame_at(self, i: int) -> ReplayFrame:
        """The frame that segment i ran in; one that was under way when the recorded part began is met here."""
        number = self.log.frame_of(i)
        if number not in self._frames and int(self.log.frame["caller"][number]) == NO_SEGMENT:
            base = int(self.log.frame["base"][number])
            self._frames[number] = ReplayFrame(self.trace.at(i).fn, base, self.trace.constant)
            self._frames[number].regs.update(self._variables(i, base))
            self._frames[number].block = NO_BLOCK
        return self._frames[number]

    def _variables(self, i: int, base: int) -> dict[int, int]:
        """The registers that hold the addresses of a frame's variables."""
        return {slot: base + offset for slot, offset in self.trace.at(i).layout.frame.items()}

    def caller(self, number: int) -> ReplayFrame | None:
        """The frame that called another one, if it is known."""
        return self._frames.get(int(self.log.frame["parent"][number]))

    def begin(self, number: int, fn: Function) -> ReplayFrame:
        """A new frame with its parameters."""
        f = self._frames[number] = ReplayFrame(fn, int(self.log.frame["base"][number]), self.trace.constant)
        call, self.pending_call = self.pending_call, None
        f.regs.update(dict.fromkeys(range(len(fn.params)), UNKNOWN))
        if call is not None and call[0] == fn.name and int(self.log.frame["parent"][number]) != NO_FRAME:
            f.regs.update(enumerate(call[1][: len(fn.params)]))
        return f

    def end(self, i: int, result: Any) -> None:
        """End the frame of segment i."""
        self._returned = result
        self._frames.pop(self.log.frame_of(i), None)

    def take_returned(self) -> Any:
        """What the call that has just ended returned; the arguments of a call that never began are dropped."""
        returned, self._returned = self._returned, UNKNOWN
        self.pending_call = None
        return returned
