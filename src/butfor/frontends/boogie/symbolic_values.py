"""Terms with the values of cells put in; what is constant is computed at once, so that decisions without choice need no solver."""

from __future__ import annotations

from collections.abc import Callable

from butfor.logic.evaluate import Evaluator
from butfor.logic.sorts import is_map
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


def is_constant(term: Term) -> bool:
    """Whether a term is a value (maps, which are written as terms, are none here)."""
    return term.op in _LITERALS or term is TRUE or term is FALSE


def substituted(root: Term, value: Callable[[Term], Term]) -> Term:
    """The term with each variable replaced, simplified where values are known."""
    known: dict[Term, Term] = {}
    for term in postorder((root,)):
        known[term] = value(term) if term.op == "var" else _simplified(term, tuple(known[a] for a in term.args))
    return known[root]


def _simplified(term: Term, args: tuple[Term, ...]) -> Term:
    if not args:
        return term
    match term.op:
        case "all":
            return FALSE if FALSE in args else conjunction(args)
        case "any":
            return TRUE if TRUE in args else disjunction(args)
        case "not" if not is_constant(args[0]):
            return negate(args[0])
        case "ite" if is_constant(args[0]):
            return args[1] if args[0] is TRUE else args[2]
        case "ite":
            return ite(*args)
        case "eq" if args[0] is args[1]:
            return equal(*args)
        case "select" if args[0].op == "store" and is_constant(args[1]):
            return _selected(args[0], args[1])
    built = rebuild(term, args)
    if all(map(is_constant, args)) and not is_map(term.width):
        return constant(Evaluator({})(built), term.width)
    return built


def _selected(m: Term, index: Term) -> Term:
    """An element of a map, past the elements that were surely others."""
    while m.op == "store" and is_constant(m.args[1]):
        if m.args[1] is index:
            return m.args[2]
        m = m.args[0]
    return m.args[0] if m.op == "everywhere" else select(m, index)
