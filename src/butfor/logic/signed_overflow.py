"""When the result of signed arithmetic fits in the type of its operands."""

from __future__ import annotations

from butfor.logic.terms import Term, binary, equal, resize


def fits_signed(op: str, x: Term, y: Term) -> Term:
    """The condition that the exact sum, difference or product of two signed numbers has their width."""
    wide = 2 * x.width if op == "mul" else x.width + 1
    exact = binary(op, resize(x, wide, signed=True), resize(y, wide, signed=True))
    return equal(exact, resize(resize(exact, x.width), wide, signed=True))
