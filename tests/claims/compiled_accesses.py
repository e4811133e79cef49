"""Accesses through pointers of compiled small programs, and conversions of values that may be pointers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.claims.c_types import INT_TYPES, STRUCT, converted
from tests.claims.run_model import NOT_MODELLED, Pointer, Undefined, Value
from tests.claims.small_program import Node

if TYPE_CHECKING:
    from tests.claims.evaluate_expressions import Evaluator


def element(at: Value, pointer: Value, step: int, node: Node) -> Pointer:
    """Where an element of what a pointer points to is."""
    if isinstance(pointer, int) or not isinstance(at, int):
        raise Undefined("an index of something else", node)
    return pointer[0], pointer[1] + at * step


def member(pointer: Value, number: int, node: Node) -> Pointer:
    """Where a member of what a pointer points to is."""
    if isinstance(pointer, int):
        raise Undefined("NULL", node)
    return pointer[0], pointer[1] + number


def pointed(pointer: Value, node: Node) -> Pointer:
    """A value as an address."""
    if isinstance(pointer, int):
        raise Undefined("NULL" if pointer == 0 else "no pointer", node)
    return pointer


def fetched(m: Evaluator, where: Pointer, node: Node, accessed: str) -> Value:
    """What a cell holds, accessed with a type; with an empty one where the type of the cell does not matter."""
    base, index = where
    if base.is_gone or not 0 <= index < len(base.cells):
        return m.load(where, node)
    if accessed and base.types and base.types[index] != accessed and accessed != STRUCT:
        raise Undefined(NOT_MODELLED, node)
    found = base.cells[index]
    if found is None:
        raise Undefined("uninitialised", node)
    return found


def as_number(value: Value, node: Node) -> int:
    """A value that has to be a number."""
    if not isinstance(value, int):
        raise Undefined("a pointer as a number", node)
    return value


def converted_number(value: Value, kind: str) -> Value:
    """A number in a type; a pointer as it is."""
    return converted(value, kind) if isinstance(value, int) else value


def shifted(m: Evaluator, op: str, value: Value, by: Value, kind: str, node: Node) -> int:
    """The result of a shift in the type of its left operand."""
    if not isinstance(value, int) or not isinstance(by, int):
        raise Undefined("arithmetic on pointers", node)
    if not 0 <= by < INT_TYPES[kind].bits:
        raise Undefined("shift", node)
    if op == ">>":
        return value >> by
    if value < 0 and not m.changes.may_overflow:
        raise Undefined("overflow", node)
    return m.wrap(value << by, kind)


def divided(m: Evaluator, op: str, a: Value, b: Value, kind: str, node: Node) -> int:
    """A quotient or a remainder in the type of the operands."""
    if not isinstance(a, int) or not isinstance(b, int):
        raise Undefined("arithmetic on pointers", node)
    if b == 0 or (b == -1 and a == INT_TYPES[kind].least):
        raise Undefined("division", node)
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return m.wrap(quotient if op == "/" else a - quotient * b, kind)
