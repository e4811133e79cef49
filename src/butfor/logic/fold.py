"""Terms with other terms put in for their variables; what is known then is computed at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from butfor.logic.evaluate import Evaluator
from butfor.logic.rewrite import simpler
from butfor.logic.sorts import Value, is_map
from butfor.logic.terms import (
    FALSE,
    TRUE,
    Term,
    conjunction,
    constant,
    disjunction,
    equal,
    ite,
    negate,
    postorder,
    rebuild,
    select,
)

_LITERALS = frozenset(("const", "number"))


def is_literal(term: Term) -> bool:
    """Whether a term is a value; maps, which are written as terms, are none."""
    return term.op in _LITERALS or term is TRUE or term is FALSE


def folded(root: Term, value: Callable[[str], Term | None]) -> Term:
    """The term with variables replaced where there is a value for them."""
    known: dict[Term, Term] = {}
    for t in postorder((root,)):
        if t.op == "var":
            known[t] = value(str(t.data)) or t
        elif t.args:
            known[t] = _one(t, tuple(known[a] for a in t.args))
        else:
            known[t] = t
    return known[root]


class Folding:
    """Puts the same values into many terms; what was done is remembered."""

    def __init__(self, values: Mapping[str, Term]) -> None:
        self._values = values
        self._known: dict[Term, Term] = {}
        self._done: set[Term] = set()

    def __call__(self, root: Term) -> Term:
        for t in postorder((root,), self._done):
            if t.op == "var":
                self._known[t] = self._values.get(str(t.data), t)
            else:
                self._known[t] = _one(t, tuple(self._known[a] for a in t.args)) if t.args else t
        return self._known[root]


def constants(values: Mapping[str, Value], sorts: Mapping[str, int]) -> dict[str, Term]:
    """Values as terms, by the names of variables."""
    return {name: constant(value, sorts[name]) for name, value in values.items()}


def _one(term: Term, args: tuple[Term, ...]) -> Term:
    match term.op:
        case "all":
            return FALSE if FALSE in args else conjunction(b for a in args for b in (a.args if a.op == "all" else (a,)))
        case "any":
            return TRUE if TRUE in args else disjunction(b for a in args for b in (a.args if a.op == "any" else (a,)))
        case "ite":
            return args[1] if args[0] is TRUE else args[2] if args[0] is FALSE else ite(*args)
        case "not":
            return FALSE if args[0] is TRUE else TRUE if args[0] is FALSE else negate(args[0])
        case "select":
            return _selected(args[0], args[1])
        case "eq" if args[0] is args[1]:
            return equal(*args)
    built = rebuild(term, args)
    if all(map(is_literal, args)) and not is_map(term.width):
        return constant(Evaluator({})(built), term.width)
    return simpler(built) if term.width >= 0 and all(a.width >= 0 for a in args) else built


def _selected(m: Term, index: Term) -> Term:
    """An element of a map, past the elements that were surely others."""
    while m.op == "store":
        if m.args[1] is index:
            return m.args[2]
        if not (is_literal(m.args[1]) and is_literal(index)):
            return select(m, index)
        m = m.args[0]
    return m.args[0] if m.op == "everywhere" else select(m, index)
