"""The abstract state: facts about symbols, the contents of objects, and the values of SSA slots."""

from __future__ import annotations

from typing import NamedTuple

from butfor.ir.intervals.abstract_values import SummaryValue, Value
from butfor.ir.intervals.linear_terms import Linear
from butfor.ir.intervals.symbol_facts import SymbolFacts

Place = tuple[int, int]  # offset and size in bytes


class Rest(NamedTuple):
    """What every element of `size` bytes holds that no cell overlaps; size 0: all of these bytes are zero."""

    size: int
    value: SummaryValue


class Content(NamedTuple):
    """The contents of one object, never changed in place.

    A summary object stands for several concrete ones: its contents are `summary_cells`, which only weak updates change,
    and its sizes lie in `size_range`. `size` and `size_range` are None when unknown. Without `rest`, nothing is known
    about bytes outside the cells.
    """

    cells: dict[Place, Value]
    rest: Rest | None
    size: Linear | None
    is_summary: bool = False
    summary_cells: dict[Place, SummaryValue] | None = None
    size_range: tuple[int, int] | None = None


ZEROS = Rest(0, (0, 0))
ContextSlot = tuple[int, int]  # the number of a call context and a slot of its function


class AbstractState:
    """Facts about symbols, contents by object, values by slot."""

    __slots__ = ("memory", "numbers", "slots")

    def __init__(self, numbers: SymbolFacts, memory: dict[int, Content], slots: dict[ContextSlot, Value]) -> None:
        self.numbers = numbers
        self.memory = memory
        self.slots = slots

    def copy(self) -> AbstractState:
        """A copy that can be changed independently."""
        return AbstractState(self.numbers.copy(), self.memory.copy(), self.slots.copy())
