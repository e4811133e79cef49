"""A question for a solver: groups of equations that may be switched off, and a goal."""

from __future__ import annotations

from collections.abc import Container, Hashable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from butfor.logic.terms import Term, variables

Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Problem(Generic[Name]):
    """Can the goal hold together with all groups? Groups have names, such as the statement instances that they say something about.

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
