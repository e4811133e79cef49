"""Terms that assign a variable, and other values that a variable is given to see what comes of it."""

from __future__ import annotations

from collections.abc import Iterator

from butfor.logic.sorts import INT, Value, is_map
from butfor.logic.terms import Term, variables


def assignment(term: Term) -> tuple[Term, Term] | None:
    """The variable that a term assigns, under a condition or not, and its value."""
    if term.op == "any" and term.args:
        term = term.args[-1]
    if term.op != "eq":
        return None
    variable, value = term.args
    return (variable, value) if variable.op == "var" and variable not in variables((value,)) else None


def other_values(value: Value, sort: int) -> Iterator[Value]:
    """Other values that are tried."""
    if sort == 0:
        yield 1 - value
    elif sort > 0:
        top = (1 << sort) - 1
        yield from ((value + 1) & top, (value - 1) & top, 0 if value else top)
    elif not is_map(sort) and sort == INT:
        yield from (value + 1, value - 1)


def guard_flags(term: Term) -> list[str]:
    """The flags under which a term assigns its variable: it holds if one of them is 0."""
    parts = [a.args[0] for a in term.args if a.op == "not"] if term.op == "any" else []
    return [str(p.data) for part in parts for p in (part.args if part.op == "all" else (part,)) if p.op == "var"]
