"""Changes of one source statement along a path: which instances and cells get other values."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from butfor.path.path_model import Path
from butfor.trace.view.source_places import Place


class ChangeKind(enum.Enum):
    """What is changed, the most likely slips first."""

    VALUE = "value"  # other values assigned, other decisions
    DEFINITION = "definition"  # of a macro: all statements that use it
    INITIALISER = "initialiser"  # the value that a variable starts with
    INPUT = "input"  # what is read from outside
    FAILING = "failing"  # what is done where the failure shows
    TARGET = "target"  # where a value is stored
    CALL = "call"  # another function is called, or none

    @property
    def order(self) -> int:
        """Its place among all."""
        return list(ChangeKind).index(self)


@dataclass(frozen=True, slots=True)
class OpenCells:
    """From `position` on, cells may have any value.

    The instances from `since` up to there may not have run.
    """

    position: int
    cells: tuple[str, ...]
    since: int

    @property
    def skips(self) -> bool:
        """Whether instances are left out."""
        return self.since < self.position


@dataclass(frozen=True, slots=True)
class Change:
    """A change of one statement in one path.

    `on`: instances that give any values and decide either way; `inputs`: those of them that may also read other values
    from outside. `starts`: cells that begin with any value. `leads`: without it the check is not reached.
    """

    place: Place
    how: ChangeKind
    on: frozenset[int] = frozenset()
    inputs: frozenset[int] = frozenset()
    starts: frozenset[str] = frozenset()
    effects: tuple[OpenCells, ...] = ()
    leads: bool = False

    def combined_with(self, other: Change) -> Change:
        """Both changes as one, which is as likely as the less likely one."""
        return replace(
            self,
            how=max(self.how, other.how, key=lambda h: h.order),
            on=self.on | other.on,
            inputs=self.inputs | other.inputs,
            starts=self.starts | other.starts,
            effects=(*self.effects, *other.effects),
            leads=self.leads or other.leads,
        )


def _no_definitions(place: Place) -> Iterable[Place]:
    del place
    return ()


def plain_changes(
    path: Path,
    definitions: Callable[[Place], Iterable[Place]] = _no_definitions,
    starts: Mapping[str, Place] | None = None,
) -> dict[Place, Change]:
    """The changes of values: of statements of a path, of macros that they use, and of initial values of cells."""
    on: dict[Place, set[int]] = {}
    how: dict[Place, ChangeKind] = {}
    uses: dict[Place, tuple[Place, ...]] = {}
    for k, instance in enumerate(path.instances):
        if instance.trusted:
            continue
        place = instance.place
        on.setdefault(place, set()).add(k)
        how[place] = ChangeKind.VALUE
        if place not in uses:
            uses[place] = tuple(definitions(place))
        for macro in uses[place]:
            on.setdefault(macro, set()).add(k)
            how.setdefault(macro, ChangeKind.DEFINITION)
    cells: dict[Place, set[str]] = {}
    for cell, place in (starts or {}).items():
        cells.setdefault(place, set()).add(cell)
        on.setdefault(place, set())
        how.setdefault(place, ChangeKind.INITIALISER)
    return {
        place: Change(place, how[place], frozenset(ks), starts=frozenset(cells.get(place, ())))
        for place, ks in on.items()
    }
