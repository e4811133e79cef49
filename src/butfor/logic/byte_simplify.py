"""Terms made smaller as they are made: what -O0 code does to a byte on its way to a branch is mostly moving it around."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from butfor.logic.evaluate import Evaluator
from butfor.logic.terms import (
    FALSE,
    TRUE,
    Term,
    binary,
    compare,
    concat,
    conjunction,
    const,
    disjunction,
    equal,
    extract,
    ite,
    negate,
    resize,
)

_LONGEST_CHAIN = 64
_ORDERS = ("ult", "ule", "slt", "sle")


def part(x: Term, low: int, width: int) -> Term:
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


def joined(parts: Sequence[Term]) -> Term:
    """The parts side by side, the lowest first; neighbours of one term become one part of it again."""
    out: list[Term] = []
    for p in parts:
        last = out[-1] if out else None
        if last is not None and last.op == "const" and p.op == "const":
            out[-1] = const(int(last.data or 0) | int(p.data or 0) << last.width, last.width + p.width)
        elif last is not None and (merged := _neighbours(last, p)) is not None:
            out[-1] = merged
        else:
            out.append(p)
    if len(out) == 2 and out[1].op == "const" and not out[1].data:
        return resize(out[0], out[0].width + out[1].width)
    return concat(out)


def _neighbours(low: Term, high: Term) -> Term | None:
    """One term for two parts that lie side by side in it."""
    if high.op != "extract":
        return None
    whole, at = high.args[0], int(high.data or 0)
    if low.op == "extract" and low.args[0] is whole and int(low.data or 0) + low.width == at:
        return part(whole, int(low.data or 0), low.width + high.width)
    if at >= low.width and part(whole, at - low.width, low.width) is low:
        return part(whole, at - low.width, low.width + high.width)
    return None


def truth(bit: Term) -> Term:
    """The condition that a value of one bit is 1."""
    if bit.op == "ite" and bit.args[1].op == bit.args[2].op == "const":
        return bit.args[0] if bit.args[1].data else negate(bit.args[0])
    if bit.op == "const":
        return TRUE if bit.data else FALSE
    return same(bit, const(1, 1))


def same(x: Term, y: Term) -> Term:
    """x == y."""
    if x.op == "const":
        x, y = y, x
    if y.op != "const":
        return equal(x, y)
    value = int(y.data or 0)
    if x.op == "const":
        return TRUE if x.data == y.data else FALSE
    if x.op in ("zext", "sext"):
        inner = x.args[0]
        back = const(value, inner.width)
        return same(inner, back) if Evaluator({})(resize(back, x.width, x.op == "sext")) == value else FALSE
    if x.op == "xor" and x.args[1].op == "const" and x.width > 0:
        return same(x.args[0], const(value ^ int(x.args[1].data or 0), x.width))
    if x.op == "ite":
        chain = _pushed(x, lambda leaf: same(leaf, y))
        return chain if chain is not None else equal(x, y)
    return equal(x, y)


def less(op: str, x: Term, y: Term) -> Term:
    """A comparison by order."""
    if x.op == "ite" and y.op == "const":
        chain = _pushed(x, lambda leaf: _folded(compare(op, leaf, y)))
        return chain if chain is not None else compare(op, x, y)
    if y.op == "ite" and x.op == "const":
        chain = _pushed(y, lambda leaf: _folded(compare(op, x, leaf)))
        return chain if chain is not None else compare(op, x, y)
    return _folded(compare(op, x, y))


def simpler(t: Term) -> Term:
    """The same value, with less in it where that is easy to see; operands are taken to be simple already."""
    if t.op == "extract":
        return part(t.args[0], int(t.data or 0), t.width)
    if t.op in ("zext", "sext") and t.args[0].op == "zext":
        return resize(t.args[0].args[0], t.width)
    if t.op == "ite" and t.width == 1 and t.args[1].op == t.args[2].op == "const":
        condition = _condition(t.args[0])
        return (
            const(int(bool(condition is TRUE) == bool(t.args[1].data)), 1)
            if condition in (TRUE, FALSE)
            else ite(condition, t.args[1], t.args[2])
        )
    open_args = [k for k, a in enumerate(t.args) if a.op != "const"]
    if not open_args and t.args:
        return _folded(t)
    if len(open_args) == 1 and t.op != "ite" and t.args[open_args[0]].op == "ite":
        at = open_args[0]
        chain = _pushed(t.args[at], lambda leaf: _folded(_again(t, at, leaf)))
        return chain if chain is not None else t
    return t


def _condition(c: Term) -> Term:
    """A comparison, simplified."""
    if c.op == "not":
        inner = _condition(c.args[0])
        return FALSE if inner is TRUE else TRUE if inner is FALSE else negate(inner)
    if c.op == "eq" and c.args[0].width:
        return same(c.args[0], c.args[1])
    return less(c.op, c.args[0], c.args[1]) if c.op in _ORDERS else c


def _again(t: Term, at: int, arg: Term) -> Term:

    args = [*t.args[:at], arg, *t.args[at + 1 :]]
    if t.op in ("zext", "sext"):
        return resize(args[0], t.width, t.op == "sext")
    return (
        binary(t.op, args[0], args[1])
        if len(args) == 2 and t.op != "concat"
        else concat((args[1], args[0]))
        if t.op == "concat"
        else t
    )


def _folded(t: Term) -> Term:
    if any(a.op != "const" for a in t.args):
        return t
    value = Evaluator({})(t)
    return const(value, t.width) if t.width else TRUE if value else FALSE


def _pushed(t: Term, rule: Callable[[Term], Term]) -> Term | None:
    """The rule applied to the constant leaves of a chain of choices; None when there are others, or too many."""
    links: list[Term] = []
    while t.op == "ite":
        if t.args[1].op != "const" or len(links) > _LONGEST_CHAIN:
            return None
        links.append(t)
        t = t.args[2]
    if t.op != "const":
        return None
    result = rule(t)
    for link in reversed(links):
        result = _choice(link.args[0], rule(link.args[1]), result)
    return result


def _choice(condition: Term, x: Term, y: Term) -> Term:
    if x is y:
        return x
    if x.width:
        return ite(condition, x, y)
    if x is TRUE and y is FALSE:
        return condition
    if x is FALSE and y is TRUE:
        return negate(condition)

    if x in (TRUE, FALSE):
        return disjunction((condition, y)) if x is TRUE else conjunction((negate(condition), y))
    return disjunction((conjunction((condition, x)), conjunction((negate(condition), y))))
