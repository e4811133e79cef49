"""Rules for terms that mostly move bytes around, as unoptimised code does.

The functions build a term from simple operands; `BYTES` is the set of rules that they make up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from butfor.logic.bit_vector_rules import Equations
from butfor.logic.rules import Choices, Operands, Rule, Rules, choose, computed, each_choice
from butfor.logic.terms import BINARY, FALSE, TRUE, Term, compare, concat, const, extract, negate, rebuild, resize

_TABLES = Choices(depth=65, only_chains=True)  # a table of characters with a symbolic index, compared one by one
_EQUATIONS = Equations(frozenset(("zext", "sext", "xor")), _TABLES)
_ORDERS = ("ult", "ule", "slt", "sle")


def simple_extract(x: Term, low: int, width: int) -> Term:
    """`width` bits of x from bit `low`."""
    while True:
        if low == 0 and width == x.width:
            return x
        if x.op == "const":
            return const(int(x.data or 0) >> low, width)
        if x.op == "extract":
            low, x = low + int(x.data or 0), x.args[0]
        elif x.op == "concat" and low >= x.args[1].width:
            low, x = low - x.args[1].width, x.args[0]
        elif x.op == "concat" and low + width <= x.args[1].width:
            x = x.args[1]
        elif x.op in ("zext", "sext") and low + width <= x.args[0].width:
            x = x.args[0]
        elif x.op == "zext" and low >= x.args[0].width:
            return const(0, width)
        else:
            return extract(x, low, width)


def simple_concat(parts: Sequence[Term]) -> Term:
    """The parts side by side, the lowest first; neighbouring bits of one term become one extract again."""
    out: list[Term] = []
    for p in parts:
        last = out[-1] if out else None
        if last is not None and last.op == "const" and p.op == "const":
            out[-1] = const(int(last.data or 0) | int(p.data or 0) << last.width, last.width + p.width)
        elif last is not None and (merged := _merged(last, p)) is not None:
            out[-1] = merged
        else:
            out.append(p)
    if len(out) == 2 and out[1].op == "const" and not out[1].data:
        return resize(out[0], out[0].width + out[1].width)
    return concat(out)


def _merged(low: Term, high: Term) -> Term | None:
    """One term for two parts that lie side by side in it."""
    if high.op != "extract":
        return None
    whole, at = high.args[0], int(high.data or 0)
    if low.op == "extract" and low.args[0] is whole and int(low.data or 0) + low.width == at:
        return simple_extract(whole, int(low.data or 0), low.width + high.width)
    if at >= low.width and simple_extract(whole, at - low.width, low.width) is low:
        return simple_extract(whole, at - low.width, low.width + high.width)
    return None


def simple_equal(x: Term, y: Term) -> Term:
    """x == y."""
    return _EQUATIONS(x, y)


def simple_compare(op: str, x: Term, y: Term) -> Term:
    """The comparison of two terms by order."""
    if x.op == "const" and y.op == "const":
        return computed(compare(op, x, y))
    if y.op == "const" and x.op == "ite" and _TABLES.cover(x):
        return each_choice(x, lambda c: computed(compare(op, c, y)))
    if x.op == "const" and y.op == "ite" and _TABLES.cover(y):
        return each_choice(y, lambda c: computed(compare(op, x, c)))
    return compare(op, x, y)


def bit_is_set(bit: Term) -> Term:
    """The condition that a value of one bit is 1."""
    if bit.op == "ite" and bit.args[1].op == bit.args[2].op == "const":
        return bit.args[0] if bit.args[1].data else negate(bit.args[0])
    return simple_equal(bit, const(1, 1))


def _extracted(term: Term, operands: Operands) -> Term:
    return simple_extract(operands[0], int(term.data or 0), term.width)


def _extended(term: Term, operands: Operands) -> Term:
    if operands[0].op == "zext":
        return resize(operands[0].args[0], term.width)
    return _over_table(term, operands)


def _flag(term: Term, operands: Operands) -> Term:
    """A bit that says whether a condition holds, with the condition simplified."""
    if term.width != 1 or operands[1].op != "const" or operands[2].op != "const":
        return rebuild(term, operands)
    return choose(_condition(operands[0]), operands[1], operands[2])


def _condition(c: Term) -> Term:
    """A comparison of simple terms, or the negation of one, simplified."""
    if c.op == "not":
        inner = _condition(c.args[0])
        return FALSE if inner is TRUE else TRUE if inner is FALSE else negate(inner)
    if c.op == "eq" and c.args[0].width:
        return simple_equal(c.args[0], c.args[1])
    return simple_compare(c.op, c.args[0], c.args[1]) if c.op in _ORDERS else c


def _over_table(term: Term, operands: Operands) -> Term:
    """An operation on constants and one table: the table of the results."""
    symbolic = [k for k, a in enumerate(operands) if a.op != "const"]
    if len(symbolic) != 1 or operands[symbolic[0]].op != "ite" or not _TABLES.cover(operands[symbolic[0]]):
        return rebuild(term, operands)
    before, table, after = operands[: symbolic[0]], operands[symbolic[0]], operands[symbolic[0] + 1 :]
    return each_choice(table, lambda c: computed(rebuild(term, (*before, c, *after))))


_RULES: Mapping[str, Rule] = {
    **dict.fromkeys((*BINARY, "concat"), _over_table),
    "extract": _extracted,
    "zext": _extended,
    "sext": _extended,
    "ite": _flag,
}

BYTES = Rules(_RULES)
"""Undoes taking bytes apart and joining them again, and computes with tables of constants: for concolic testing."""


def simplified(term: Term) -> Term:
    """The term, whose operands are simple, simplified by these rules."""
    return BYTES(term, term.args)
