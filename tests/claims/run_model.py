"""Runs of small programs as values: objects in memory, events, endings, and what changed runs do differently."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from tests.claims.small_program import ARRAY_LENGTH, STRUCT_FIELDS, Decision, Expr, Node, Switch
from tests.claims.walk_program import parts

if TYPE_CHECKING:
    from tests.claims.evaluate_expressions import Evaluator


class Outcome(Enum):
    """How a run ended."""

    PASSED = "passed"
    FAILED = "failed"
    UNDEFINED = "undefined"  # the language does not say what happens
    ENDLESS = "endless"
    BLOCKED = "blocked"  # at an assumption


@dataclass(eq=False, slots=True)
class Object:
    """A variable in memory: its cells, and what they are called."""

    name: str
    function: str
    cells: list[Value | None]
    kind: str  # "scalar", "array", "struct", "matrix" or "structs"
    is_gone: bool = False
    types: tuple[str, ...] = ()  # of the cells

    def shown(self, index: int) -> str:
        """A cell as the source names it."""
        if self.kind == "array":
            return f"{self.name}[{index}]"
        if self.kind == "matrix":
            return f"{self.name}[{index // ARRAY_LENGTH}][{index % ARRAY_LENGTH}]"
        if self.kind == "structs":
            return f"{self.name}[{index // len(STRUCT_FIELDS)}].{STRUCT_FIELDS[index % len(STRUCT_FIELDS)]}"
        return f"{self.name}.{STRUCT_FIELDS[index]}" if self.kind == "struct" else self.name


Pointer = tuple[Object, int]
Value = int | Pointer
Frame = dict[str, Object]


@dataclass(frozen=True, slots=True)
class Stored:
    """An instance of a statement that stored a value."""

    node: Node
    object: Object
    index: int
    value: Value
    rounds: tuple[int, ...] = ()  # of the loops around it; in Boogie those around the calls that led here included
    call: int = 0  # the number of the call that was under way


@dataclass(frozen=True, slots=True)
class Decided:
    """An instance of a decision; of a part of one, where the node is an expression; of a switch: the case."""

    node: Node
    held: int
    rounds: tuple[int, ...] = ()
    call: int = 0


Event = Stored | Decided


def event_of(raw: object) -> Event:
    """An event; compiled programs note the values of its attributes."""
    if isinstance(raw, tuple):
        return Stored(*raw) if len(raw) == 6 else Decided(*raw)
    assert isinstance(raw, Stored | Decided)
    return raw


class Run:
    """A finished run. `failed` is the check that failed, `why` says what was undefined and where.

    `reads`: inputs, with the number of events before each was read.
    """

    __slots__ = ("_events", "at", "failed", "outcome", "raw", "reads", "why")

    def __init__(
        self, outcome: Outcome, raw: Sequence[object], failed: Node | None = None, why: str = "", at: Node | None = None
    ) -> None:
        self.outcome = outcome
        self.raw = raw
        self.failed = failed
        self.why = why
        self.at = at
        self.reads: Mapping[int, int] = {}
        self._events: list[Event] | None = None

    @property
    def events(self) -> list[Event]:
        """What was stored and decided."""
        if self._events is None:
            self._events = [event_of(raw) for raw in self.raw]
        return self._events

    @property
    def decisions(self) -> list[tuple[Node, int]]:
        """The path: all decisions with their outcomes, parts of conditions included."""
        return [(e.node, e.held) for e in self.events if isinstance(e, Decided)]

    @property
    def outcomes(self) -> list[tuple[Node, int]]:
        """The path by statements: how whole conditions came out."""
        return [
            (e.node, e.held) for e in self.events if isinstance(e, Decided) and isinstance(e.node, Decision | Switch)
        ]

    def fails_like(self, other: Run) -> bool:
        """Whether both fail at the same check."""
        return self.outcome is other.outcome and self.failed is other.failed and self.at is other.at

    @property
    def _to_check(self) -> list[tuple[Node, int]]:
        """The decisions up to the failed check, whose own operands are no part of the path."""
        own = set() if self.failed is None else set(parts(self.failed))
        taken = self.decisions
        while taken and taken[-1][0] in own:
            taken.pop()
        return taken

    def goes_along(self, other: Run) -> bool:
        """Whether this run took all decisions that the other one took until its failed check."""
        path = other._to_check
        return self.decisions[: len(path)] == path

    def is_same_failure_along_same_path(self, other: Run) -> bool:
        """Whether both took the same decisions to the same failure."""
        return self.fails_like(other) and self._to_check == other._to_check


class Undefined(Exception):
    """The language does not say what happens."""

    def __init__(self, why: str, at: Node) -> None:
        super().__init__(why)
        self.why, self.at = why, at


class Failed(Exception):
    """A check failed."""

    def __init__(self, at: Node) -> None:
        super().__init__()
        self.at = at


class Blocked(Exception):
    """An assumption does not hold."""


class Endless(Exception):
    """Too many steps."""


KEEP = object()  # instead of a value: nothing is stored
NOT_DECLARED = "not declared yet"  # a variable whose address is taken before its declaration ran
# Of a map of Boogie, written beyond what the programs use; an access with another type than that of the cell.
NOT_MODELLED = "an element that is not modelled"
READS_INPUT = "an element that is an input"  # of a map of Boogie: it may hold anything

# What only changed runs do, of which the interpreter does not know how it goes on.
UNMODELLED = frozenset(
    (NOT_MODELLED, "a pointer as a number", "arithmetic on pointers", "an index that is a pointer", "no pointer",
     "an index of something else", "a copy of something else")
)  # fmt: skip

ExprChange = Callable[["Evaluator", Expr, Frame], Value]
StoreChange = Callable[["Evaluator", Object, int, Value], object]
DecisionChange = Callable[[bool], bool]


@dataclass(slots=True)
class Changes:
    """What a changed run does differently.

    `values`: expressions evaluated in another way. `stores`: what a statement stores, by statement. `decisions`:
    outcomes of whole conditions, by statement. `operations`: what `+=` and `++` compute. `observe` sees each event when
    it has happened.
    """

    values: Mapping[Node, ExprChange] = field(default_factory=dict)
    places: Mapping[Node, Callable[[Evaluator, Frame, Pointer], Pointer]] = field(default_factory=dict)
    stores: Mapping[Node, StoreChange] = field(default_factory=dict)
    decisions: Mapping[Node, DecisionChange] = field(default_factory=dict)
    operations: Mapping[Node, Callable[[Evaluator, Value, Value], Value]] = field(default_factory=dict)
    calls: Mapping[Node, str] = field(default_factory=dict)
    observe: Callable[[Evaluator, Event], None] | None = None
    may_overflow: bool = True  # False: a signed overflow is undefined, as the C standard says


NO_CHANGES = Changes()
