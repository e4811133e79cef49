"""The abstract state: what is known of symbols, of the memory and of the values that instructions have computed."""

from __future__ import annotations

from typing import NamedTuple

from butfor.ir.intervals.abstract_values import General, Value
from butfor.ir.intervals.linear_terms import Linear
from butfor.ir.intervals.symbol_facts import Numbers

Place = tuple[int, int]  # offset and size in bytes


class Rest(NamedTuple):
    """What all elements of `size` bytes hold that no cell of the object overlaps; size 0: all bytes are zero."""

    size: int
    value: General


class Content(NamedTuple):
    """The memory of one object. Never changed in place.

    `many`: the object stands for several, its cells hold general values and are only ever added to. `size` is None when it is not known,
    a term for one object, a range for many. Without `rest` nothing is known of what is not in a cell.
    """

    cells: dict[Place, Value]
    rest: Rest | None
    size: Linear | None
    many: bool = False
    general: dict[Place, General] | None = None
    sizes: tuple[int, int] | None = None


ZEROS = Rest(0, (0, 0))
Slot = tuple[int, int]  # the number of a context and a slot of its function


class State:
    """Numbers, memory by object, values by slot."""

    __slots__ = ("memory", "numbers", "slots")

    def __init__(self, numbers: Numbers, memory: dict[int, Content], slots: dict[Slot, Value]) -> None:
        self.numbers = numbers
        self.memory = memory
        self.slots = slots

    def copy(self) -> State:
        """The same state, to be changed on its own."""
        return State(self.numbers.copy(), self.memory.copy(), self.slots.copy())
