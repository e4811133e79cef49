"""Rules for bit-vectors: equations are solved, constants collected, extensions and extracts shortened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from butfor.logic.evaluate import Evaluator
from butfor.logic.rules import Choices, Operands, Rule, computed, each_choice
from butfor.logic.terms import FALSE, TRUE, Term, binary, const, equal, extract, rebuild


@dataclass(frozen=True, slots=True)
class Equations:
    """How an equation with a constant on one side is solved: which operations are undone, which choices looked into."""

    undone: frozenset[str]
    choices: Choices

    def __call__(self, x: Term, y: Term) -> Term:
        """x == y."""
        if x.op == "const":
            x, y = y, x
        while y.op == "const" and x.op != "const":
            if x.op == "ite" and self.choices.cover(x):
                return _chosen(x, y)
            undo = _INVERSES.get(x.op) if x.op in self.undone else None
            solved = equal(x, y) if undo is None else undo(x, int(y.data or 0))
            if isinstance(solved, Term):
                return solved
            x, y = solved
        return equal(x, y) if y.op != "const" or x is y else FALSE


def _chosen(choices: Term, value: Term) -> Term:
    """The condition that a choice between constants gives one of them."""
    return each_choice(choices, lambda c: TRUE if c is value else FALSE)


Solved = tuple[Term, Term] | Term
"""An equation between simpler terms, or the truth of the equation when there is none."""


def _undo_sum(x: Term, value: int) -> Solved:
    for known, other in ((1, 0), (0, 1)):
        if x.args[known].op == "const":
            return x.args[other], const(value - int(x.args[known].data or 0), x.width)
    return equal(x, const(value, x.width))


def _undo_xor(x: Term, value: int) -> Solved:
    if x.args[1].op != "const":
        return equal(x, const(value, x.width))
    return x.args[0], const(value ^ int(x.args[1].data or 0), x.width)


def _undo_extension(x: Term, value: int) -> Solved:
    inner = const(value, x.args[0].width)
    return (x.args[0], inner) if Evaluator({})(rebuild(x, (inner,))) == value else FALSE


def _undo_scaling(x: Term, value: int) -> Solved:
    """index * size == value, where the product cannot overflow: the index is known, or none fits.

    Of an index chosen among constants, what chooses the one that fits.
    """
    index = x.args[0]
    if x.args[1].op == "const" and index.op == "ite" and _SMALL_CHOICES.cover(index):
        size = int(x.args[1].data or 0)
        return each_choice(index, lambda c: TRUE if int(c.data or 0) * size % (1 << x.width) == value else FALSE)
    if x.args[1].op != "const" or index.op not in ("sext", "zext"):
        return equal(x, const(value, x.width))
    size, spare = int(x.args[1].data or 0), x.width - index.args[0].width
    if not 0 < size < 1 << (spare - 1):
        return equal(x, const(value, x.width))
    number = value - (1 << x.width) if index.op == "sext" and value >> x.width - 1 else value
    return (index, const(number // size, x.width)) if number % size == 0 else FALSE


_INVERSES: Mapping[str, Callable[[Term, int], Solved]] = {
    "add": _undo_sum,
    "xor": _undo_xor,
    "zext": _undo_extension,
    "sext": _undo_extension,
    "mul": _undo_scaling,
}

_SMALL_CHOICES = Choices(depth=6)  # 64 constants at most: short-circuit conditions, selected sizes
_EQUATIONS = Equations(frozenset(_INVERSES), _SMALL_CHOICES)


def _equal(term: Term, operands: Operands) -> Term:
    return _EQUATIONS(*operands)


def _resized(term: Term, operands: Operands) -> Term:
    """A choice between constants stays one when it is extended or cut."""
    a = operands[0]
    if a.op == "ite" and _SMALL_CHOICES.cover(a):
        return each_choice(a, lambda c: computed(rebuild(term, (c,))))
    return rebuild(term, operands)


def _extracted(term: Term, operands: Operands) -> Term:
    """Bits of what was extended or put together, without the detour."""
    a, low = operands[0], int(term.data or 0)
    while a.op == "concat":
        upper, lower = a.args
        if low + term.width <= lower.width:
            a = lower
        elif low >= lower.width:
            a, low = upper, low - lower.width
        else:
            break
    if a.op == "const":
        return const(int(a.data or 0) >> low, term.width)
    if a.op == "ite" and _SMALL_CHOICES.cover(a):
        return each_choice(a, lambda c: const(int(c.data or 0) >> low, term.width))
    if a.op in ("zext", "sext") and low == 0 and term.width <= a.args[0].width:
        a = a.args[0]
    return extract(a, low, term.width)


def _sum(term: Term, operands: Operands) -> Term:
    """Constants to the right, those of nested sums together."""
    x, y = operands
    if x.op == "const":
        x, y = y, x
    while y.op == "const" and x.op == "add" and x.args[1].op == "const" and y.data:
        x, y = x.args[0], const(int(x.args[1].data or 0) + int(y.data), term.width)
    return x if y.op == "const" and not y.data else binary("add", x, y)


def _product(term: Term, operands: Operands) -> Term:
    x, y = operands
    if x.op == "const":
        x, y = y, x
    if y.op == "const" and y.data in (0, 1):
        return x if y.data else y
    return binary("mul", x, y)


def _masked(term: Term, operands: Operands) -> Term:
    """An `and` with all ones changes nothing, nor does an `or` or `xor` with 0."""
    x, y = operands
    neutral = (1 << term.width) - 1 if term.op == "and" else 0
    return x if y.op == "const" and y.data == neutral else rebuild(term, operands)


BIT_VECTOR_RULES: Mapping[str, Rule] = {
    "zext": _resized,
    "sext": _resized,
    "extract": _extracted,
    "eq": _equal,
    "add": _sum,
    "mul": _product,
    "and": _masked,
    "or": _masked,
    "xor": _masked,
}
