"""The interface of solvers: a problem in, a verdict with its core or model out, within a limit."""

from __future__ import annotations

import enum
import time
from collections.abc import Callable, Container, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, Protocol, TypeVar

from butfor.logic.sorts import Value
from butfor.logic.terms import Term, variables

Layer = tuple[Term, ...]
Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Problem(Generic[Name]):
    """Can the goal hold together with all groups? Each group has a name, such as the statement instance it constrains.

    `gaps` are instances of which the recording does not say enough for an equation: with them a model proves nothing.
    """

    groups: tuple[tuple[Name, tuple[Term, ...]], ...]
    goal: Term
    gaps: tuple[Name, ...] = ()

    @property
    def names(self) -> tuple[Name, ...]:
        """The names of the groups."""
        return tuple(name for name, _ in self.groups)

    def only(self, names: Container[Name]) -> Problem[Name]:
        """The problem with just these groups."""
        return replace(self, groups=tuple(g for g in self.groups if g[0] in names))

    def without(self, name: Name) -> Problem[Name]:
        """The problem with one group left out."""
        return replace(self, groups=tuple(g for g in self.groups if g[0] != name))

    def variables(self) -> tuple[Term, ...]:
        """All variables of the problem."""
        return variables([self.goal, *(t for _, terms in self.groups for t in terms)])


class Verdict(enum.Enum):
    """Whether the goal can hold together with all groups; UNKNOWN is an answer of its own."""

    SAT = "sat"
    UNSAT = "unsat"
    UNKNOWN = "unknown"


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Limit:
    """When to stop: at a point of the monotonic clock, or as soon as `is_cancelled` says so."""

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
    """The answer of a solver.

    UNSAT has a core: groups that suffice. `minimal`: none of them can be left out. SAT has a model: values by variable.
    """

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
    """A solver for questions that begin alike: layers of assertions, recognised by identity."""

    def check(self, layers: Sequence[Layer], limit: Limit, wanted: Iterable[Term] = ()) -> SolverResult[None]:
        """Whether all layers can hold together, with the values of the wanted variables."""
        ...
