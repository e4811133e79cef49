"""A question for a solver: groups of equations that may be switched off, and a goal."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace

from butfor.encode.terms import Term, variables
from butfor.trace.trace import Node

Group = tuple[Node, tuple[Term, ...]]


@dataclass(frozen=True, slots=True)
class Problem:
    """Can the goal hold together with all groups? Groups are named by statement instances.

    `gaps` are instances of which the recording does not say enough for an equation: with them a model proves nothing.
    """

    groups: tuple[Group, ...]
    goal: Term
    gaps: tuple[Node, ...] = ()

    @property
    def names(self) -> tuple[Node, ...]:
        """The names of the groups."""
        return tuple(name for name, _ in self.groups)

    def only(self, names: Container[Node]) -> Problem:
        """The problem with just these groups."""
        return replace(self, groups=tuple(g for g in self.groups if g[0] in names))

    def without(self, name: Node) -> Problem:
        """The problem with one group left out."""
        return replace(self, groups=tuple(g for g in self.groups if g[0] != name))

    def variables(self) -> tuple[Term, ...]:
        """All variables of the problem."""
        return variables([self.goal, *(t for _, terms in self.groups for t in terms)])
