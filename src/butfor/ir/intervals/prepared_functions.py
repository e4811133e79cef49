"""Functions prepared for analysis: block order, local variables, live slots, widening thresholds."""

from __future__ import annotations

from dataclasses import dataclass

from butfor.ir.array_indices import address_computations
from butfor.ir.flow_graphs import Component, OrderElement, successors, weak_topological_order
from butfor.ir.instructions import Call, Const, Function
from butfor.ir.machine_types import Kind, Type, alloc_size, signed_value

TYPE_BOUNDS = tuple(
    sorted({0, 1, -1, *(s * (1 << b) + d for b in (7, 8, 15, 16, 31, 32, 63, 64) for s, d in ((1, -1), (-1, 0)))})
)
_DECIDING = frozenset(
    "phi icmp xor zext trunc br and or freeze".split()
)  # what a block may do that only decides a branch


@dataclass(frozen=True, slots=True)
class LocalVariable:
    """A local variable of fixed size.

    `is_private`: its address does not escape the function. `is_plain`: it is only loaded and stored as a whole.
    """

    slot: int
    size: int
    type: Type
    is_private: bool
    is_plain: bool


@dataclass(frozen=True, slots=True, eq=False)
class PreparedFunction:
    """A function with everything that the analysis computes once for it.

    `variables`: by slot. `live_across_blocks`: slots used outside their own block. `last_use`: the last instruction
    that uses a slot. `thresholds`, then `type_bounds`: what ranges are widened to. `split_blocks`: blocks that only
    branch on their phis; they are analysed once per incoming edge. `plain_variables`: slot and size.
    """

    function: Function
    order: tuple[OrderElement, ...]
    variables: dict[int, LocalVariable]
    live_across_blocks: frozenset[int]
    last_use: tuple[int, ...]
    thresholds: tuple[int, ...]
    type_bounds: tuple[int, ...]
    split_blocks: frozenset[int]
    plain_variables: tuple[tuple[int, int], ...]


def prepare_function(function: Function) -> PreparedFunction:
    """The function with everything that the analysis computes once for it."""
    order = weak_topological_order(successors(function))
    live, last = _uses(function)
    variables = _variables(function)
    plain = tuple((v.slot, v.size) for v in variables.values() if v.is_plain)
    return PreparedFunction(
        function,
        order,
        variables,
        live,
        last,
        _thresholds(function),
        TYPE_BOUNDS,
        _split_blocks(function, order),
        plain,
    )


def _loop_heads(order: tuple[OrderElement, ...]) -> set[int]:
    """The heads of all loops, nested ones included."""
    found, work = set(), list(order)
    while work:
        element = work.pop()
        if isinstance(element, Component):
            found.add(element.head)
            work += element.body
    return found


def _uses(function: Function) -> tuple[frozenset[int], tuple[int, ...]]:
    home = [function.instrs[d].block if d >= 0 else 0 for d in function.definer]
    last = [-1] * len(function.definer)
    crossing = set()
    for instr in function.instrs:
        geps = address_computations(function, instr.address) if instr.accesses_memory else ()
        for arg in (*instr.args, *(a for gep in geps for a in gep.args[1:])):  # an access checks its indices
            if isinstance(arg, int):
                last[arg] = max(last[arg], instr.index)
                if instr.block != home[arg] or instr.op == "phi":
                    crossing.add(arg)
    return frozenset(crossing), tuple(last)


def _variables(function: Function) -> dict[int, LocalVariable]:
    """The allocas of fixed size in the entry block, by slot."""
    found = {}
    for instr in function.block_instrs(0):
        if instr.op != "alloca" or (instr.args and not isinstance(instr.args[0], Const)):
            continue
        count = instr.args[0].value if instr.args and isinstance(instr.args[0], Const) else 1
        t: Type = instr.detail[0]
        if isinstance(count, int) and t.kind is not Kind.OTHER:
            found[instr.slot] = (alloc_size(t) * count, t)
    escaping, partial = _escaping(function)
    return {
        s: LocalVariable(s, size, t, s not in escaping, s not in partial and s not in escaping)
        for s, (size, t) in found.items()
    }


def _escaping(function: Function) -> tuple[set[int], set[int]]:
    """Slots whose address escapes, and slots that are not only loaded and stored as a whole."""
    escaping, partial = set(), set()
    for instr in function.instrs:
        for place, arg in enumerate(instr.args):
            top = _base_alloca(function, arg) if isinstance(arg, int) else -1
            if top < 0:
                continue
            if instr.op == "gep" and place == 0:
                partial.add(top)
            elif instr.op == "load" or (instr.op == "store" and place == 1):
                whole = instr.detail if instr.op == "store" else instr.type
                if whole != function.instrs[function.definer[top]].detail[0]:
                    partial.add(top)
            elif instr.op == "call" and isinstance(instr.detail, Call) and _is_harmless(instr.detail.callee):
                partial.add(top)
            else:
                escaping.add(top)
    return escaping, partial


def _base_alloca(function: Function, slot: int) -> int:
    """The slot of the alloca that an address is derived from, or -1."""
    while (at := function.definer[slot]) >= 0:
        instr = function.instrs[at]
        if instr.op == "alloca":
            return slot
        if instr.op != "gep" or not isinstance(instr.args[0], int):
            return -1
        slot = instr.args[0]
    return -1


def _is_harmless(callee: str | None) -> bool:
    return callee is not None and callee.startswith(
        ("llvm.memcpy", "llvm.memset", "llvm.memmove", "llvm.lifetime", "llvm.dbg")
    )


def _thresholds(function: Function) -> tuple[int, ...]:
    found = set(TYPE_BOUNDS)
    for instr in function.instrs:
        if instr.op in ("icmp", "switch"):
            for arg in instr.args:
                if isinstance(arg, Const) and arg.kind == "int" and arg.type.bits > 1:
                    value = signed_value(arg.value, arg.type.bits)
                    found.update((value - 1, value, value + 1))
        elif instr.op == "alloca" and instr.detail[0].kind is Kind.ARRAY:
            found.update((instr.detail[0].count, instr.detail[0].count - 1))
    return tuple(sorted(found))


def _split_blocks(function: Function, order: tuple[OrderElement, ...]) -> frozenset[int]:
    loops = _loop_heads(order)
    found = set()
    for block in function.blocks:
        body = function.block_instrs(block.index)
        if (
            block.index not in loops
            and body[0].op == "phi"
            and all(instr.op in _DECIDING for instr in body)
            and len(set(block.preds)) > 1
        ):
            found.add(block.index)
    return frozenset(found)
