"""What the phrases of changes mean: what a changed run of the interpreter does at one place."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.claims.c_types import INT_TYPES, Types, common, converted, promoted, stride
from tests.claims.evaluate_expressions import Evaluator
from tests.claims.run_model import (
    KEEP,
    NOT_DECLARED,
    Changes,
    Frame,
    Object,
    Pointer,
    Undefined,
    Value,
)
from tests.claims.small_program import (
    STRUCT_FIELDS,
    Assert,
    Assign,
    Binary,
    Call,
    Compound,
    CopyStruct,
    DeclareObject,
    DoWhile,
    Elem,
    ElemField,
    Expr,
    Field,
    For,
    Havoc,
    If,
    Jump,
    Node,
    Return,
    Step,
    Switch,
    While,
)

_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
_INT = re.compile(r"[-+]?\d+\Z")


class NoCheck(Exception):
    """The change cannot be made by the interpreter."""


def _counting(only: int) -> Callable[[], bool]:
    """Whether the change applies to this occurrence."""
    count = 0

    def applies() -> bool:
        nonlocal count
        count += 1
        return not only or count == only

    return applies


def _named(machine: Evaluator, name: str, frame: Frame) -> int:
    plain = name.split("@")[0]
    if plain == "argc" and machine.frames[-1][0] is machine.program.main:
        return 1 + (len(machine.inputs) if machine.program.style == "atoi" else 0)
    base = frame.get(plain) or machine.statics.get(plain) or machine.globals.get(plain)
    if base is None:
        raise Undefined(NOT_DECLARED, machine.program.main.body[0])
    found = machine.load((base, 0), machine.program.main.body[0])
    if not isinstance(found, int):
        raise Undefined("a pointer", machine.program.main.body[0])
    return found


def _number_of(machine: Evaluator, value: Value, at: Node) -> int:
    if not isinstance(value, int):
        raise Undefined("a pointer as a number", at)
    return value


Meaning = Callable[[Evaluator, Frame, Value, Node], int]


def _meaning(what: str) -> Meaning | None:
    """What becomes of a value; None when the phrase is about something else."""
    verb, _, rest = what.partition(" ")
    number = int(rest) if _INT.match(rest) else None

    def typed(m: Evaluator, value: int, node: Node) -> int:
        return converted(value, m.types.operands(node)[0] if isinstance(node, Assign | Compound) else _type(m, node))

    match verb:
        case "set" if number is not None:
            return lambda m, f, v, n: typed(m, number, n)
        case "add" if number is not None:
            return lambda m, f, v, n: typed(m, _number_of(m, v, n) + number, n)
        case "add" if rest:
            return lambda m, f, v, n: typed(m, _number_of(m, v, n) + _named(m, rest, f), n)
        case "subtract" if rest:
            return lambda m, f, v, n: typed(m, _number_of(m, v, n) - _named(m, rest, f), n)
        case "negate":
            return lambda m, f, v, n: typed(m, -_number_of(m, v, n), n)
        case "read" if not rest.startswith("&"):
            return lambda m, f, v, n: typed(m, _named(m, rest, f), n)
    return None


def _type(m: Evaluator, node: Node) -> str:
    """The type of what is stored or read; of a call, that of its target."""
    match node:
        case Call(target=target):
            return "int" if target is None else m.types.of(target)
        case Assign() | Compound() | DeclareObject() | Return() | CopyStruct():
            return ""
        case If() | While() | For() | DoWhile() | Switch() | Jump() | Assert() | Havoc():
            return ""
        case _:
            return m.types.of(node)


def value_change(node: Expr, what: str) -> list[Callable[[int], Changes]]:
    """Another value of an expression."""
    meaning = _meaning(what)
    if meaning is None:
        return []

    def make(only: int) -> Changes:
        applies = _counting(only)

        def change(machine: Evaluator, e: Expr, frame: Frame) -> Value:
            value = machine.plain_value(e, frame)
            return meaning(machine, frame, value, e) if applies() else value

        return Changes(values={node: change})

    return [make]


def store_change(node: Node, what: str, types: Types) -> list[Callable[[int], Changes]]:
    """Another value that a statement stores, or none."""
    meaning = _meaning(what)
    if what == "keep":
        meaning = None
    elif what.startswith("assign with "):
        op = what.removeprefix("assign with ").removesuffix("=")
        op = _with_sign(op, *types.operands(node))
    elif meaning is None:
        return []

    def make(only: int) -> Changes:
        applies = _counting(only)

        def change(machine: Evaluator, base: Object, index: int, value: Value) -> object:
            if machine.part is not node or not applies():
                return value
            if what == "keep":
                return KEEP
            frame = machine.frames[-1][1]
            if meaning is not None:
                return meaning(machine, frame, value, node)
            return machine.binary(op, machine.load((base, index), node), value, node)

        return Changes(stores={node: change})

    return [make]


def _with_sign(op: str, left: str, right: str) -> str:
    """The operator for operands of these types that does what is meant; raises NoCheck when C has none."""
    by_sign = op.lstrip("u") in ("<", "<=", ">", ">=", "/", "%", ">>")
    kind = INT_TYPES.get(promoted(left) if op.endswith(">>") else common(left, right))
    if by_sign and kind is not None and kind.is_signed == op.startswith("u"):
        raise NoCheck("an operation against the sign of its operands")
    return op.removeprefix("u")


def operation_change(node: Binary, what: str, types: Types) -> list[Callable[[int], Changes]]:
    """Another outcome of an operation."""
    is_comparison = node.op in _COMPARISONS
    operation = _comparison(node, what, types) if is_comparison else _arithmetic(node, what, types)
    if operation is None:
        return [] if is_comparison else value_change(node, what)

    def make(only: int) -> Changes:
        applies = _counting(only)

        def change(machine: Evaluator, e: Expr, frame: Frame) -> Value:
            a, b = machine.value(node.left, frame), machine.value(node.right, frame)
            return operation(machine, frame, a, b) if applies() else machine.binary(node.op, a, b, e)

        return Changes(values={node: change})

    return [make]


def combination_change(node: Compound | Step, what: str, types: Types) -> list[Callable[[int], Changes]]:
    """Another result of `+=` or `++`."""
    operation = _arithmetic(node, what, types)
    if operation is None:
        return []

    def make(only: int) -> Changes:
        applies = _counting(only)
        plain = node.op if isinstance(node, Compound) else "+"

        def change(machine: Evaluator, a: Value, b: Value) -> Value:
            frame = machine.frames[-1][1]
            return operation(machine, frame, a, b) if applies() else machine.binary(plain, a, b, node)

        return Changes(operations={node: change})

    return [make]


Operation = Callable[[Evaluator, Frame, Value, Value], Value]


def _right_side(what: str) -> Callable[[Evaluator, Frame, Value], Value] | None:
    if not what.startswith("right side "):
        return None
    rest = what.removeprefix("right side ")
    if _INT.match(rest):
        return lambda m, f, b: _number_of(m, b, m.program.main.body[0]) + int(rest)
    return lambda m, f, b: _named(m, rest, f)


def _comparison(node: Binary, what: str, types: Types) -> Operation | None:
    right = _right_side(what)
    if right is not None:
        return lambda m, f, a, b: m.binary(node.op, a, right(m, f, b), node)
    match what:
        case "always true":
            return lambda m, f, a, b: 1
        case "always false":
            return lambda m, f, a, b: 0
        case "flip":
            return lambda m, f, a, b: int(m.binary(node.op, a, b, node) == 0)
        case "flip when equal" | "flip when less" | "flip when greater":
            relation = {"equal": "==", "less": "<", "greater": ">"}[what.rpartition(" ")[2]]
            return lambda m, f, a, b: int(m.binary(node.op, a, b, node) != m.binary(relation, a, b, node))
    if what.startswith("compare with "):
        op = _with_sign(what.removeprefix("compare with "), *types.operands(node))
        return lambda m, f, a, b: m.binary(op, a, b, node)
    return None


def _arithmetic(node: Binary | Compound | Step, what: str, types: Types) -> Operation | None:
    right = _right_side(what)
    plain = "+" if isinstance(node, Step) else node.op
    if right is not None:
        return lambda m, f, a, b: m.binary(plain, a, right(m, f, b), node)
    match what:
        case "only left":
            return lambda m, f, a, b: a
        case "only right":
            return lambda m, f, a, b: b
        case "swap":
            return lambda m, f, a, b: m.binary(plain, b, a, node)
    if what.startswith("operator "):
        op = _with_sign(what.removeprefix("operator "), *types.operands(node))
        return lambda m, f, a, b: m.binary(op, a, b, node)
    return None


def address_change(node: Expr, what: str) -> list[Callable[[int], Changes]]:
    """Another element or member."""
    verb, _, rest = what.partition(" ")
    if verb not in ("element", "member") or (verb == "element") != isinstance(node, Elem):
        return []
    if not isinstance(node, Elem | Field | ElemField):
        return []

    def moved(machine: Evaluator, frame: Frame, where: Pointer) -> Pointer:
        base, index = where
        if verb == "member":
            assert isinstance(node, Field | ElemField)
            return base, index + int(rest) - 1 - STRUCT_FIELDS.index(node.field)
        amount = int(rest) if _INT.match(rest) else _named(machine, rest.removeprefix("+"), frame)
        return base, index + amount * stride(machine.types.of(node))

    def make(only: int) -> Changes:
        applies = _counting(only)

        def change(machine: Evaluator, frame: Frame, where: Pointer) -> Pointer:
            return moved(machine, frame, where) if applies() else where

        return Changes(places={node: change})

    return [make]
