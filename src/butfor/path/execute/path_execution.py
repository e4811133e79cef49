"""The execution of a path: what its instances mean, whatever the values are that it is executed with.

Paths are executed with recorded values, with terms over inputs, and again with statements changed, as a whole or only
as far as a change reaches. A `Domain` says what a value is and what is changed. What follows from that stands here:

- A branch that is decided otherwise leaves the path for good, or its arm does not run and the path goes on behind it.
  Then nothing is known of what another arm may assign.
- An access that goes elsewhere is no way out of the failure: nothing is known from there on.
- An assumption that does not hold ends the path, and with it the failure.
- What comes from outside is not computed; a term in its place says when it is as it was found.
"""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from butfor.logic.terms import TRUE, Term
from butfor.path.path_model import Cell, Instance, Kind, Path

V = TypeVar("V")
Lookup = Callable[[str], V | None]
"""What a cell holds, by name; None where it is no cell."""


class Role(enum.Enum):
    """What a condition is needed for."""

    ACCESS = "access"  # pointers and indices are as they were: else an access goes elsewhere, and nothing is known
    ASSUMPTION = "assumption"
    DECISION = "decision"  # a branch is decided as it was: else the path is left for good
    OUTPUT = "output"  # nothing else is printed before a wrong output
    EARLIER_CHECK = "earlier check"  # the property of the end holds here
    CHECK = "check"  # the property of the end does not hold


@dataclass(frozen=True, slots=True)
class Needed(Generic[V]):
    """A condition that the failure needs at a position, if the instance there runs at all: if `guard` holds."""

    position: int
    role: Role
    guard: V
    condition: V


class Domain(ABC, Generic[V]):
    """What a value is, where those come from that the path does not compute, and what is changed.

    `yes` is the condition that holds.
    """

    yes: V

    @abstractmethod
    def value(self, term: Term, lookup: Lookup[V]) -> V:
        """The value of a term."""

    @abstractmethod
    def both(self, x: V, y: V) -> V:
        """Whether both conditions hold."""

    @abstractmethod
    def either(self, x: V, y: V) -> V:
        """Whether one of two conditions holds."""

    @abstractmethod
    def negation(self, x: V) -> V:
        """Whether a condition does not hold."""

    @abstractmethod
    def choice(self, condition: V, x: V, y: V) -> V:
        """The value x if the condition holds, else y."""

    @abstractmethod
    def from_outside(self, k: int, number: int, cell: Cell) -> V:
        """What the instance at position k gets from outside for its cell of that number."""

    @abstractmethod
    def from_other_arm(self, branch: int, number: int, cell: Cell) -> V:
        """What another arm of a branch may leave in a cell, by its number among `cells_of_other_arms`."""

    @abstractmethod
    def prints_the_same(self, branch: int) -> V:
        """Whether another arm of a branch prints nothing that would be seen before a wrong output."""

    def condition(self, k: int, condition: V, lookup: Lookup[V], guard: V) -> V:
        """The condition of the instance at position k as it is changed; as it is if nothing changes it."""
        del k, lookup, guard
        return condition

    def assigned(self, k: int, number: int, value: V, lookup: Lookup[V], guard: V) -> V:
        """What the instance at position k assigns to its cell of that number; as computed if nothing changes it."""
        del k, number, lookup, guard
        return value


# --- what the path itself says ----------------------------------------------------------------------------------------


def is_given(instance: Instance, cell: Cell, term: Term | None) -> bool:
    """Whether what an instance writes comes from outside, so that no change of the statement makes it another value."""
    return term is None or cell.name in instance.inputs


def cells_of_other_arms(branch: Instance) -> tuple[Cell, ...]:
    """The cells of which nothing is known behind a branch whose arm did not run: another arm may have assigned them."""
    return *branch.frames, *branch.rewritten


def leaves_for_good(path: Path) -> Callable[[int], bool]:
    """Whether a branch that is decided otherwise never comes back to the check.

    Of a branch around the check, by its position, the same holds as of one with an arm that escapes.
    """
    around = frozenset(path.scope)
    return lambda k: path.instances[k].escapes or k in around


def always_leaves(_: int) -> bool:
    """That any branch that is decided otherwise leaves the path: the path alone is looked at, not the program."""
    return True


@dataclass(frozen=True, slots=True)
class Nesting:
    """How the arms of a path nest.

    `parents`: for each position the innermost branch around it, or -1. `closing`: by position the branches whose arms
    end there, innermost first.
    """

    parents: tuple[int, ...]
    closing: dict[int, list[int]] = field(default_factory=dict)


def nesting_of(path: Path) -> Nesting:
    """The nesting of the arms."""
    size = len(path.instances)
    parents: list[int] = []
    closing: dict[int, list[int]] = {}
    open_branches: list[int] = []
    for k in range(size + 1):
        while open_branches and (k == size or path.instances[open_branches[-1]].end <= k):
            closing.setdefault(k, []).append(open_branches.pop())
        parents.append(open_branches[-1] if open_branches else -1)
        if k < size and path.instances[k].kind is Kind.BRANCH:
            open_branches.append(k)
    return Nesting(tuple(parents), closing)


# --- the execution ----------------------------------------------------------------------------------------------------


class PathExecution(Generic[V]):
    """One execution.

    `leaves` says of branches whether they leave the path when they are decided otherwise. `now` are the values of
    cells, `guards` by branch the condition that its arm runs, unless it runs for sure.
    """

    def __init__(
        self, path: Path, domain: Domain[V], leaves: Callable[[int], bool], nesting: Nesting | None = None
    ) -> None:
        self.path = path
        self.domain = domain
        self.leaves = leaves
        self.nesting = nesting or nesting_of(path)
        self.now: dict[str, V] = {}
        self.guards: dict[int, V] = {}

    def onwards(self, position: int = 0, checks: Collection[int] = ()) -> Iterator[Needed[V]]:
        """Execute all instances from a position on: what the failure needs, as far as it does not hold anyway.

        `checks` are positions before which the property of the end was asked too.
        """
        for k in range(position, len(self.path.instances) + 1):
            self.close(k)
            if k in checks and (held := self.check(k)) != self.domain.yes:
                yield Needed(k, Role.EARLIER_CHECK, self.guard(k), held)
            found = self.run(k)
            if found is not None:
                yield found

    def held(self, name: str, position: int) -> V:
        """What a cell holds before the instance at a position."""
        del position
        return self.now[name]

    def check(self, position: int) -> V:
        """Whether the property of the end holds before the instance at a position."""
        return self.domain.value(self.path.check, self.lookup(position))

    def lookup(self, position: int) -> Lookup[V]:
        """What any cell holds before the instance at a position."""
        del position
        return self.now.get

    def guard(self, position: int) -> V:
        """The condition under which the instance at a position runs."""
        return self.guards.get(self.nesting.parents[position], self.domain.yes)

    def assign(self, name: str, value: V, position: int) -> None:
        """Give a cell a value from a position on."""
        del position
        self.now[name] = value

    def enter(self, branch: int, runs: V) -> None:
        """Begin an arm that runs under a condition."""
        if runs != self.domain.yes:
            self.guards[branch] = runs

    def run(self, k: int) -> Needed[V] | None:
        """Execute the instance at a position, or last the check: what the failure needs of it, unless it holds."""
        domain, lookup = self.domain, self.lookup(k)
        if k == len(self.path.instances):
            return self._needed(k, Role.CHECK, domain.yes, domain.negation(self.check(k)))
        instance = self.path.instances[k]
        guard = self.guard(k)
        is_branch = instance.kind is Kind.BRANCH
        condition = domain.yes if instance.condition is TRUE else domain.value(instance.condition, lookup)
        if is_branch or instance.condition is not TRUE:
            condition = domain.condition(k, condition, lookup, guard)
        if is_branch:
            return self._branch(k, guard, condition)
        if instance.writes:
            self._write(k, instance, lookup, guard)
        return self._needed(k, Role.ACCESS if instance.is_address else Role.ASSUMPTION, guard, condition)

    def close(self, position: int) -> None:
        """Close the arms that end at a position."""
        if not self.guards:
            return
        domain = self.domain
        for branch in self.nesting.closing.get(position, ()):
            runs = self.guards.pop(branch, None)
            if runs is None or self.leaves(branch):
                continue
            skipped = domain.both(self.guard(branch), domain.negation(runs))
            for number, cell in enumerate(cells_of_other_arms(self.path.instances[branch])):
                other = domain.from_other_arm(branch, number, cell)
                self.assign(cell.name, domain.choice(skipped, other, self.held(cell.name, position)), position)

    def _needed(self, k: int, role: Role, guard: V, condition: V) -> Needed[V] | None:
        return None if condition == self.domain.yes else Needed(k, role, guard, condition)

    def _branch(self, k: int, guard: V, condition: V) -> Needed[V] | None:
        if self.leaves(k):
            self.enter(k, guard)  # what comes after it matters only if the path was not left
            return self._needed(k, Role.DECISION, guard, condition)
        self.enter(k, self.domain.both(guard, condition))
        if k in self.path.silent and condition != self.domain.yes:
            return Needed(k, Role.OUTPUT, guard, self.domain.either(condition, self.domain.prints_the_same(k)))
        return None

    def _write(self, k: int, instance: Instance, lookup: Lookup[V], guard: V) -> None:
        domain = self.domain
        new: dict[str, V] = {}
        for number, (cell, term) in enumerate(instance.writes):
            value = domain.from_outside(k, number, cell) if term is None else domain.value(term, lookup)
            value = domain.assigned(k, number, value, lookup, guard)
            new[cell.name] = value if guard == domain.yes else domain.choice(guard, value, self.held(cell.name, k))
        for name, value in new.items():
            self.assign(name, value, k + 1)
