"""Linear terms over symbols, in which integers, offsets and sizes are expressed.

A symbol is a number that stands for one unknown integer of a state. Terms are mathematical integers: whether machine
arithmetic wraps is decided before a term is built.
"""

from __future__ import annotations

from math import gcd
from typing import NamedTuple

Symbol = int
Terms = tuple[tuple[Symbol, int], ...]
Range = tuple[int, int]


class Linear(NamedTuple):
    """A sum of symbols with nonzero coefficients, ordered by symbol, plus a constant."""

    terms: Terms
    const: int

    @property
    def is_const(self) -> bool:
        """Whether the term has no symbol."""
        return not self.terms


def constant(value: int) -> Linear:
    """The term of a constant."""
    return Linear((), value)


ZERO, ONE = constant(0), constant(1)


def symbol(s: Symbol) -> Linear:
    """The term of a symbol."""
    return Linear(((s, 1),), 0)


def add(a: Linear, b: Linear) -> Linear:
    """The sum of two terms."""
    if not b.terms:
        return Linear(a.terms, a.const + b.const)
    if not a.terms:
        return Linear(b.terms, a.const + b.const)
    found = dict(a.terms)
    for s, k in b.terms:
        found[s] = found.get(s, 0) + k
    return Linear(tuple(sorted((s, k) for s, k in found.items() if k)), a.const + b.const)


def plus(a: Linear, value: int) -> Linear:
    """The term plus a constant."""
    return Linear(a.terms, a.const + value)


def times(a: Linear, factor: int) -> Linear:
    """The term times a constant."""
    if factor == 0:
        return ZERO
    return Linear(tuple((s, k * factor) for s, k in a.terms), a.const * factor)


def sub(a: Linear, b: Linear) -> Linear:
    """The difference of two terms."""
    if not b.terms:
        return Linear(a.terms, a.const - b.const)
    return add(a, times(b, -1))


def coefficient_gcd(terms: Terms) -> int:
    """The greatest common divisor of the coefficients, 0 without symbols."""
    found = 0
    for _, k in terms:
        found = gcd(found, k)
    return found


def exact_div(a: Linear, divisor: int) -> Linear | None:
    """The term divided by a constant, if that leaves no remainder whatever the symbols are; else None."""
    if a.const % divisor or any(k % divisor for _, k in a.terms):
        return None
    return Linear(tuple((s, k // divisor) for s, k in a.terms), a.const // divisor)


def substitute(a: Linear, by: dict[Symbol, Linear]) -> Linear:
    """The term with symbols replaced by terms; symbols that are not in the map stay."""
    result = constant(a.const)
    for s, k in a.terms:
        found = by.get(s)
        result = add(result, Linear(((s, k),), 0) if found is None else times(found, k))
    return result
