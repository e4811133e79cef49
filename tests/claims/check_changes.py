"""Checks of tried changes: the interpreter makes the same change and must not fail."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tests.claims.claim_model import Claim, FailingCase, judged, unchecked
from tests.claims.evaluate_expressions import Evaluator
from tests.claims.run_model import KEEP, NOT_DECLARED, Changes, Frame, Object, Outcome, Pointer, Undefined, Value
from tests.claims.run_program import run_program
from tests.claims.small_program import (
    STRUCT_FIELDS,
    Address,
    Assign,
    Binary,
    Call,
    Deref,
    Elem,
    Expr,
    Field,
    Node,
    Unary,
    Var,
)
from tests.claims.walk_program import walk

_WITH = re.compile(
    r".*?:(?P<line>\d+):(?P<column>\d+)(?:#(?P<number>\d+))?\s+(?P<what>.+?)(?:\s+at\s+(?P<only>\d+))?\Z"
)
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
_INT = re.compile(r"[-+]?\d+\Z")


class NoCheck(Exception):
    """The change cannot be made by the interpreter."""


def check_changes(case: FailingCase) -> Iterator[Claim]:
    """Every change that is said to avoid the failure."""
    for row in case.method("butfor").get("confirmed", ()):
        for change in row["changes"]:
            kind = re.sub(r"[-+]?\d+|\b[a-z]\d+(@\d+)?\b|\bf\d+\b", "…", _what(change["with"]))
            try:
                changes = _changes(case, change["with"])
            except NoCheck as e:
                yield unchecked("butfor", kind, change["with"], str(e))
                continue
            run = run_program(case.program, case.inputs, changes)
            if run.outcome is Outcome.ENDLESS:
                yield unchecked("butfor", kind, change["with"], "the changed run is too long for the interpreter")
                continue
            ending = f"{run.outcome.value} {run.why}"
            yield judged(run.outcome is Outcome.PASSED, "butfor", kind, change["with"], f"the changed run: {ending}")


def _what(text: str) -> str:
    found = _WITH.match(text)
    return found["what"] if found else text


def _changes(case: FailingCase, text: str) -> Changes:
    found = _WITH.match(text)
    if found is None:
        raise NoCheck("an initial value of a global variable")
    where = int(found["line"]), int(found["column"])
    only = int(found["only"] or 0)
    sites = _sites(case, where, found["what"])
    number = int(found["number"] or 1)
    if not sites or len(sites) < number:
        raise NoCheck(f"no such place in the generated program: {found['what'].split()[0]}")
    if len(sites) > 1 and found["number"] is None:
        raise NoCheck("several places fit")
    return sites[number - 1](only)


# --- places -----------------------------------------------------------------------------------------------------------


def _sites(case: FailingCase, where: tuple[int, int], what: str) -> list[Callable[[int], Changes]]:
    """What the change can mean at a position: at most one meaning for each node."""
    printed = case.printed
    found: list[Callable[[int], Changes]] = []
    for node in sorted(walk(case.program), key=lambda n: printed.start.get(n, (0, 0)), reverse=True):
        match node:
            case Binary(op="&&" | "||"):
                continue
            case Binary() if printed.operator.get(node) == where:
                found += _operation(node, what)
            case Unary() if printed.start.get(node) == where:
                found += _value_change(node, what)
            case Elem() if printed.start.get(node) == where:
                found += _address(node, what) or ([] if _is_target(case, node) else _value_change(node, what))
            case Field() if printed.operator.get(node) == where:
                found += _address(node, what) or ([] if _is_target(case, node) else _value_change(node, what))
            case Deref() if where in (printed.start.get(node), printed.operator.get(node)):
                if printed.start.get(node) == where and not _is_target(case, node):
                    found += _value_change(node, what)
                elif printed.operator.get(node) == where and what.startswith(("set", "add", "negate")):
                    raise NoCheck("arithmetic on a pointer")
            case Var() if printed.start.get(node) == where and not _is_target(case, node):
                found += _value_change(node, what)
            case Assign() if printed.operator.get(node) == where:
                found += _store(node, what)
            case Call() if printed.operator.get(node) == where:
                found += _store(node, what)
            case _:
                continue
    return found


def _is_target(case: FailingCase, node: Node) -> bool:
    """Whether a place is written or has its address taken, rather than being read."""
    for n in walk(case.program):
        match n:
            case Assign(target=target) | Call(target=target) if target is node:
                return True
            case Address(place=place) if place is node:
                return True
            case _:
                continue
    return False


# --- meanings ---------------------------------------------------------------------------------------------------------


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
    base = frame.get(plain) or machine.globals.get(plain)
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
    match verb:
        case "set" if number is not None:
            return lambda m, f, v, n: number
        case "add" if number is not None:
            return lambda m, f, v, n: m.wrap(_number_of(m, v, n) + number)
        case "add" if rest:
            return lambda m, f, v, n: m.wrap(_number_of(m, v, n) + _named(m, rest, f))
        case "subtract" if rest:
            return lambda m, f, v, n: m.wrap(_number_of(m, v, n) - _named(m, rest, f))
        case "negate":
            return lambda m, f, v, n: m.wrap(-_number_of(m, v, n))
        case "read" if not rest.startswith("&"):
            return lambda m, f, v, n: _named(m, rest, f)
    return None


def _value_change(node: Expr, what: str) -> list[Callable[[int], Changes]]:
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


def _store(node: Node, what: str) -> list[Callable[[int], Changes]]:
    meaning = _meaning(what)
    if what == "keep":
        meaning = None
    elif what.startswith("assign with "):
        op = what.removeprefix("assign with ").removesuffix("=")
        if op.startswith("u"):
            raise NoCheck("unsigned arithmetic")
    elif meaning is None:
        return []

    def make(only: int) -> Changes:
        applies = _counting(only)

        def change(machine: Evaluator, base: Object, index: int, value: Value) -> object:
            if isinstance(node, Call) and not _is_result(machine, node, base):
                return value
            if not applies():
                return value
            if what == "keep":
                return KEEP
            frame = machine.frames[-1][1]
            if meaning is not None:
                return meaning(machine, frame, value, node)
            return machine.binary(op, machine.load((base, index), node), value, node)

        return Changes(stores={node: change})

    return [make]


def _is_result(machine: Evaluator, node: Call, base: Object) -> bool:
    """Whether a call stores its result here, not an argument."""
    f = machine.program.function(node.function)
    return base.function != f.name or base.name not in {name for _, name in f.parameters}


def _operation(node: Binary, what: str) -> list[Callable[[int], Changes]]:
    is_comparison = node.op in _COMPARISONS
    operation = _comparison(node, what) if is_comparison else _arithmetic(node, what)
    if operation is None:
        return [] if is_comparison else _value_change(node, what)

    def make(only: int) -> Changes:
        applies = _counting(only)

        def change(machine: Evaluator, e: Expr, frame: Frame) -> Value:
            a, b = machine.value(node.left, frame), machine.value(node.right, frame)
            return operation(machine, frame, a, b) if applies() else machine.binary(node.op, a, b, e)

        return Changes(values={node: change})

    return [make]


Operation = Callable[[Evaluator, Frame, Value, Value], Value]


def _right_side(what: str) -> Callable[[Evaluator, Frame, Value], Value] | None:
    if not what.startswith("right side "):
        return None
    rest = what.removeprefix("right side ")
    if _INT.match(rest):
        return lambda m, f, b: m.wrap(_number_of(m, b, m.program.main.body[0]) + int(rest))
    return lambda m, f, b: _named(m, rest, f)


def _comparison(node: Binary, what: str) -> Operation | None:
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
        op = what.removeprefix("compare with ")
        if op not in _COMPARISONS:
            raise NoCheck("an unsigned comparison")
        return lambda m, f, a, b: m.binary(op, a, b, node)
    return None


def _arithmetic(node: Binary, what: str) -> Operation | None:
    right = _right_side(what)
    if right is not None:
        return lambda m, f, a, b: m.binary(node.op, a, right(m, f, b), node)
    match what:
        case "only left":
            return lambda m, f, a, b: a
        case "only right":
            return lambda m, f, a, b: b
        case "swap":
            return lambda m, f, a, b: m.binary(node.op, b, a, node)
    if what.startswith("operator "):
        op = what.removeprefix("operator ")
        if op.startswith("u"):
            raise NoCheck("unsigned arithmetic")
        return lambda m, f, a, b: m.binary(op, a, b, node)
    return None


def _address(node: Elem | Field, what: str) -> list[Callable[[int], Changes]]:
    """Another element or member."""
    verb, _, rest = what.partition(" ")
    if verb not in ("element", "member") or (verb == "element") != isinstance(node, Elem):
        return []

    def moved(machine: Evaluator, frame: Frame, where: Pointer) -> Pointer:
        base, index = where
        if verb == "member":
            assert isinstance(node, Field)
            return base, index + int(rest) - 1 - STRUCT_FIELDS.index(node.field)
        amount = int(rest) if _INT.match(rest) else _named(machine, rest.removeprefix("+"), frame)
        return base, index + amount

    def make(only: int) -> Changes:
        applies = _counting(only)

        def change(machine: Evaluator, frame: Frame, where: Pointer) -> Pointer:
            return moved(machine, frame, where) if applies() else where

        return Changes(places={node: change})

    return [make]
