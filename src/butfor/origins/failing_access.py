"""The parts of a failing access: the pointer or array that it went through, and the indices."""

from __future__ import annotations

from dataclasses import dataclass

from butfor.ir.array_indices import address_computations
from butfor.ir.instructions import Const, Operand
from butfor.origins.run_words import Leaf, RunWords
from butfor.trace.trace import Node, UnknownValue
from butfor.trace.view.run_objects import RunObject


@dataclass(frozen=True, slots=True)
class FailingAccess:
    """A load, a store, or a call that was given a bad pointer."""

    node: Node
    base: Node | None  # the pointer that the address was computed from; None for a named array
    base_name: str  # as the source writes it
    indices: tuple[Leaf, ...]  # what was read to compute the distance from it
    is_write: bool
    callee: str = ""


def failing_access(words: RunWords, node: Node, address: int | None = None) -> FailingAccess:
    """The parts of an access; of a call, those of the argument that points to what was accessed at `address`."""
    instr = words.trace.instr(node)
    if instr.op == "call":
        operand = _argument_near(words, node, address) if instr.callee is not None else instr.args[-1]
        callee = instr.callee or ""
        return _parts(words, node, operand, False, callee)
    return _parts(words, node, instr.address if instr.accesses_memory else None, instr.op == "store", "")


def _parts(words: RunWords, node: Node, operand: Operand | None, is_write: bool, callee: str) -> FailingAccess:
    if operand is None:
        return FailingAccess(node, None, "", (), is_write, callee)
    fn = words.trace.at(node[0]).fn
    geps = address_computations(fn, operand)
    root: Operand = geps[-1].args[0] if geps else operand
    indices = [a for gep in geps for a in gep.args[1:] if not isinstance(a, Const)]
    base = _definition(words, node[0], root)
    if base is not None and base[1] >= 0 and words.trace.instr(base).op == "alloca":
        base = None
    leaves = tuple(leaf for leaf in words.leaves(node, indices) if not leaf.is_index) if indices else ()
    return FailingAccess(node, base, words.pointer_name(base) if base else "", leaves, is_write, callee)


def _definition(words: RunWords, i: int, operand: Operand) -> Node | None:
    try:
        return words.trace.definition(i, operand) if isinstance(operand, int) else None
    except UnknownValue:
        return None


def _argument_near(words: RunWords, node: Node, address: int | None) -> Operand | None:
    """The pointer argument of a call that is nearest below an address, else the first one."""
    instr = words.trace.instr(node)
    best: tuple[int, Operand] | None = None
    for k, t in enumerate(instr.detail.arg_types):
        if t.kind.value != "ptr":
            continue
        try:
            value = int(words.trace.operand(node[0], instr.args[k]))
        except (UnknownValue, TypeError):
            continue
        distance = abs((address or 0) - value)
        if best is None or distance < best[0]:
            best = distance, instr.args[k]
    return best[1] if best is not None else None


def failing_object(words: RunWords, node: Node, address: int) -> RunObject | None:
    """The object that a bad access was meant for, as the runtime knew it."""
    for e in words.log.error:
        if int(e["seg"]) == node[0] and int(e["addr"]) == address and int(e["object"]):
            return words.objects.by_number(int(e["object"]))
    return words.objects.at(address, node[0])


def left_object(words: RunWords, access: FailingAccess, address: int) -> RunObject | None:
    """The object that an access with an index started from, if it went so far beyond it that the program crashed."""
    base = words.number(access.base) if access.base is not None and access.indices else None
    o = words.objects.at(base, access.node[0]) if base and address else None
    return o if o is not None and not o.start <= address < o.start + o.size else None
