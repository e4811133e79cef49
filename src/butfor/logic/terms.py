"""Terms over bit-vectors, booleans, unbounded numbers and maps: immutable data, shared by identity.

`evaluate.py` says what the operations mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from weakref import WeakValueDictionary

from butfor.errors import ButforError
from butfor.logic.sorts import INT, REAL, MapSort, Sort, Value, is_map, is_sort

Data = int | Fraction | str | None


class TermError(ButforError):
    """A term without meaning: widths that do not fit, an unknown operation, a variable without a value."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, weakref_slot=True)
class Term:
    """One node of a term. Equal terms are the same object: make them with the functions of this module only.

    `width` is the sort: the number of bits, 0 for a boolean, negative for unbounded numbers and maps (see `sorts.py`).
    `data` is the value of a constant, the name of a variable, the lowest bit of an extract. `few_variables` are those
    below it, once somebody asked and if they are few: the same small terms are asked again and again.
    """

    op: str
    args: tuple[Term, ...]
    width: int
    data: Data = None
    few_variables: tuple[Term, ...] | None = field(default=None, init=False)

    def __repr__(self) -> str:
        data = "" if self.data is None else self.data
        return f"<{self.op} {data}:{self.width} of {len(self.args)}>"  # without the operands: terms can be deep


# The one table of the process that makes equal terms identical. Nothing reads it but `_make`, and terms that are no
# longer used leave it.
_made: WeakValueDictionary[tuple[object, ...], Term] = WeakValueDictionary()

BINARY = frozenset("add sub mul udiv urem sdiv srem and or xor shl lshr ashr".split())
COMPARISONS = frozenset("eq ult ule slt sle".split())
ARITHMETIC = {INT: frozenset("plus minus times div mod".split()), REAL: frozenset("plus minus times over".split())}
ORDER = frozenset(("lt", "le"))  # x < y, x <= y


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


def number(value: int | Fraction, sort: Sort) -> Term:
    """The constant of the sort INT or REAL."""
    if sort == INT and value.denominator == 1:
        return _make("number", (), INT, int(value))
    if sort == REAL:
        return _make("number", (), REAL, Fraction(value))
    raise TermError(f"the number {value} of the sort {sort}")


def constant(value: Value, sort: Sort) -> Term:
    """The term that has this value."""
    if sort > 0:
        return const(value, sort)
    if not sort:
        return TRUE if value else FALSE
    if not is_map(sort):
        return number(value, sort)
    term = everywhere(constant(value.default, sort.value), sort.index)
    for k, v in value.others.items():
        term = store(term, constant(k, sort.index), constant(v, sort.value))
    return term


def variable(name: str, width: Sort) -> Term:
    """The variable of that name: a boolean when the width is 0."""
    if not is_sort(width):
        raise TermError(f"no sort has the number {width}")
    return _make("var", (), width, name)


TRUE = _make("all", (), 0)
FALSE = _make("any", (), 0)


def binary(op: str, x: Term, y: Term) -> Term:
    """The arithmetic or bitwise operation on two bit-vectors of one width."""
    if op not in BINARY or x.width != y.width or x.width <= 0:
        raise TermError(f"{op} of {x.width} and {y.width} bits")
    return _make(op, (x, y), x.width)


def arithmetic(op: str, x: Term, y: Term) -> Term:
    """The operation on two unbounded numbers; `div` and `mod` are those of SMT-LIB, `over` divides reals."""
    if x.width != y.width or op not in ARITHMETIC.get(x.width, ()):
        raise TermError(f"{op} of the sorts {x.width} and {y.width}")
    return _make(op, (x, y), x.width)


def order(op: str, x: Term, y: Term) -> Term:
    """`lt` or `le` of two unbounded numbers of one sort: x < y, x <= y."""
    if op not in ORDER or x.width != y.width or x.width not in ARITHMETIC:
        raise TermError(f"{op} of the sorts {x.width} and {y.width}")
    return _make(op, (x, y), 0)


def converted(x: Term, sort: Sort) -> Term:
    """An integer as a real, a real as the next integer below."""
    if {x.width, sort} != {INT, REAL}:
        raise TermError(f"the sort {x.width} as {sort}")
    return _make("toreal" if sort == REAL else "toint", (x,), sort)


def everywhere(value: Term, index: Sort) -> Term:
    """The map that has the value at every index."""
    return _make("everywhere", (value,), MapSort(index, value.width))


def select(m: Term, index: Term) -> Term:
    """The value of a map at an index."""
    if not is_map(m.width) or m.width.index != index.width:
        raise TermError(f"the sort {m.width} at the sort {index.width}")
    return _make("select", (m, index), m.width.value)


def store(m: Term, index: Term, value: Term) -> Term:
    """The map with another value at an index."""
    if not is_map(m.width) or (m.width.index, m.width.value) != (index.width, value.width):
        raise TermError(f"the sort {value.width} put into the sort {m.width} at the sort {index.width}")
    return _make("store", (m, index, value), m.width)


def compare(op: str, x: Term, y: Term) -> Term:
    """The comparison of two terms; `eq` is there for booleans too."""
    if op not in COMPARISONS or x.width != y.width or not (x.width > 0 or op == "eq"):
        raise TermError(f"{op} of {x.width} and {y.width} bits")
    return TRUE if op == "eq" and x is y else _make(op, (x, y), 0)


def has_value(x: Term, value: Value) -> Term:
    """The condition that x has a value; of a boolean, x itself or its negation."""
    if x.width:
        return equal(x, constant(value, x.width))
    return x if value else negate(x)


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
        if part.width <= 0 or first.width <= 0:
            raise TermError("only bit-vectors are parts of a bit-vector")
        first = _make("concat", (part, first), part.width + first.width)
    return first


def resize(x: Term, width: int, signed: bool = False) -> Term:
    """x extended or cut to a width."""
    if width <= x.width:
        return extract(x, 0, width)
    if x.width <= 0:
        raise TermError(f"the sort {x.width} as {width} bits")
    return _make("sext" if signed else "zext", (x,), width)


def negate(x: Term) -> Term:
    """Not x."""
    if x.width:
        raise TermError("not of something that is no boolean")
    if x is TRUE or x is FALSE:
        return FALSE if x is TRUE else TRUE
    return x.args[0] if x.op == "not" else _make("not", (x,), 0)


def conjunction(terms: Iterable[Term]) -> Term:
    """All of the terms."""
    parts = tuple(dict.fromkeys(t for t in terms if t is not TRUE))
    if any(t.width for t in parts):
        raise TermError("all of things that are no booleans")
    return parts[0] if len(parts) == 1 else _make("all", parts, 0)


def conjuncts(term: Term) -> Iterator[Term]:
    """The conjuncts of a term; those of a negated disjunction too."""
    stack = [term]
    while stack:
        t = stack.pop()
        if t.op == "all":
            stack += reversed(t.args)
        elif t.op == "not" and t.args[0].op == "any":
            stack += [negate(a) for a in reversed(t.args[0].args)]
        else:
            yield t


def disjunction(terms: Iterable[Term]) -> Term:
    """Any of the terms."""
    parts = tuple(dict.fromkeys(t for t in terms if t is not FALSE))
    if any(t.width for t in parts):
        raise TermError("any of things that are no booleans")
    return parts[0] if len(parts) == 1 else _make("any", parts, 0)


def implies(condition: Term, x: Term) -> Term:
    """x wherever the condition holds."""
    return x if condition is TRUE else disjunction((negate(condition), x))


def rebuild(term: Term, args: tuple[Term, ...]) -> Term:
    """The term with other arguments of the same sorts."""
    if any(a.width != b.width for a, b in zip(term.args, args, strict=True)):
        raise TermError(f"{term.op} with arguments of other sorts")
    return term if args == term.args else _make(term.op, args, term.width, term.data)


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


MAX_FEW_VARIABLES = 8  # that a term remembers: with more, long chains of terms would take much memory


def variables(roots: Iterable[Term]) -> tuple[Term, ...]:
    """The variables below the roots."""
    found: dict[Term, None] = {}
    seen: set[Term] = set()
    stack = list(roots)
    while stack:
        top = stack[-1]
        if top.few_variables is not None:
            found.update(dict.fromkeys(top.few_variables))
            stack.pop()
        elif top in seen:
            _remember_few(top)
            if top.op == "var":
                found[top] = None
            stack.pop()
        else:
            seen.add(top)
            stack.extend(a for a in top.args if a not in seen)
    return tuple(found)


def _remember_few(term: Term) -> None:
    """Note the variables below a term whose operands have theirs noted, if they are few."""
    few: dict[Term, None] = {term: None} if term.op == "var" else {}
    for argument in reversed(term.args):
        if argument.few_variables is None:
            return
        few.update(dict.fromkeys(argument.few_variables))
        if len(few) > MAX_FEW_VARIABLES:
            return
    object.__setattr__(term, "few_variables", tuple(few))
