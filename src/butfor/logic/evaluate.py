"""Values of terms for an assignment of their variables.

Operations have the meaning of SMT-LIB: a bit-vector divided by zero gives all ones, a shift by the width or more
shifts everything out. What SMT-LIB leaves open is fixed here: unbounded numbers divided by zero give 0, and `mod` by
zero gives the number itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from butfor.logic.sorts import MapValue, Value, is_map, same_value
from butfor.logic.terms import Term, TermError, postorder

MAX_TREE_SIZE = 200  # of a term, shared operands counted again, that becomes a function: its calls are as deep at most

Evaluation = Callable[[Mapping[str, Value]], Value]
"""Gives the value of one term for values of its variables."""


class Evaluator:
    """Values of terms for one assignment of the variables; booleans are 0 and 1."""

    def __init__(self, values: Mapping[str, Value]) -> None:
        self.values = values
        self._known: dict[Term, Value] = {}
        self._done: set[Term] = set()

    def __call__(self, term: Term) -> Value:
        for t in postorder((term,), self._done):
            self._known[t] = self._one(t)
        return self._known[term]

    def _one(self, t: Term) -> Value:
        if t.op == "var":
            try:
                return self.values[str(t.data)]
            except KeyError:
                raise TermError(f"the variable {t.data} has no value") from None
        rule = _RULES.get(t.op)
        if rule is None:
            raise TermError(f"no operation is called {t.op}")
        return rule(t, [self._known[a] for a in t.args])


def _signed(x: int, width: int) -> int:
    return x - (1 << width) if x >> width - 1 else x


def _divide(t: Term, a: list[int]) -> int:
    """Unsigned and signed quotients and remainders, truncated toward zero."""
    x, y = a if t.op[0] == "u" else [_signed(n, t.width) for n in a]
    is_quotient = t.op.endswith("div")
    if y == 0:
        return (1 if x < 0 else (1 << t.width) - 1) if is_quotient else a[0]
    whole = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
    return (whole if is_quotient else x - y * whole) & (1 << t.width) - 1


def _shift(t: Term, a: list[int]) -> int:
    x, by = a[0], min(a[1], t.width)
    if t.op == "shl":
        return x << by & (1 << t.width) - 1
    return (_signed(x, t.width) if t.op == "ashr" else x) >> by & (1 << t.width) - 1


def _compare(t: Term, a: list[int]) -> int:
    width = t.args[0].width
    x, y = a if t.op[0] == "u" else [_signed(n, width) for n in a]
    return int(x < y if t.op.endswith("lt") else x <= y)


def _euclidean_division(t: Term, a: list[int]) -> int:
    """The quotient or remainder; the remainder is never negative."""
    x, y = a
    if y == 0:
        return 0 if t.op == "div" else x
    rest = x % abs(y)
    return rest if t.op == "mod" else (x - rest) // y


_RULES: dict[str, Callable[[Term, list[Value]], Value]] = {
    "const": lambda t, a: int(t.data or 0),
    "add": lambda t, a: a[0] + a[1] & (1 << t.width) - 1,
    "sub": lambda t, a: a[0] - a[1] & (1 << t.width) - 1,
    "mul": lambda t, a: a[0] * a[1] & (1 << t.width) - 1,
    "and": lambda t, a: a[0] & a[1],
    "or": lambda t, a: a[0] | a[1],
    "xor": lambda t, a: a[0] ^ a[1],
    **dict.fromkeys(("udiv", "urem", "sdiv", "srem"), _divide),
    **dict.fromkeys(("shl", "lshr", "ashr"), _shift),
    **dict.fromkeys(("ult", "ule", "slt", "sle"), _compare),
    "eq": lambda t, a: int(same_value(t.args[0].width, a[0], a[1]) if is_map(t.args[0].width) else a[0] == a[1]),
    "ite": lambda t, a: a[1] if a[0] else a[2],
    "extract": lambda t, a: a[0] >> int(t.data or 0) & (1 << t.width) - 1,
    "concat": lambda t, a: a[0] << t.args[1].width | a[1],
    "zext": lambda t, a: a[0],
    "sext": lambda t, a: _signed(a[0], t.args[0].width) & (1 << t.width) - 1,
    "not": lambda t, a: 1 - a[0],
    "all": lambda t, a: int(all(a)),
    "any": lambda t, a: int(any(a)),
    "number": lambda t, a: t.data,
    "plus": lambda t, a: a[0] + a[1],
    "minus": lambda t, a: a[0] - a[1],
    "times": lambda t, a: a[0] * a[1],
    "div": _euclidean_division,
    "mod": _euclidean_division,
    "over": lambda t, a: a[0] / a[1] if a[1] else Fraction(0),
    "lt": lambda t, a: int(a[0] < a[1]),
    "le": lambda t, a: int(a[0] <= a[1]),
    "toreal": lambda t, a: Fraction(a[0]),
    "toint": lambda t, a: a[0].__floor__(),
    "everywhere": lambda t, a: MapValue(a[0]),
    "select": lambda t, a: a[0][a[1]],
    "store": lambda t, a: a[0].having(a[1], a[2]),
}


class Evaluations:
    """Functions that evaluate terms: made once for each term, and some ten times as fast as an `Evaluator`.

    Like it, they need the values of all variables, but of those in operands that do not matter.
    """

    def __init__(self) -> None:
        self._made: dict[Term, Evaluation] = {}
        self._sizes: dict[Term, int] = {}
        self._done: set[Term] = set()

    def __call__(self, term: Term) -> Evaluation:
        """The function for a term."""
        found = self._made.get(term)
        if found is None:
            for t in postorder((term,), self._done):
                size = self._sizes[t] = 1 + sum(self._sizes[a] for a in t.args)
                made = _function(t, [self._made[a] for a in t.args]) if size <= MAX_TREE_SIZE else _by_evaluator(t)
                self._made[t] = made
            found = self._made[term]
        return found


def _by_evaluator(t: Term) -> Evaluation:
    return lambda values: Evaluator(values)(t)


def _function(t: Term, f: list[Evaluation]) -> Evaluation:
    """The function for a term, from those of its operands."""
    make = _FUNCTIONS.get(t.op)
    if make is not None:
        return make(t, f)
    rule = _RULES.get(t.op)
    if rule is None:
        raise TermError(f"no operation is called {t.op}")
    match f:
        case [x]:
            return lambda values: rule(t, [x(values)])
        case [x, y]:
            return lambda values: rule(t, [x(values), y(values)])
    return lambda values: rule(t, [x(values) for x in f])


def _variable(t: Term, _: list[Evaluation]) -> Evaluation:
    name = str(t.data)

    def value(values: Mapping[str, Value]) -> Value:
        try:
            return values[name]
        except KeyError:
            raise TermError(f"the variable {name} has no value") from None

    return value


def _constant(t: Term, _: list[Evaluation]) -> Evaluation:
    value = t.data
    return lambda values: value


def _equality(t: Term, f: list[Evaluation]) -> Evaluation:
    x, y = f
    sort = t.args[0].width
    if is_map(sort):
        return lambda values: int(same_value(sort, x(values), y(values)))
    return lambda values: 1 if x(values) == y(values) else 0


def _choice(_: Term, f: list[Evaluation]) -> Evaluation:
    condition, x, y = f
    return lambda values: x(values) if condition(values) else y(values)


def _negation(_: Term, f: list[Evaluation]) -> Evaluation:
    x = f[0]
    return lambda values: 1 - x(values)


def _all_of(_: Term, f: list[Evaluation]) -> Evaluation:
    if len(f) == 2:
        x, y = f
        return lambda values: 1 if x(values) and y(values) else 0
    return lambda values: int(all(x(values) for x in f))


def _any_of(_: Term, f: list[Evaluation]) -> Evaluation:
    if len(f) == 2:
        x, y = f
        return lambda values: 1 if x(values) or y(values) else 0
    return lambda values: int(any(x(values) for x in f))


_FUNCTIONS: dict[str, Callable[[Term, list[Evaluation]], Evaluation]] = {
    "var": _variable,
    "const": _constant,
    "number": _constant,
    "eq": _equality,
    "ite": _choice,
    "not": _negation,
    "all": _all_of,
    "any": _any_of,
}
