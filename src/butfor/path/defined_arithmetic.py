"""What C leaves undefined did not happen: signed sums and products do not overflow."""

from __future__ import annotations

from collections.abc import Iterable

from butfor.logic.terms import Term, binary, equal, postorder, resize
from butfor.path.path_model import Path

OVERFLOWING = frozenset(("add", "sub", "mul"))
_WIDEST = 32  # bits of a product that a solver can tell this of


def no_overflow(t: Term) -> Term:
    """That a signed sum, difference or product is what it is without limits."""
    width = 2 * t.width if t.op == "mul" else t.width + 1
    return equal(resize(t, width, True), binary(t.op, *(resize(a, width, True) for a in t.args)))


def facts(path: Path, terms: Iterable[Term]) -> list[Term]:
    """What is known of the sums and products in some terms over cells."""
    return (
        [no_overflow(t) for t in postorder(terms) if t in path.exact and (t.op != "mul" or t.width <= _WIDEST)]
        if path.exact
        else []
    )
