"""What is computed once per function: the order of its blocks, its variables, how long its slots are needed, its thresholds."""

from __future__ import annotations

from dataclasses import dataclass

from butfor.ir.flow_graphs import successors
from butfor.ir.instructions import Call, Const, Function, Instr
from butfor.ir.intervals.weak_topological_order import Component, Element, weak_topological_order
from butfor.ir.machine_types import Kind, Type, alloc_size

_NATURAL = [0, 1, -1, *(s * (1 << b) + d for b in (7, 8, 15, 16, 31, 32, 63, 64) for s, d in ((1, -1), (-1, 0)))]
_PURE = frozenset("phi icmp xor zext trunc br and or freeze".split())


@dataclass(frozen=True, slots=True)
class Variable:
    """A local variable: its size, its type, whether only instructions of the function can get at it, whether it is only used as a whole."""

    slot: int
    size: int
    type: Type
    is_private: bool
    is_plain: bool


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """A function with what the analysis needs to know of it.

    `variables` by slot. `crossing`: slots used in another block than their own. `last_use`: in their own block. `forked`: blocks that only decide by
    what they merge: they are looked at once per way into them. `plain`: slot and size of the plain variables.
    """

    function: Function
    order: tuple[Element, ...]
    variables: dict[int, Variable]
    crossing: frozenset[int]
    last_use: tuple[int, ...]
    thresholds: tuple[int, ...]
    natural: tuple[int, ...]
    forked: frozenset[int]
    plain: tuple[tuple[int, int], ...]


def body_of(function: Function) -> Body:
    """The function with what the analysis needs to know of it."""
    order = weak_topological_order(successors(function))
    crossing, last = _uses(function)
    variables = _variables(function)
    plain = tuple((v.slot, v.size) for v in variables.values() if v.is_plain)
    return Body(
        function,
        order,
        variables,
        crossing,
        last,
        _thresholds(function),
        tuple(sorted(_NATURAL)),
        _forked(function, order),
        plain,
    )


def heads(order: tuple[Element, ...]) -> set[int]:
    """The heads of all loops."""
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
        for arg in instr.args:
            if isinstance(arg, int):
                last[arg] = max(last[arg], instr.index)
                if instr.block != home[arg] or instr.op == "phi":
                    crossing.add(arg)
    return frozenset(crossing), tuple(last)


def _variables(function: Function) -> dict[int, Variable]:
    """The allocas of the first block that have a fixed size."""
    entry = function.blocks[0]
    found = {}
    for instr in function.instrs[entry.start : entry.end]:
        if instr.op != "alloca" or (instr.args and not isinstance(instr.args[0], Const)):
            continue
        count = instr.args[0].value if instr.args and isinstance(instr.args[0], Const) else 1
        t: Type = instr.detail[0]
        if isinstance(count, int) and t.kind is not Kind.OTHER:
            found[instr.slot] = (alloc_size(t) * count, t)
    leaked, partly = _leaked(function)
    return {
        s: Variable(s, size, t, s not in leaked, s not in partly and s not in leaked) for s, (size, t) in found.items()
    }


def _leaked(function: Function) -> tuple[set[int], set[int]]:
    """Slots whose address goes elsewhere than into loads, stores and address arithmetic, and those that are more than just loaded and stored."""
    leaked, partly = set(), set()
    for instr in function.instrs:
        for place, arg in enumerate(instr.args):
            top = _root(function, arg) if isinstance(arg, int) else -1
            if top < 0:
                continue
            if instr.op == "gep" and place == 0:
                partly.add(top)
            elif instr.op == "load" or (instr.op == "store" and place == 1):
                whole = instr.detail if instr.op == "store" else instr.type
                if whole != function.instrs[function.definer[top]].detail[0]:
                    partly.add(top)
            elif instr.op == "call" and isinstance(instr.detail, Call) and _is_harmless(instr.detail.callee):
                partly.add(top)
            else:
                leaked.add(top)
    return leaked, partly


def _root(function: Function, slot: int) -> int:
    """The slot of the alloca that an address is computed from, or -1."""
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
    found = set(_NATURAL)
    for instr in function.instrs:
        if instr.op in ("icmp", "switch"):
            for arg in instr.args:
                if isinstance(arg, Const) and arg.kind == "int" and arg.type.bits > 1:
                    half = 1 << (arg.type.bits - 1)
                    value = (arg.value + half) % (2 * half) - half
                    found.update((value - 1, value, value + 1))
        elif instr.op == "alloca" and instr.detail[0].kind is Kind.ARRAY:
            found.update((instr.detail[0].count, instr.detail[0].count - 1))
    return tuple(sorted(found))


def _forked(function: Function, order: tuple[Element, ...]) -> frozenset[int]:
    loops = heads(order)
    found = set()
    for block in function.blocks:
        body = function.instrs[block.start : block.end]
        if (
            block.index not in loops
            and body[0].op == "phi"
            and all(_is_pure(i) for i in body)
            and len(set(block.preds)) > 1
        ):
            found.add(block.index)
    return frozenset(found)


def _is_pure(instr: Instr) -> bool:
    return instr.op in _PURE
