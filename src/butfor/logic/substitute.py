"""Substitution: variables of terms replaced by terms, with the result simplified on the way if wanted."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from butfor.logic.sorts import Sort, Value
from butfor.logic.terms import Term, constant, postorder, rebuild

Build = Callable[[Term, tuple[Term, ...]], Term]
"""Builds a term like the given one from new operands: `rebuild` keeps its shape, `Rules` shorten it."""

Values = Mapping[str, Term] | Callable[[str], Term | None]
"""What replaces the variables of these names; a variable without a value stays."""


class Substitution:
    """Puts the same values into many terms; what was built once is remembered."""

    def __init__(self, values: Values, build: Build = rebuild) -> None:
        self._value = values if callable(values) else values.get
        self._build = build
        self._known: dict[Term, Term] = {}
        self._done: set[Term] = set()

    def __call__(self, root: Term) -> Term:
        known = self._known
        for t in postorder((root,), self._done):
            if t.args:
                known[t] = self._build(t, tuple([known[a] for a in t.args]))
            else:
                known[t] = (self._value(str(t.data)) or t) if t.op == "var" else t
        return known[root]


def substitute(term: Term, values: Values, build: Build = rebuild) -> Term:
    """The term with variables replaced."""
    return Substitution(values, build)(term)


def constants(values: Mapping[str, Value], sorts: Mapping[str, Sort]) -> dict[str, Term]:
    """Values as terms, by the names of variables."""
    return {name: constant(value, sorts[name]) for name, value in values.items()}
