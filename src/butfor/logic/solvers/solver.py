"""What every solver offers: a verdict, within a limit of time that can also be cancelled."""

from __future__ import annotations

import enum
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol

from butfor.logic.selector_problem import Name, Problem
from butfor.logic.sorts import Value
from butfor.logic.terms import Term

Layer = tuple[Term, ...]


class Verdict(enum.Enum):
    """Whether the goal can hold together with all groups; UNKNOWN is an answer of its own."""

    SAT = "sat"
    UNSAT = "unsat"
    UNKNOWN = "unknown"


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Limit:
    """When to stop: at a point of the monotonic clock, or as soon as `is_cancelled` says so (a `Budget`'s `is_over` will do)."""

    end: float
    is_cancelled: Callable[[], bool] = _never

    @staticmethod
    def after(seconds: float, is_cancelled: Callable[[], bool] = _never) -> Limit:
        """The limit that many seconds from now."""
        return Limit(time.monotonic() + seconds, is_cancelled)

    @property
    def left(self) -> float:
        """The seconds that are left, 0 when it was cancelled."""
        return 0.0 if self.is_cancelled() else max(0.0, self.end - time.monotonic())

    @property
    def can_be_cancelled(self) -> bool:
        """Whether anything but time can end it."""
        return self.is_cancelled is not _never


@dataclass(frozen=True, slots=True)
class SolverResult(Generic[Name]):
    """The answer. UNSAT has a core (groups that suffice; `minimal`: none of them can be left out), SAT a model by the names of variables."""

    verdict: Verdict
    core: tuple[Name, ...] = ()
    model: Mapping[str, Value] = field(default_factory=dict)
    seconds: float = 0.0
    minimal: bool = False


class Solver(Protocol):
    """A solver."""

    def check(self, problem: Problem[Name], limit: Limit) -> SolverResult[Name]:
        """The verdict on the problem, with a model; the core of a check is all groups."""
        ...

    def core(self, problem: Problem[Name], limit: Limit) -> SolverResult[Name]:
        """The verdict on the problem, with a core that was made as small as the limit allowed."""
        ...


class Stack(Protocol):
    """A solver for questions that begin alike: assertions in layers, compared by identity with those of the last question."""

    def check(self, layers: Sequence[Layer], limit: Limit, wanted: Iterable[Term] = ()) -> SolverResult[None]:
        """Whether all layers can hold together, with the values of the wanted variables."""
        ...
