"""Instructions on registers as terms. None where recorded-value semantics must do."""

from __future__ import annotations

from collections.abc import Sequence

from butfor.encode.instance_values import bits_of
from butfor.ir.instructions import Const, Instr, Operand
from butfor.ir.machine_types import Kind, Type, alloc_size, element_at, store_size, struct_layout
from butfor.logic.terms import Term, binary, compare, concat, const, equal, extract, ite, negate, resize

_PLAIN = frozenset(("add", "sub", "and", "or", "xor"))
_DIVISIONS = frozenset(("udiv", "sdiv", "urem", "srem"))
_SHIFTS = frozenset(("shl", "lshr", "ashr"))
_RESIZES = frozenset(("trunc", "zext", "sext", "ptrtoint", "inttoptr", "addrspacecast"))
MAX_PRODUCT_BITS = 32  # solvers multiply and divide wider numbers too slowly
_ORDERS = {"ult": ("ult", False), "ule": ("ule", False), "ugt": ("ult", True), "uge": ("ule", True)}
_ORDERS |= {f"s{p[1:]}": (f"s{op[1:]}", swap) for p, (op, swap) in _ORDERS.items()}


def term_of(instr: Instr, args: Sequence[Term], first: Type) -> Term | None:
    """The result of an instruction on these operands; None where solvers do not do it well.

    `first` is the type of the first operand.
    """
    if instr.op in ("icmp", "fcmp"):
        return (
            _compare(instr.detail[0], args)
            if instr.op == "icmp" and instr.detail[1].kind in (Kind.INT, Kind.PTR)
            else None
        )
    if instr.op == "select":
        return ite(equal(args[0], const(1, 1)), args[1], args[2]) if args[0].width == 1 else None
    if instr.op in ("freeze", "bitcast"):
        return args[0] if args[0].width == bits_of(instr.type) else None
    if instr.op in ("extractvalue", "insertvalue"):
        return _aggregate(instr, args, first)
    if instr.type.kind not in (Kind.INT, Kind.PTR):
        return None
    if instr.op in _RESIZES:
        return (
            resize(args[0], instr.type.bits, instr.op == "sext") if instr.detail.kind in (Kind.INT, Kind.PTR) else None
        )
    return _gep(instr, args) if instr.op == "gep" else _arithmetic(instr.op, args)


def _arithmetic(op: str, args: Sequence[Term]) -> Term | None:
    if op in _PLAIN:
        return binary(op, args[0], args[1])
    if op in _SHIFTS:
        return binary(op, args[0], _amount(args[1]))
    if op == "mul":
        return _product(*args)
    return binary(op, args[0], args[1]) if op in _DIVISIONS and args[0].width <= MAX_PRODUCT_BITS else None


def _amount(y: Term) -> Term:
    """The amount of a shift: the processor looks at its low bits only."""
    mask = (1 << max(y.width - 1, 31).bit_length()) - 1
    return y if mask >> y.width else binary("and", y, const(mask, y.width))


def _product(x: Term, y: Term) -> Term | None:
    wide = x.width > MAX_PRODUCT_BITS and x.op != "const" and y.op != "const"
    return None if wide else binary("mul", x, y)


def zero_rule(instr: Instr, args: Sequence[Term], result: Term) -> list[tuple[Term, Term]]:
    """(condition, consequence) that hold for a product too wide for solvers: zero times anything is zero."""
    if instr.op != "mul" or instr.type.kind is not Kind.INT:
        return []
    zero = const(0, result.width)
    return [(equal(a, zero), equal(result, zero)) for a in args]


def _compare(predicate: str, args: Sequence[Term]) -> Term:
    if predicate in ("eq", "ne"):
        same = equal(args[0], args[1])
        return _bit(same if predicate == "eq" else negate(same))
    op, swap = _ORDERS[predicate]
    x, y = (args[1], args[0]) if swap else (args[0], args[1])
    return _bit(compare(op, x, y))


def _bit(condition: Term) -> Term:
    return ite(condition, const(1, 1), const(0, 1))


def _gep(instr: Instr, args: Sequence[Term]) -> Term | None:
    """The base plus the scaled indices."""
    current = Type(Kind.ARRAY, elems=(instr.detail[0],))  # the first index steps over whole elements
    total = args[0]
    for operand, index in zip(instr.args[1:], args[1:], strict=True):
        if current.kind is Kind.STRUCT:
            field = _constant(operand)
            if field is None:
                return None
            offset: Term = const(struct_layout(current)[0][field], 64)
            current = current.elems[field]
        elif current.kind in (Kind.ARRAY, Kind.VECTOR):
            offset = binary("mul", resize(index, 64, signed=True), const(alloc_size(current.elem), 64))
            current = current.elem
        else:
            return None
        total = binary("add", total, offset)
    return total


def _constant(op: Operand) -> int | None:
    if not isinstance(op, Const) or op.kind not in ("int", "zero"):
        return None
    return int(op.value or 0)


def _aggregate(instr: Instr, args: Sequence[Term], whole: Type) -> Term:
    """A value read from an aggregate or put into one."""
    offset, t = element_at(whole, instr.detail)
    low, width = 8 * offset, 8 * store_size(t)
    if instr.op == "extractvalue":
        return extract(args[0], low, bits_of(t))
    above = args[0].width - low - width
    parts = [extract(args[0], 0, low)] if low else []
    parts.append(resize(args[1], width))
    return concat(parts + ([extract(args[0], low + width, above)] if above else []))
