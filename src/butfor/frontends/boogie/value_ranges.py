"""Ranges of the integer and boolean variables of a Boogie program, and what expressions say about them.

A state has a range for each variable that is bounded; a missing one may be anything. None is no state at all. The
truth of a condition is a range too: (1, 1), (0, 0) or (0, 1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from butfor.frontends.boogie.boogie_syntax import Expr

INFINITY = float("inf")  # no bound; finite bounds are ints
Bound = int | float
Range = tuple[Bound, Bound]
Ranges = Mapping[str, Range]

ANY: Range = (-INFINITY, INFINITY)
HOLDS, FAILS, EITHER = (1, 1), (0, 0), (0, 1)
_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_CONSTANTS = {"true": HOLDS, "false": FAILS}


def hull(a: Range, b: Range) -> Range:
    """The smallest range with both."""
    return min(a[0], b[0]), max(a[1], b[1])


def joined(a: Ranges | None, b: Ranges | None) -> Ranges | None:
    """The smallest state with both."""
    if a is None or b is None:
        return b if a is None else a
    return {name: hull(r, b[name]) for name, r in a.items() if name in b}


def widened(old: Ranges | None, new: Ranges | None) -> Ranges | None:
    """The new state without the bounds that still move."""
    if old is None or new is None:
        return new
    found = {}
    for name, (low, high) in new.items():
        if name in old:
            before = old[name]
            found[name] = (low if low >= before[0] else -INFINITY, high if high <= before[1] else INFINITY)
    return {name: r for name, r in found.items() if r != ANY}


def restricted(state: Ranges, name: str, r: Range) -> Ranges | None:
    """The state in which a variable is also in a range."""
    old = state.get(name, ANY)
    new = (max(old[0], r[0]), min(old[1], r[1]))
    if new[0] > new[1]:
        return None
    return state if new == old else {**state, name: new}


def assigned(state: Ranges, name: str, r: Range) -> Ranges:
    """The state in which a variable has another range."""
    rest = {other: known for other, known in state.items() if other != name}
    return rest if r == ANY else {**rest, name: r}


def value_range(expr: Expr, state: Ranges) -> Range:
    """The values that an expression can have in a state."""
    if expr.op == "int":
        return int(expr.data), int(expr.data)
    if expr.op in _CONSTANTS:
        return _CONSTANTS[expr.op]
    if expr.op == "name":
        return state.get(expr.data, ANY)
    if expr.op == "minus":
        low, high = value_range(expr.args[0], state)
        return -high, -low
    if expr.op in ("not", "&&", "||", "==>", "<==>", "<", "<=", ">", ">=", "==", "!="):
        can_hold = assumed(expr, state) is not None
        can_fail = assumed(expr, state, holds=False) is not None
        return (int(not can_fail), int(can_hold)) if can_hold or can_fail else EITHER
    if expr.op == "choice":
        arms = [
            value_range(arm, under)
            for arm, holds in ((expr.args[1], True), (expr.args[2], False))
            if (under := assumed(expr.args[0], state, holds=holds)) is not None
        ]
        return hull(arms[0], arms[-1]) if arms else ANY
    if expr.op in _OPERATIONS:
        return _OPERATIONS[expr.op](value_range(expr.args[0], state), value_range(expr.args[1], state))
    return ANY


def _times(a: Range, b: Range) -> Range:
    products = [x * y if x and y else 0 for x in a for y in b]
    return min(products), max(products)


def _modulo(a: Range, b: Range) -> Range:
    del a
    return (0, b[1] - 1) if b[0] > 0 else ANY


def _quotient(a: Range, b: Range) -> Range:
    if b[0] != b[1] or b[0] <= 0 or not isinstance(b[0], int):
        return ANY
    low, high = (x if x in ANY else int(x) // b[0] for x in a)
    return low, high


_OPERATIONS: Mapping[str, Callable[[Range, Range], Range]] = {
    "+": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "-": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "*": _times,
    "mod": _modulo,
    "div": _quotient,
}


def assumed(expr: Expr, state: Ranges, *, holds: bool = True) -> Ranges | None:
    """The part of a state in which a condition holds, or does not; at least that."""
    match expr.op:
        case "true" | "false":
            return state if (expr.op == "true") == holds else None
        case "name":
            return restricted(state, expr.data, HOLDS if holds else FAILS)
        case "not":
            return assumed(expr.args[0], state, holds=not holds)
        case "&&" | "||":
            return _all(expr.args, state, holds) if (expr.op == "&&") == holds else _any(expr.args, state, holds)
        case "==>":
            left, right = expr.args
            if not holds:
                found = assumed(left, state)
                return None if found is None else assumed(right, found, holds=False)
            return joined(assumed(left, state, holds=False), assumed(right, state))
        case "<" | "<=" | ">" | ">=" | "==" | "!=":
            return _compared(expr.op if holds else _OPPOSITE[expr.op], expr.args[0], expr.args[1], state)
    return state


def _all(parts: tuple[Expr, ...], state: Ranges, holds: bool) -> Ranges | None:
    found: Ranges | None = state
    for part in parts:
        found = None if found is None else assumed(part, found, holds=holds)
    return found


def _any(parts: tuple[Expr, ...], state: Ranges, holds: bool) -> Ranges | None:
    found: Ranges | None = None
    for part in parts:
        found = joined(found, assumed(part, state, holds=holds))
    return found


def _compared(sign: str, left: Expr, right: Expr, state: Ranges) -> Ranges | None:
    a, b = value_range(left, state), value_range(right, state)
    found = narrowed(left, allowed_range(sign, a, b), state)
    return None if found is None else narrowed(right, allowed_range(_TURNED[sign], b, a), found)


def allowed_range(sign: str, a: Range, b: Range) -> Range:
    """The values of one side of a comparison that holds, given the ranges of both."""
    match sign:
        case "<":
            return -INFINITY, b[1] - 1
        case "<=":
            return -INFINITY, b[1]
        case ">":
            return b[0] + 1, INFINITY
        case ">=":
            return b[0], INFINITY
        case "==":
            return b
    if b[0] != b[1]:
        return a
    return (a[0] + (a[0] == b[0]), a[1] - (a[1] == b[0]))


def narrowed(expr: Expr, r: Range, state: Ranges) -> Ranges | None:
    """The part of a state in which an expression has a value in a range; at least that."""
    here = value_range(expr, state)
    if max(here[0], r[0]) > min(here[1], r[1]):
        return None
    if expr.op == "name":
        return restricted(state, expr.data, r)
    if expr.op == "minus":
        return narrowed(expr.args[0], (-r[1], -r[0]), state)
    if expr.op not in ("+", "-"):
        return state
    left, right = expr.args
    a, b = value_range(left, state), value_range(right, state)
    minus, plus = _OPERATIONS["-"], _OPERATIONS["+"]
    found = narrowed(left, (minus if expr.op == "+" else plus)(r, b), state)
    return None if found is None else narrowed(right, minus(r, a) if expr.op == "+" else minus(a, r), found)
