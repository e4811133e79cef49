"""Repairs of small paths by enumeration, with the evaluator of tests/methods/relevance/tiny_programs.py."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.methods.relevance.tiny_programs import (
    Node,
    Program,
    State,
    _condition,
    _expression,
    holds,
    place,
    put,
    value,
)

ANY = ("any",)
Change = Mapping[int, Node | int]
"""By the number of a step: another expression or condition, or a value."""


@dataclass(frozen=True)
class Option:
    """One way to change a group of steps: another expression for all of them, or any value for each."""

    node: Node
    weight: int


def changeable(p: Program) -> list[int]:
    """The steps that may be changed: not inputs, not assumptions."""
    return [k for k, s in enumerate(p.steps) if s.what in ("assign", "put", "branch")]


def outcomes(p: Program, change: Change) -> set[str]:
    """How the path can end with a change, over all that other arms may do."""
    found: set[str] = set()
    waiting: list[tuple[int, State]] = [(0, p.start)]
    met = set(waiting)
    while waiting:
        k, s = waiting.pop()
        for after in _step(p, k, s, change):
            if isinstance(after, str):
                found.add(after)
            elif after not in met:
                met.add(after)
                waiting.append(after)
    return found


def _step(p: Program, k: int, s: State, change: Change) -> Iterator[tuple[int, State] | str]:
    if k == len(p.steps):
        yield "avoids" if holds(p.check, s) else "fails"
        return
    step = p.steps[k]
    other = change.get(k)
    if step.what == "branch":
        assert step.condition is not None
        taken = (
            holds(step.condition, s) if other is None else bool(other) if isinstance(other, int) else holds(other, s)
        )
        if taken:
            yield k + 1, s
        else:
            yield "avoids"
        return
    if step.condition is not None and not holds(step.condition, s):
        yield "broken"
    elif step.what == "assume":
        yield k + 1, s
    elif step.value is None:
        yield k + 1, put(s, place(step, s), step.recorded)
    else:
        new = value(step.value, s) if other is None else other if isinstance(other, int) else value(other, s)
        yield k + 1, put(s, place(step, s), new)


def avoids(p: Program, groups: Sequence[Sequence[int]], options: Sequence[Option]) -> bool:
    """Whether changing each group in its way avoids the failure; of any values, some have to."""
    free = [k for group, o in zip(groups, options, strict=True) if o.node == ANY for k in group]
    fixed: dict[int, Node | int] = {
        k: o.node for group, o in zip(groups, options, strict=True) if o.node != ANY for k in group
    }
    ranges = [range(2) if p.steps[k].what == "branch" else range(4) for k in free]
    return any(
        outcomes(p, {**fixed, **dict(zip(free, chosen, strict=True))}) == {"avoids"}
        for chosen in itertools.product(*ranges)
    )


def grouped(pick: random.Random, p: Program) -> list[list[int]]:
    """The steps that may be changed, some of them as instances of one statement."""
    groups: list[list[int]] = []
    for k in changeable(p):
        mine = [
            g
            for g in groups
            if len(g) < 2 and (p.steps[g[0]].what, p.steps[g[0]].target) == (p.steps[k].what, p.steps[k].target)
        ]
        if mine and pick.random() < 0.3:
            pick.choice(mine).append(k)
        else:
            groups.append([k])
    return groups


def options_of(pick: random.Random, p: Program, group: Sequence[int]) -> list[Option]:
    """Some other expressions with weights, and any value."""
    made = _condition if p.steps[group[0]].what == "branch" else _expression
    return [
        *(Option(made(pick), pick.randrange(31)) for _ in range(pick.randrange(4))),
        Option(ANY, 2 if p.steps[group[0]].what == "branch" else 4),
    ]
