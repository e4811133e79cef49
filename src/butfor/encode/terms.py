"""Terms: bit-vectors and booleans as plain data, shared by identity, with an evaluator.

Operations have the meaning of SMT-LIB: a division by zero gives all ones, a shift by the width or more shifts everything out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from weakref import WeakValueDictionary

from butfor.errors import ButforError

Data = int | str | None


class TermError(ButforError):
    """A term that makes no sense: widths that do not fit, an operation that does not exist, a variable without a value."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, weakref_slot=True)
class Term:
    """One node. `width` is the number of bits, 0 for a boolean; `data` the value of a constant, the name of a variable, the lowest bit of an
    extract. Equal terms are the same object, so they compare and hash by identity: make them with the functions of this module only."""

    op: str
    args: tuple[Term, ...]
    width: int
    data: Data = None

    def __repr__(self) -> str:
        return f"<{self.op} {'' if self.data is None else self.data}:{self.width} of {len(self.args)}>"  # flat: terms can be deep


_made: WeakValueDictionary[tuple[object, ...], Term] = WeakValueDictionary()

BINARY = frozenset("add sub mul udiv urem sdiv srem and or xor shl lshr ashr".split())
COMPARISONS = frozenset("eq ult ule slt sle".split())


def _make(op: str, args: tuple[Term, ...], width: int, data: Data = None) -> Term:
    key = (op, tuple(map(id, args)), width, data)
    term = _made.get(key)
    if term is None:
        term = Term(op, args, width, data)
        _made[key] = term
    return term


def const(value: int, width: int) -> Term:
    """The bit-vector constant, cut to its width."""
    if width <= 0:
        raise TermError(f"a bit-vector of {width} bits")
    return _make("const", (), width, value & (1 << width) - 1)


def variable(name: str, width: int) -> Term:
    """The variable of that name: a boolean when the width is 0."""
    return _make("var", (), width, name)


TRUE = _make("all", (), 0)
FALSE = _make("any", (), 0)


def binary(op: str, x: Term, y: Term) -> Term:
    """The arithmetic or bitwise operation on two bit-vectors of one width."""
    if op not in BINARY or x.width != y.width or not x.width:
        raise TermError(f"{op} of {x.width} and {y.width} bits")
    return _make(op, (x, y), x.width)


def compare(op: str, x: Term, y: Term) -> Term:
    """The comparison of two terms; `eq` is there for booleans too."""
    if op not in COMPARISONS or x.width != y.width or not (x.width or op == "eq"):
        raise TermError(f"{op} of {x.width} and {y.width} bits")
    return TRUE if op == "eq" and x is y else _make(op, (x, y), 0)


def equal(x: Term, y: Term) -> Term:
    """x == y."""
    return compare("eq", x, y)


def ite(condition: Term, x: Term, y: Term) -> Term:
    """x if the condition holds, else y."""
    if condition.width or x.width != y.width:
        raise TermError(f"a choice between {x.width} and {y.width} bits")
    return x if x is y else _make("ite", (condition, x, y), x.width)


def extract(x: Term, low: int, width: int) -> Term:
    """`width` bits of x from bit `low`."""
    if low < 0 or width <= 0 or low + width > x.width:
        raise TermError(f"bits {low} to {low + width} of {x.width}")
    return x if width == x.width else _make("extract", (x,), width, low)


def concat(parts: Iterable[Term]) -> Term:
    """The parts side by side, the first one lowest."""
    first, *rest = parts
    for part in rest:
        if not part.width or not first.width:
            raise TermError("a boolean is no part of a bit-vector")
        first = _make("concat", (part, first), part.width + first.width)
    return first


def resize(x: Term, width: int, signed: bool = False) -> Term:
    """x extended or cut to a width."""
    if width <= x.width:
        return extract(x, 0, width)
    return _make("sext" if signed else "zext", (x,), width)


def negate(x: Term) -> Term:
    """Not x."""
    if x.width:
        raise TermError("not of a bit-vector")
    return x.args[0] if x.op == "not" else _make("not", (x,), 0)


def conjunction(terms: Iterable[Term]) -> Term:
    """All of the terms."""
    parts = tuple(dict.fromkeys(t for t in terms if t is not TRUE))
    if any(t.width for t in parts):
        raise TermError("all of bit-vectors")
    return parts[0] if len(parts) == 1 else _make("all", parts, 0)


def disjunction(terms: Iterable[Term]) -> Term:
    """Any of the terms."""
    parts = tuple(dict.fromkeys(t for t in terms if t is not FALSE))
    if any(t.width for t in parts):
        raise TermError("any of bit-vectors")
    return parts[0] if len(parts) == 1 else _make("any", parts, 0)


def implies(condition: Term, x: Term) -> Term:
    """x wherever the condition holds."""
    return x if condition is TRUE else disjunction((negate(condition), x))


def postorder(roots: Iterable[Term], done: set[Term] | None = None) -> Iterator[Term]:
    """Every term below the roots once, operands first."""
    seen = set() if done is None else done
    stack = list(roots)
    while stack:
        top = stack[-1]
        if top in seen:
            stack.pop()
            continue
        pending = [a for a in top.args if a not in seen]
        if pending:
            stack.extend(pending)
            continue
        seen.add(stack.pop())
        yield top


def variables(roots: Iterable[Term]) -> tuple[Term, ...]:
    """The variables below the roots."""
    return tuple(t for t in postorder(roots) if t.op == "var")


class Evaluator:
    """Values of terms for one assignment of the variables; booleans are 0 and 1."""

    def __init__(self, values: Mapping[str, int]) -> None:
        self.values = values
        self._known: dict[Term, int] = {}
        self._done: set[Term] = set()

    def __call__(self, term: Term) -> int:
        for t in postorder((term,), self._done):
            self._known[t] = self._one(t)
        return self._known[term]

    def _one(self, t: Term) -> int:
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


_RULES: dict[str, Callable[[Term, list[int]], int]] = {
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
    "eq": lambda t, a: int(a[0] == a[1]),
    "ite": lambda t, a: a[1] if a[0] else a[2],
    "extract": lambda t, a: a[0] >> int(t.data or 0) & (1 << t.width) - 1,
    "concat": lambda t, a: a[0] << t.args[1].width | a[1],
    "zext": lambda t, a: a[0],
    "sext": lambda t, a: _signed(a[0], t.args[0].width) & (1 << t.width) - 1,
    "not": lambda t, a: 1 - a[0],
    "all": lambda t, a: int(all(a)),
    "any": lambda t, a: int(any(a)),
}


def rebuild(t: Term, args: tuple[Term, ...]) -> Term:
    """The same operation on other operands of the same widths."""
    if tuple(a.width for a in args) != tuple(a.width for a in t.args):
        raise TermError(f"{t.op} on operands of other widths")
    return t if args == t.args else _make(t.op, args, t.width, t.data)
