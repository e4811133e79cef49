"""The program as plain data: functions, basic blocks, instructions in SSA form, constants.

A front end builds it; every later layer reads it. Operands are either an `int` (the function-local slot of a parameter
or of an instruction's result) or a `Const`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from butfor.ir.machine_types import Type


@dataclass(frozen=True, slots=True)
class Const:
    """A constant operand. `kind` says how to read `value`:

    int: a Python int, unsigned, below 2**bits · float: raw bits as an int · null, zero, undef: None · bytes: a bytes
    string · agg: a tuple of Const · global: the name of a global or function · block: (function, label) · expr: (op,
    detail, args) with args a tuple of Const; op and detail as in `Instr`.
    """

    kind: str
    type: Type
    value: Any = None


Operand = int | Const


@dataclass(slots=True, eq=False)
class Instr:
    """One instruction.

    op and detail (args are operands):
      binary        add sub mul udiv sdiv urem srem shl lshr ashr and or xor fadd fsub fmul fdiv frem;
                    detail "nsw" where C leaves signed overflow undefined, else None
      fneg freeze   detail None
      icmp fcmp     detail (predicate, operand type)
      casts         trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp ptrtoint inttoptr bitcast addrspacecast;
                    detail source type
      load          args (address,); detail None
      store         args (value, address); detail value type; type VOID
      alloca        args (count,) or (); detail (element type, alignment)
      gep           args (base, index...); detail (source element type, index types)
      phi           args values; detail tuple of predecessor block numbers
      select        args (condition, a, b)
      br            args () or (condition,); detail (target,) or (true target, false target), block numbers
      switch        args (value,); detail (default target, ((case value, target), ...), value type)
      indirectbr    args (address,); detail targets
      ret           args () or (value,); detail value type or None
      unreachable
      call          args arguments, then the callee operand when indirect; detail Call
      extractvalue insertvalue   detail indices
      extractelement insertelement shufflevector   detail source type (shufflevector: (source type, mask))
      atomicrmw     args (address, value); detail (operation, value type)
      cmpxchg       args (address, expected, new); detail value type
      fence va_arg
    """

    index: int
    block: int
    op: str
    type: Type
    slot: int
    args: tuple[Operand, ...]
    detail: Any
    loc: int

    @property
    def callee(self) -> str | None:
        """The name of the function that is called directly; None for indirect calls and everything but calls."""
        return self.detail.callee if self.op == "call" else None

    @property
    def is_branch(self) -> bool:
        """Whether it is a br or a switch, conditional or not."""
        return self.op in ("br", "switch")

    @property
    def is_conditional(self) -> bool:
        """Whether it is a br with a condition, or a switch."""
        return self.op in ("br", "switch") and bool(self.args)

    @property
    def is_two_way(self) -> bool:
        """Whether it is a br with a condition."""
        return self.op == "br" and bool(self.args)

    @property
    def accesses_memory(self) -> bool:
        """Whether it loads or stores by itself; what a call does is another matter."""
        return self.op in ("load", "store", "atomicrmw", "cmpxchg")

    @property
    def address(self) -> Operand:
        """The address operand of an instruction that accesses memory."""
        return self.args[1] if self.op == "store" else self.args[0]


@dataclass(frozen=True, slots=True)
class Call:
    """What a call instruction calls and how."""

    callee: str | None  # None for an indirect call
    arg_types: tuple[Type, ...]
    byval: tuple[int, ...]
    variadic: bool
    asm: str | None = None  # the template of inline assembly
    sret: bool = False


@dataclass(slots=True, eq=False)
class Block:
    """A basic block: instructions `start` to `end` (exclusive) of its function."""

    index: int
    label: str
    start: int
    end: int
    succs: tuple[int, ...] = ()
    preds: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Signature:
    """What a caller must know of a function."""

    params: tuple[Type, ...]
    result: Type
    variadic: bool


@dataclass(slots=True, eq=False)
class Function:
    """A defined function.

    Slots 0..len(params)-1 are the parameters; `definer[slot]` is the defining instruction, -1 for parameters.
    """

    name: str
    index: int
    params: tuple[Type, ...]
    byval: tuple[int, ...]
    result: Type
    variadic: bool
    instrs: list[Instr] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    definer: list[int] = field(default_factory=list)

    def block_instrs(self, block: int) -> list[Instr]:
        """The instructions of a block."""
        found = self.blocks[block]
        return self.instrs[found.start : found.end]

    def terminator(self, block: int) -> Instr:
        """The last instruction of a block, which decides where control goes."""
        return self.instrs[self.blocks[block].end - 1]

    def definition(self, op: Operand) -> Instr | None:
        """The instruction whose result an operand is; None for parameters and constants."""
        at = self.definer[op] if isinstance(op, int) else -1
        return self.instrs[at] if at >= 0 else None

    def is_parameter(self, op: Operand) -> bool:
        """Whether an operand is a parameter."""
        return isinstance(op, int) and self.definer[op] < 0

    def operand_type(self, op: Operand) -> Type:
        """The type of an operand."""
        if isinstance(op, Const):
            return op.type
        at = self.definer[op]
        return self.params[op] if at < 0 else self.instrs[at].type
