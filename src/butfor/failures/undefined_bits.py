"""How undefined bits propagate from the operands of an instruction to its result."""

from __future__ import annotations

from butfor.ir.instructions import Instr, Operand
from butfor.ir.machine_types import Kind, Type, element_at, mask_width
from butfor.trace.trace import Node, Trace, UnknownValue


class UndefinedBits:
    """The transfer function of undefined bits; operand values are looked up where they matter."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    def result(self, node: Node, instr: Instr, masks: list[int]) -> int:
        """The undefined bits of an instruction's result."""
        full = (1 << mask_width(instr.type)) - 1
        match instr.op:
            case "and" | "or":
                return self._gate(node, instr, masks, instr.op == "and") & full
            case "xor" | "freeze":
                return (masks[0] | masks[-1]) & full
            case "trunc" | "zext" | "shl" | "lshr" | "ashr" | "icmp" if instr.type.kind is Kind.VECTOR:
                return full
            case "trunc" | "zext" | "bitcast" | "ptrtoint" | "inttoptr":
                return masks[0] & full
            case "sext" if instr.type.kind is Kind.INT:
                top = masks[0] >> (instr.detail.bits - 1) & 1
                return (masks[0] | (full >> instr.detail.bits << instr.detail.bits if top else 0)) & full
            case "shl" | "lshr" | "ashr":
                return self._shift(node, instr, masks, full)
            case "add" | "sub" | "mul":
                any_bit = masks[0] | masks[1]
                return full & ~((any_bit & -any_bit) - 1)  # carries only go up
            case "icmp":
                return self._compare(node, instr, masks)
            case "insertelement" | "extractelement":
                return self._element(node, instr, masks, full)
            case "select":
                return self._select(node, masks, full)
            case "extractvalue":
                return masks[0] >> 8 * element_at(self._type(node, instr.args[0]), instr.detail)[0] & full
            case "insertvalue":
                at = 8 * element_at(instr.type, instr.detail)[0]
                part = (1 << mask_width(self._type(node, instr.args[1]))) - 1
                return masks[0] & ~(part << at) | (masks[1] & part) << at
            case _:
                return full

    def _value(self, node: Node, op: object) -> int | None:
        try:
            value = self.trace.operand(node[0], op)  # type: ignore[arg-type]  # an operand of the instruction
        except UnknownValue:
            return None
        return value if isinstance(value, int) else None

    def _type(self, node: Node, op: Operand) -> Type:
        return self.trace.at(node[0]).fn.operand_type(op)

    def _gate(self, node: Node, instr: Instr, masks: list[int], is_and: bool) -> int:
        """The undefined bits of an and or or: a defined 0 decides the former, a defined 1 the latter."""
        x, y = (self._value(node, a) for a in instr.args)
        if x is None or y is None:
            return masks[0] | masks[1]
        if not is_and:
            x, y = ~x, ~y
        return (masks[0] & masks[1]) | (masks[0] & y) | (masks[1] & x)

    def _shift(self, node: Node, instr: Instr, masks: list[int], full: int) -> int:
        amount = self._value(node, instr.args[1])
        if masks[1] or amount is None:
            return full
        if instr.op == "shl":
            return masks[0] << amount & full
        moved = masks[0] >> amount
        if instr.op == "ashr" and masks[0] >> (instr.type.bits - 1):
            moved |= full & ~(full >> amount)
        return moved

    def _compare(self, node: Node, instr: Instr, masks: list[int]) -> int:
        x, y = (self._value(node, a) for a in instr.args)
        defined = ~(masks[0] | masks[1])
        if (
            instr.detail[0] in ("eq", "ne")
            and x is not None
            and y is not None
            and (x ^ y) & defined & ((1 << mask_width(instr.detail[1])) - 1)
        ):
            return 0  # they differ in a defined bit
        return 1

    def _element(self, node: Node, instr: Instr, masks: list[int], full: int) -> int:
        """The undefined bits after one element of a vector was inserted or extracted."""
        at = self._value(node, instr.args[-1])
        bits: int = instr.detail.elem.bits
        if masks[-1] or at is None or at >= instr.detail.count:
            return full
        if instr.op == "extractelement":
            return masks[0] >> at * bits & full
        element = (1 << bits) - 1
        return masks[0] & ~(element << at * bits) | (masks[1] & element) << at * bits

    def _select(self, node: Node, masks: list[int], full: int) -> int:
        if masks[0]:
            return full
        condition = self._value(node, self.trace.instr(node).args[0])
        return full & (masks[1] | masks[2] if condition is None else masks[1] if condition else masks[2])
