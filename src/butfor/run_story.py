"""A run in plain data: what reports show of it. Steps refer to each other by their place in `Story.steps`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class LoopIteration:
    """Which round of a loop a step is in. `activation` numbers the times that loops were entered.

    A number beyond `total` is the test that left the loop.
    """

    line: int
    activation: int
    number: int
    total: int


@dataclass(frozen=True, slots=True)
class StepReason:
    """What a step depended on: `step` is its place in the story, -1 where that step is not told. kind: data, control."""

    kind: str
    name: str
    step: int
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class CellChange:
    """What a cell of memory is known to hold after a step; None: no longer known. `target` is the thing that a pointer points into, or -1."""

    thing: int
    path: str
    value: str | None
    target: int = -1


@dataclass(frozen=True, slots=True)
class MemoryObject:
    """A variable or a heap block. where: stack, heap, global; `frame` is the call that a variable belongs to, -1 for none.

    `made` is where a heap block was allocated; `freed` the first step of the story after it was freed, -1 for never.
    """

    name: str
    where: str
    frame: int
    size: int
    made: str = ""
    freed: int = -1


@dataclass(frozen=True, slots=True)
class CallFrame:
    """One call: its function and the frame that called it, -1 for none; of deep recursion the outer frames are not told."""

    function: str
    parent: int


@dataclass(frozen=True, slots=True)
class StoryStep:
    """One step. `number` counts all steps of the run from 1; `skipped` are those left out just before it.

    kind: assign, branch, call, return; a call of a function of the program has the target `()` and its parameters in `uses`.
    `matters` says whether the failure depended on it.
    """

    number: int
    skipped: int
    file: str
    line: int
    column: int
    function: str
    text: str
    kind: str
    target: str | None
    before: str | None
    after: str | None
    outcome: str | None
    uses: tuple[tuple[str, str], ...]
    frame: int
    depth: int
    rounds: tuple[LoopIteration, ...]  # outermost first
    matters: bool
    why: tuple[StepReason, ...] = ()
    changes: tuple[CellChange, ...] = ()


@dataclass(frozen=True, slots=True)
class RunInput:
    """An input of the run, and the bytes of it that the failure depended on, as ranges. `missing` counts bytes that are not shown."""

    name: str
    data: bytes
    spans: tuple[tuple[int, int], ...]
    missing: int = 0


@dataclass(frozen=True, slots=True)
class DebuggerStop:
    """Where a debugger meets the statement in line `line`: `at` is reached `total` times, the one that matters is number `hit`.

    `at` is another line where a debugger does not stop in the statement itself: after the head of a loop.
    """

    file: str
    line: int
    at: int
    hit: int
    total: int


@dataclass(frozen=True, slots=True)
class Story:
    """The steps of a run, or those that matter and what is near them. `failing` is the step where the failure shows, -1 for none."""

    steps: tuple[StoryStep, ...] = ()
    total: int = 0
    failing: int = -1
    frames: Mapping[int, CallFrame] = field(default_factory=dict)
    things: tuple[MemoryObject, ...] = ()
    inputs: tuple[RunInput, ...] = ()
    stops: tuple[DebuggerStop, ...] = ()
