"""Instances as variables: their widths, their recorded values, and that they are as recorded.

Structs, arrays and vectors are bit-vectors too: their image in memory, padding zero. An instance without a value (the
act of calling, a return from a void function) is a boolean: it went as recorded.
"""

from __future__ import annotations

from butfor.ir.instructions import Const, Instr, Operand
from butfor.ir.machine_types import PTR, VOID, Kind, Type, alloc_size, int_type, store_size, struct_layout
from butfor.logic.terms import TRUE, Term, conjunction, const, disjunction, equal, negate, variable
from butfor.trace.semantics.instruction_semantics import from_bytes, to_bytes
from butfor.trace.semantics.register_values import Value, to_bits
from butfor.trace.trace import Node, Trace

_ACTS = frozenset(("internal", "external", "indirect", "memory", "ignored"))


class Gap(Exception):
    """An instance that has no equation: its type is no value."""


def bits_of(t: Type) -> int:
    """The width of the bit-vector that holds a value of the type."""
    match t.kind:
        case Kind.INT | Kind.FLOAT | Kind.PTR:
            return t.bits
        case Kind.VECTOR:
            return t.count * t.elem.bits
        case Kind.STRUCT | Kind.ARRAY if store_size(t):
            return 8 * store_size(t)
    raise Gap(f"a {t.kind.value} is no value")


def mask_of(t: Type) -> int:
    """The bits of that number that are no padding."""
    match t.kind:
        case Kind.STRUCT:
            return sum(mask_of(e) << 8 * at for e, at in zip(t.elems, struct_layout(t)[0], strict=True))
        case Kind.ARRAY:
            one = mask_of(t.elem)
            return sum(one << 8 * alloc_size(t.elem) * k for k in range(t.count))
    return (1 << bits_of(t)) - 1


def flat(value: Value, t: Type) -> int:
    """The value as one number of that width."""
    if t.kind in (Kind.STRUCT, Kind.ARRAY):
        return int.from_bytes(to_bytes(value, t), "little")
    return to_bits(value, t)


class InstanceValues:
    """Variables and recorded values of the instances of one run."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._recorded: dict[Node, int] = {}

    def is_act(self, node: Node) -> bool:
        """Whether the instance is the act of calling, which has no value."""
        i, n = node
        s = self.trace.at(i)
        if n < 0 or s.fn.instrs[n].op != "call" or not s.seg.start <= n < s.seg.end:
            return False
        return s.layout.kinds[n] in _ACTS or s.fn.instrs[n].type.kind is Kind.VOID

    def type_of(self, node: Node) -> Type:
        """The type of an instance's value; VOID for one that has none."""
        if node[1] < 0:
            return self.trace.at(node[0]).fn.params[~node[1]]
        instr = self.trace.instr(node)
        match instr.op:
            case "store" | "ret":
                return VOID if instr.detail is None or not instr.args else _as_type(instr.detail)
            case "br":
                return int_type(1) if instr.args else VOID
            case "switch":
                return _as_type(instr.detail[2])
            case "indirectbr":
                return PTR
            case "call" if self.is_act(node):
                return VOID
        return instr.type

    def width(self, node: Node) -> int:
        """The width of an instance's variable, 0 for a boolean."""
        t = self.type_of(node)
        return 0 if t.kind is Kind.VOID else bits_of(t)

    def variable(self, node: Node) -> Term:
        """The variable of an instance; the address of a local variable is a constant."""
        i, n = node
        if n >= 0 and self.trace.instr(node).op == "alloca":
            return const(self.recorded(node), 64)
        return variable(f"v{i}_{n}" if n >= 0 else f"p{i}_{~n}", self.width(node))

    def recorded(self, node: Node) -> int:
        """The recorded value of an instance; an act that took place is 1."""
        known = self._recorded.get(node)
        if known is None:
            known = self._recorded[node] = self._find(node)
        return known

    def _find(self, node: Node) -> int:
        t = self.type_of(node)
        if t.kind is Kind.VOID:
            return 1
        if node[1] >= 0:
            instr = self.trace.instr(node)
            if instr.op == "store":
                return flat(from_bytes(self.trace.stored_bytes(node), t), t)
            if instr.op in ("br", "switch", "indirectbr", "ret"):
                return flat(self.trace.operand(node[0], instr.args[0]), t)
        return flat(self.trace.value(node), t)

    def operand(self, i: int, op: Operand) -> Term:
        """The term of an operand as seen in segment instance i."""
        if isinstance(op, Const):
            return const(flat(self.trace.constant(op), op.type), bits_of(op.type))
        return self.variable(self.trace.definition(i, op))

    def as_recorded(self, node: Node) -> Term:
        """The condition that an instance went as it did in the run: the same value, or the same way for a decision."""
        v = self.variable(node)
        if not v.width:
            return v
        if v.op == "const":
            return TRUE
        if node[1] >= 0 and self.trace.instr(node).op == "switch":
            return self._same_target(self.trace.instr(node), v, self.recorded(node))
        return equal(v, const(self.recorded(node), v.width))

    def _same_target(self, instr: Instr, v: Term, value: int) -> Term:
        """The condition that a switch goes where it went."""
        default, cases, _ = instr.detail
        targets = {int(case or 0): target for case, target in cases}
        went = targets.get(value, default)
        same = [equal(v, const(case, v.width)) for case, target in targets.items() if target == went]
        if went == default:
            same.append(conjunction(negate(equal(v, const(case, v.width))) for case in targets))
        return disjunction(same)


def _as_type(t: object) -> Type:
    assert isinstance(t, Type)
    return t
