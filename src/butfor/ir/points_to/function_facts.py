"""What the points-to analysis knows of each function: nodes of its values, its writes, its calls."""

from __future__ import annotations

from dataclasses import dataclass, field

from butfor.ir.instructions import Function, Instr, Operand
from butfor.ir.machine_types import Kind, Type
from butfor.ir.points_to.memory_places import ObjectKey
from butfor.ir.points_to.object_shapes import OffsetPath

ParameterPath = tuple[int, tuple[OffsetPath, ...]]  # a parameter and the path from where it points
FixedAddress = tuple[ObjectKey, int]  # a variable and the offset in it


@dataclass(frozen=True, slots=True, eq=False)
class Write:
    """A write to memory."""

    instr: Instr
    address: Operand | None
    node: int  # of the address
    size: int
    item: bool = False  # it ends with the string or number that begins at the address
    exact: FixedAddress | None = None  # the only address it can have
    via: ParameterPath | None = None  # how the address derives from a parameter


@dataclass(slots=True, eq=False)
class FunctionFacts:
    """What is known of one function.

    `calls` are its calls of other functions through pointers or by the library; the name None stands for all functions
    that code outside of the program may call.
    """

    fn: Function
    params: list[int]
    result: int
    fresh: int  # the node of the blocks that it allocates and returns
    nodes: dict[int, int] = field(default_factory=dict)
    exact: dict[int, FixedAddress] = field(default_factory=dict)
    vias: dict[int, ParameterPath] = field(default_factory=dict)
    writes: list[Write] = field(default_factory=list)
    sites: list[CallNodes] = field(default_factory=list)  # the direct calls of this function
    calls: dict[tuple[int, str | None], Instr] = field(default_factory=dict)
    pointers: list[Instr] = field(default_factory=list)  # its calls through pointers, whether or not they are resolved


@dataclass(frozen=True, slots=True, eq=False)
class CallNodes:
    """A call in a function, with the nodes of its arguments and of its result."""

    facts: FunctionFacts
    instr: Instr
    args: list[int]
    result: int


def may_carry_pointer(t: Type) -> bool:
    """Whether a value of this type can be a pointer, hold one, or be a byte of one."""
    return t.kind is Kind.PTR or t.bits >= 64 or t.bits == 8 or t.is_aggregate
