"""Terms made from terms: variables replaced, constants folded, comparisons of addresses turned into comparisons of indices."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from butfor.logic.evaluate import Evaluator
from butfor.logic.terms import (
    FALSE,
    TRUE,
    Term,
    binary,
    conjunction,
    const,
    disjunction,
    equal,
    extract,
    ite,
    negate,
    postorder,
    rebuild,
)

_DEEP = 6  # choices within choices that are looked into


class Substitution:
    """Replaces variables by terms of the same width; what was done is remembered."""

    def __init__(self, values: Mapping[str, Term]) -> None:
        self._values = values
        self._known: dict[Term, Term] = {}
        self._done: set[Term] = set()

    def __call__(self, term: Term) -> Term:
        for t in postorder((term,), self._done):
            if t.op == "var":
                self._known[t] = self._values.get(str(t.data), t)
            else:
                self._known[t] = rebuild(t, tuple(self._known[a] for a in t.args))
        return self._known[term]


def substitute(term: Term, values: Mapping[str, Term]) -> Term:
    """The term with variables replaced."""
    return Substitution(values)(term)


class Simplifier:
    """Equal terms that are shorter; what was done is remembered."""

    def __init__(self) -> None:
        self._known: dict[Term, Term] = {}
        self._done: set[Term] = set()

    def __call__(self, term: Term) -> Term:
        for t in postorder((term,), self._done):
            self._known[t] = simpler(rebuild(t, tuple(self._known[a] for a in t.args)))
        return self._known[term]


def is_constant(t: Term) -> bool:
    """Whether a term is a constant of its own kind."""
    return t.op == "const" or t is TRUE or t is FALSE


def simpler(t: Term) -> Term:
    """The term, whose operands are simple, as a shorter one."""
    if not t.args:
        return t
    if all(map(is_constant, t.args)):
        value = Evaluator({})(t)
        return const(value, t.width) if t.width else TRUE if value else FALSE
    rule = _RULES.get(t.op)
    return t if rule is None else rule(t)


def choice(condition: Term, x: Term, y: Term) -> Term:
    """x if the condition holds, else y, all of them booleans, with as few connectives as it takes."""
    if condition is TRUE or condition is FALSE:
        return x if condition is TRUE else y
    if x is y:
        return x
    if x is TRUE:
        return condition if y is FALSE else disjunction((condition, y))
    if y is TRUE:
        return negate(condition) if x is FALSE else disjunction((negate(condition), x))
    if x is FALSE:
        return conjunction((negate(condition), y))
    return (
        conjunction((condition, x))
        if y is FALSE
        else conjunction((disjunction((negate(condition), x)), disjunction((condition, y))))
    )


def _ite(t: Term) -> Term:
    condition, x, y = t.args
    if condition is TRUE or condition is FALSE:
        return x if condition is TRUE else y
    return x if x is y else t


def _all(t: Term) -> Term:
    flat = [b for a in t.args for b in (a.args if a.op == "all" else (a,))]
    return FALSE if FALSE in flat else conjunction(flat)


def _any(t: Term) -> Term:
    flat = [b for a in t.args for b in (a.args if a.op == "any" else (a,))]
    return TRUE if TRUE in flat else disjunction(flat)


def _not(t: Term) -> Term:
    a = t.args[0]
    if a.op in ("all", "any"):
        return (disjunction if a.op == "all" else conjunction)(map(negate, a.args))
    return negate(a)


def _resize(t: Term) -> Term:
    """A choice between constants stays one when it is extended or cut."""
    a = t.args[0]
    if a.op == "ite" and _chooses(a):
        return ite(a.args[0], simpler(rebuild(t, (a.args[1],))), simpler(rebuild(t, (a.args[2],))))
    if t.op == "extract" and a.op in ("zext", "sext") and t.data == 0 and t.width <= a.args[0].width:
        return extract(a.args[0], 0, t.width)
    if t.op == "extract" and a.op == "concat":
        low, below = int(t.data or 0), a.args[1].width
        if low + t.width <= below:
            return simpler(extract(a.args[1], low, t.width))
        if low >= below:
            return simpler(extract(a.args[0], low - below, t.width))
    return t


def _equal(t: Term) -> Term:
    if is_constant(t):
        return t
    x, y = t.args
    if x.op == "const":
        x, y = y, x
    if y.op != "const" or x.op == "const":
        return _truth(x is y) if x.op == y.op == "const" else equal(x, y)
    value = int(y.data or 0)
    if x.op == "ite" and _chooses(x):
        return choice(x.args[0], _equal(equal(x.args[1], y)), _equal(equal(x.args[2], y)))
    if x.op in ("add", "xor") and x.args[1].op == "const":
        other = int(x.args[1].data or 0)
        return _equal(equal(x.args[0], const(value - other if x.op == "add" else value ^ other, x.width)))
    if x.op == "add" and x.args[0].op == "const":
        return _equal(equal(x.args[1], const(value - int(x.args[0].data or 0), x.width)))
    if x.op in ("zext", "sext"):
        inner = const(value, x.args[0].width)
        fits = Evaluator({})(rebuild(x, (inner,))) == value
        return _equal(equal(x.args[0], inner)) if fits else FALSE
    if x.op == "mul" and x.args[1].op == "const" and x.args[0].op in ("sext", "zext"):
        return _scaled(x, value)
    return equal(x, y)


def _scaled(x: Term, value: int) -> Term:
    """index * size == value, where the product cannot overflow: the index is known, or none fits."""
    index, size = x.args[0], int(x.args[1].data or 0)
    spare = x.width - index.args[0].width
    if not 0 < size < 1 << (spare - 1):
        return equal(x, const(value, x.width))
    number = value - (1 << x.width) if index.op == "sext" and value >> x.width - 1 else value
    return _equal(equal(index, const(number // size, x.width))) if number % size == 0 else FALSE


def _chooses(t: Term, deep: int = 0) -> bool:
    """Whether a term is a choice between constants, or between few such choices."""
    return t.op == "const" or (
        t.op == "ite" and deep < _DEEP and _chooses(t.args[1], deep + 1) and _chooses(t.args[2], deep + 1)
    )


def _truth(value: bool) -> Term:
    return TRUE if value else FALSE


def _plus(t: Term) -> Term:
    """Constants to the right, those of nested sums together."""
    x, y = t.args
    if x.op == "const":
        x, y = y, x
    if y.op != "const":
        return binary("add", x, y)
    if not y.data:
        return x
    if x.op == "add" and x.args[1].op == "const":
        return _plus(binary("add", x.args[0], const(int(x.args[1].data or 0) + int(y.data or 0), t.width)))
    return binary("add", x, y)


def _masked(t: Term) -> Term:
    """And with all ones, or with none, does nothing."""
    x, y = t.args
    if y.op != "const":
        return t
    idle = (1 << t.width) - 1 if t.op == "and" else 0
    return x if y.data == idle else t


def _times(t: Term) -> Term:
    x, y = t.args
    if x.op == "const":
        x, y = y, x
    return x if y.op == "const" and y.data == 1 else y if y.op == "const" and y.data == 0 else binary("mul", x, y)


_RULES: dict[str, Callable[[Term], Term]] = {
    "ite": _ite,
    "all": _all,
    "any": _any,
    "not": _not,
    "zext": _resize,
    "sext": _resize,
    "extract": _resize,
    "eq": _equal,
    "add": _plus,
    "mul": _times,
    "and": _masked,
    "or": _masked,
    "xor": _masked,
}
