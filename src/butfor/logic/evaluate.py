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
            value = self.values.get(str(t.data))
            if value is None:
                raise TermError(f"the variable {t.data} has no value")
            return value
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
