"""The instances of a path as equations: each cell has a new variable for each time it is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from butfor.logic.terms import Term, constant, equal, postorder, rebuild, variable
from butfor.path.path_model import Path


@dataclass(frozen=True, slots=True)
class Versions:
    """What each instance assigned, the condition that held there, what came from outside as found, and the check, over the same variables."""

    assigned: tuple[tuple[Term, ...], ...]
    conditions: tuple[Term, ...]
    outside: tuple[tuple[Term, ...], ...]  # for each havoc, that the values were those found
    start: tuple[Term, ...]  # that the cells began as found
    pre: Term
    check: Term


def versions_of(path: Path) -> Versions:
    """The path as equations."""
    now = {c.name: variable(f"{c.name}!0", c.sort) for c in path.cells}
    begin = dict(now)
    assigned, conditions, outside = [], [], []
    for position, instance in enumerate(path.instances):
        conditions.append(_put(instance.condition, now))
        after = {c.name: variable(f"{c.name}!{position + 1}", c.sort) for c, _ in instance.writes}
        assigned.append(tuple(equal(after[c.name], _put(t, now)) for c, t in instance.writes if t is not None))
        outside.append(
            tuple(
                equal(after[c.name], constant(instance.recorded[c.name], c.sort))
                for c, t in instance.writes
                if t is None
            )
        )
        now |= after
    known = {**path.start, **path.initial}
    start = tuple(equal(begin[c.name], constant(known[c.name], c.sort)) for c in path.cells if c.name in known)
    return Versions(
        tuple(assigned), tuple(conditions), tuple(outside), start, _put(path.pre, begin), _put(path.check, now)
    )


def _put(root: Term, values: Mapping[str, Term]) -> Term:
    known: dict[Term, Term] = {}
    for t in postorder((root,)):
        known[t] = values[str(t.data)] if t.op == "var" else rebuild(t, tuple(known[a] for a in t.args))
    return known[root]
