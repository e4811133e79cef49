"""A backward slice: its nearest instances one by one, and all of them as totals by instruction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from butfor.trace.trace import Node

KINDS = ("data", "control", "relevant")
# Instances that are listed; control and potential dependences say more, and cost more, than data dependences.
MAX_INSTANCES = {"data": 150_000, "control": 40_000, "relevant": 120_000}
# The nearest ones, of which loads are asked which other arm could have assigned what they read: about two seconds.
MAX_INSTANCES_ASKED = 60_000
# Listed instances of one instruction: a loop must not fill the list.
MAX_INSTANCES_PER_INSTRUCTION = {"data": 12_000, "control": 500, "relevant": 2_500}

Distances = dict[Node, float]
EdgeKinds = dict[Node, str]


@dataclass(frozen=True, slots=True)
class SlicedInstruction:
    """All instances of an instruction in a slice, or those that one call led to if they belong to its statement."""

    nearest: Node
    distance: float  # of the nearest
    count: int
    edges: frozenset[str]  # by which they were reached


@dataclass(eq=False)
class Slice:
    """The instances of a slice, with how they were reached.

    `distance` lists the nearest ones in the order of their distance; `complete` is whether that is all of them.
    `instructions` counts all that were followed; `followed_all` is False if a bound cut that off too.
    """

    listing: Callable[[], tuple[Distances, EdgeKinds]]
    initial: dict[int, Node] = field(default_factory=dict)  # address of initial data -> the instance that read it
    uninit: dict[int, Node] = field(default_factory=dict)  # the same for uninitialised bytes
    reader_distance: Distances = field(default_factory=dict)  # of those instances
    complete: bool = True
    followed_all: bool = True
    size: int = 0
    totals: Callable[[], tuple[SlicedInstruction, ...]] = lambda: ()

    @cached_property
    def _listed(self) -> tuple[Distances, EdgeKinds]:
        return self.listing()

    @property
    def distance(self) -> Distances:
        """The distances of the nearest instances from the nearest root, ascending."""
        return self._listed[0]

    @property
    def reached(self) -> EdgeKinds:
        """The kind of edge by which each was reached; not of roots."""
        return self._listed[1]

    @cached_property
    def instructions(self) -> tuple[SlicedInstruction, ...]:
        """The totals by instruction, nearest first."""
        return self.totals()
