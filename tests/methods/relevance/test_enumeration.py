"""The verdicts are those of the definition, on generated paths whose states can all be enumerated."""

from __future__ import annotations

import random

import pytest

from butfor.logic.sorts import MapSort, MapValue
from butfor.logic.terms import (
    TRUE,
    Term,
    binary,
    compare,
    conjunction,
    const,
    disjunction,
    equal,
    extract,
    ite,
    negate,
    select,
    store,
)
from butfor.methods.relevance.instance_verdicts import judge
from butfor.path.path_model import Cell, Instance, Kind, Path
from butfor.trace.view.source_places import Place
from tests.methods.relevance.tiny_programs import Enumeration, Node, Program, Step, program

CELLS = {
    "a": Cell("a", 2, "a", "bv2", False),
    "b": Cell("b", 2, "b", "bv2", False),
    "m": Cell("m", MapSort(1, 2), "m", "[bv1]bv2", False),
}
QUICK, ALL = 2, 60  # lists of paths: in every run, and in the slow one
FEW, MANY = 12, 60  # paths in such a list


def term(e: Node) -> Term:
    """An expression or condition as a term."""
    match e:
        case ("true",):
            return TRUE
        case ("c", n):
            return const(n, 2)
        case ("v", name):
            return CELLS[name].term
        case ("m", i):
            return select(CELLS["m"].term, extract(term(i), 0, 1))
        case ("+" | "^" as op, x, y):
            return binary("add" if op == "+" else "xor", term(x), term(y))
        case ("?", c, x, y):
            return ite(term(c), term(x), term(y))
        case ("==", x, y):
            return equal(term(x), term(y))
        case ("<", x, y):
            return compare("ult", term(x), term(y))
        case ("!", x):
            return negate(term(x))
        case ("&", x, y):
            return conjunction((term(x), term(y)))
        case ("|", x, y):
            return disjunction((term(x), term(y)))
    raise AssertionError(e)


def instance(k: int, step: Step) -> Instance:
    """A step as an instance."""
    kind = {
        "assign": Kind.ASSIGN,
        "put": Kind.ASSIGN,
        "havoc": Kind.HAVOC,
        "assume": Kind.ASSUME,
        "branch": Kind.BRANCH,
    }[step.what]
    writes: tuple[tuple[Cell, Term | None], ...] = ()
    recorded = {}
    if step.target:
        cell = CELLS[step.target]
        new = None if step.value is None else term(step.value)
        if step.index is not None and new is not None:
            new = store(cell.term, extract(term(step.index), 0, 1), new)
        writes = ((cell, new),)
        recorded = {step.target: as_map(step.recorded) if step.target == "m" else step.recorded}
    place = Place("tiny", k + 1, 1, "main", f"step {k}", "expression", "tiny")
    condition = TRUE if step.condition is None else term(step.condition)
    frames = tuple(CELLS[n] for n in step.frames)
    return Instance(kind, place, writes, condition, step.scope, step.end, frames, step.escapes, recorded)


def as_map(values: tuple[int, int]) -> MapValue:
    """Two elements as the value of a map."""
    return MapValue(0).having(0, values[0]).having(1, values[1])


def path_of(p: Program) -> Path:
    """A program as a path."""
    start = {"a": p.start[0], "b": p.start[1], "m": as_map(p.start[2:])}
    instances = tuple(instance(k, s) for k, s in enumerate(p.steps))
    return Path(
        tuple(CELLS.values()),
        instances,
        term(p.check),
        Place("tiny", 99, 1, "main", "check", "expression", "tiny"),
        term(p.pre),
        p.scope,
        start=start,
    )


@pytest.mark.parametrize("seed", [*range(QUICK), *(pytest.param(k, marks=pytest.mark.slow) for k in range(QUICK, ALL))])
def test_verdicts_are_those_of_the_definition(seed: int) -> None:
    pick = random.Random(seed)
    made = 0
    seen: set[str] = set()
    while made < (FEW if seed < QUICK else MANY):
        p = program(pick)
        if p is None:
            continue
        made += 1
        path = path_of(p)
        for pinned in (False, True):
            for flow in (False, True):
                told = judge(path, lambda: False, pinned=pinned, flow=flow)
                wanted = Enumeration(p, flow=flow, pinned=pinned)
                assert told.skipped == wanted.skipped, p
                for k, judged in told.by_position.items():
                    assert judged.verdict.value == wanted.verdict(k), (k, pinned, flow, p)
                    seen.add(judged.verdict.value)
                    if judged.verdict.is_relevant:
                        (other,) = judged.counterfactual
                        assert wanted.avoids(k, other.value), (k, other, p)
    assert seen == {"enforcing", "admitting", "irrelevant"}
