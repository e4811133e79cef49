"""Checks of tried changes: the interpreter makes the same change and must not fail."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tests.claims.c_types import types_of
from tests.claims.change_meanings import (
    NoCheck,
    address_change,
    combination_change,
    operation_change,
    store_change,
    value_change,
)
from tests.claims.claim_model import Claim, FailingCase, judged, unchecked
from tests.claims.run_model import (
    UNMODELLED,
    Changes,
    Outcome,
)
from tests.claims.run_program import run_program
from tests.claims.small_program import (
    Address,
    Assign,
    At,
    Binary,
    Call,
    Compound,
    CopyStruct,
    Deref,
    Elem,
    Elem2,
    ElemField,
    Field,
    Node,
    Step,
    Unary,
    Var,
)
from tests.claims.walk_program import walk

_WITH = re.compile(
    r".*?:(?P<line>\d+):(?P<column>\d+)(?:#(?P<number>\d+))?\s+(?P<what>.+?)(?:\s+at\s+(?P<only>\d+))?\Z"
)


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
            if run.why in UNMODELLED:
                yield unchecked("butfor", kind, change["with"], run.why)
                continue
            if run.outcome is Outcome.ENDLESS:
                yield unchecked("butfor", kind, change["with"], "the changed run is too long for the interpreter")
                continue
            ending = f"{run.outcome.value} {run.why}"
            yield judged(run.outcome is Outcome.PASSED, "butfor", kind, change["with"], f"the changed run: {ending}")


def _what(text: str) -> str:
    found = _WITH.match(text)
    return found["what"] if found else "initial value"


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
    types = types_of(case.program)
    for node in sorted(walk(case.program), key=lambda n: printed.start.get(n, (0, 0)), reverse=True):
        match node:
            case Binary(op="&&" | "||"):
                continue
            case Binary() if printed.operator.get(node) == where:
                found += operation_change(node, what, types)
            case Compound() | Step() if printed.operator.get(node) == where:
                if what.startswith(("set", "add", "subtract", "negate", "read")):
                    raise NoCheck("whether what `+=` or `++` reads is meant, or what it stores")
                found += combination_change(node, what, types) or store_change(node, what, types)
            case Unary() if printed.start.get(node) == where:
                found += value_change(node, what)
            case Elem2() | ElemField() if what.startswith("element"):
                if printed.start.get(node) == where:
                    raise NoCheck("which of the indices is meant")
            case Elem() | Elem2() | At() if printed.start.get(node) == where:
                found += address_change(node, what) or ([] if _is_target(case, node) else value_change(node, what))
            case Field() | ElemField() if printed.operator.get(node) == where:
                found += address_change(node, what) or ([] if _is_target(case, node) else value_change(node, what))
            case Deref() if where in (printed.start.get(node), printed.operator.get(node)):
                if printed.start.get(node) == where and not _is_target(case, node):
                    found += value_change(node, what)
                elif printed.operator.get(node) == where and what.startswith(("set", "add", "negate")):
                    raise NoCheck("arithmetic on a pointer")
            case Var() if printed.start.get(node) == where and not _is_target(case, node):
                found += value_change(node, what)
            case Assign() if printed.operator.get(node) == where:
                found += store_change(node, what, types)
            case Call() if printed.operator.get(node) == where:
                found += store_change(node, what, types)
            case _:
                continue
    return found


def _is_target(case: FailingCase, node: Node) -> bool:
    """Whether a place is written or has its address taken, rather than being read."""
    for n in walk(case.program):
        match n:
            case Assign(target=place) | Call(target=place) | Compound(target=place) | CopyStruct(target=place) if (
                place is node
            ):
                return True
            case Address(place=place) | Step(place=place) | CopyStruct(source=place) if place is node:
                return True
            case _:
                continue
    return False
