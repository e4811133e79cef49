"""What the points-to analysis notes about each function: nodes of its values, its writes, its calls."""

from __future__ import annotations

from dataclasses import dataclass, field

from butfor.ir.instructions import Function, Instr, Operand
from butfor.ir.machine_types import Kind, Type
from butfor.ir.points_to.memory_places import Key
from butfor.ir.points_to.object_shapes import Path

Via = tuple[int, tuple[Path, ...]]  # a parameter and the way from it
Exact = tuple[Key, int]  # a variable and the offset in it


@dataclass(frozen=True, slots=True, eq=False)
class Write:
    """A write: its address as operand and node, and exactly which variable and offset that is when it is certain.

    `item`: it ends with the text or number that begins there. `via`: how the address comes from a parameter, when it does.
    """

    instr: Instr
    address: Operand | None
    node: int
    size: int
    item: bool = False
    exact: Exact | None = None
    via: Via | None = None


@dataclass(slots=True, eq=False)
class Facts:
    """What is known of one function. `fresh` is the node of the blocks that it allocates and returns.

    `sites`: the direct calls of this function. `calls`: calls of other functions in any other way, through pointers or by the library; the name
    None stands for all that code which is not seen may call. `pointers`: its calls through pointers, known or not.
    """

    fn: Function
    params: list[int]
    result: int
    fresh: int
    nodes: dict[int, int] = field(default_factory=dict)
    exact: dict[int, Exact] = field(default_factory=dict)
    vias: dict[int, Via] = field(default_factory=dict)
    writes: list[Write] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    calls: dict[tuple[int, str | None], Instr] = field(default_factory=dict)
    pointers: list[Instr] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """A call in a function, with the nodes of its arguments and of its result."""

    facts: Facts
    instr: Instr
    args: list[int]
    result: int


def carries(t: Type) -> bool:
    """Whether a value of this type can be a pointer, hold one, or be a byte of one."""
    return t.kind is Kind.PTR or t.bits >= 64 or t.bits == 8 or t.is_aggregate
