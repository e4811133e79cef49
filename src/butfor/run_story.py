"""The run told step by step as plain data; steps refer to each other by index in `Story.steps`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class LoopIteration:
    """The iteration of a loop that a step is in. `activation` numbers the times that loops were entered.

    A number beyond `total` is the test that left the loop.
    """

    line: int
    activation: int
    number: int
    total: int


@dataclass(frozen=True, slots=True)
class StepReason:
    """What a step depended on: `step` is an index in the story, -1 where that step is left out. kind: data, control."""

    kind: str
    name: str
    step: int
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class CellChange:
    """What a cell of memory is known to hold after a step; None: no longer known.

    `object` is the index of the object it is a part of; `target` that of the object that a pointer points into, or -1.
    """

    object: int
    path: str
    value: str | None
    target: int = -1


@dataclass(frozen=True, slots=True)
class MemoryObject:
    """A variable or a heap block. storage: stack, heap, global; `frame` is the call that a variable belongs to, or -1.

    `allocated_at` is the place that allocated a heap block; `freed_at` the first step of the story after it was freed,
    -1 for never.
    """

    name: str
    storage: str
    frame: int
    size: int
    allocated_at: str = ""
    freed_at: int = -1


@dataclass(frozen=True, slots=True)
class CallFrame:
    """One call: its function and the frame that called it, -1 for none. Deep recursion keeps its inner frames only."""

    function: str
    parent: int


@dataclass(frozen=True, slots=True)
class StoryStep:
    """One step. `number` counts all steps of the run from 1; `skipped` counts those left out just before it.

    kind: assign, branch, call, return; a call of a function of the program has the target `()` and its parameters in
    `uses`. `is_relevant` says whether the failure depended on the step.
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
    iterations: tuple[LoopIteration, ...]  # outermost loop first
    is_relevant: bool
    reasons: tuple[StepReason, ...] = ()
    changes: tuple[CellChange, ...] = ()


@dataclass(frozen=True, slots=True)
class RunInput:
    """An input of the run, and the byte ranges of it that the failure depended on. `missing` counts bytes not shown."""

    name: str
    data: bytes
    spans: tuple[tuple[int, int], ...]
    missing: int = 0


@dataclass(frozen=True, slots=True)
class DebuggerStop:
    """Where a debugger meets the statement in line `line`: the `hit`th of the `total` times that line `at` is reached.

    `at` is another line where a debugger does not stop in the statement itself: after the head of a loop.
    """

    file: str
    line: int
    at: int
    hit: int
    total: int


@dataclass(frozen=True, slots=True)
class Story:
    """The steps of a run; of a long one those that matter and their neighbours.

    `total` counts the steps of the whole run; `failing` is the index of the step where the failure shows, -1 for none.
    """

    steps: tuple[StoryStep, ...] = ()
    total: int = 0
    failing: int = -1
    frames: Mapping[int, CallFrame] = field(default_factory=dict)
    objects: tuple[MemoryObject, ...] = ()
    inputs: tuple[RunInput, ...] = ()
    stops: tuple[DebuggerStop, ...] = ()
