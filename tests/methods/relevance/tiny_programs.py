"""Relevance by definition, with all states of tiny programs enumerated: a second implementation for tests.

A program is a list of tuples over the variables a, b (two bits each) and m (two elements of two bits); a state is
(a, b, m0, m1).
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

State = tuple[int, int, int, int]
Node = tuple[Any, ...]
STATES: list[State] = [(a, b, m, n) for a, b, m, n in itertools.product(range(4), repeat=4)]
VARIABLES = {"a": 0, "b": 1}


@dataclass
class Step:
    """One instance: `what` is assign, havoc, put (an element of m), branch or assume."""

    what: str
    target: str = ""
    index: Node | None = None
    value: Node | None = None
    condition: Node | None = None
    end: int = 0
    scope: tuple[int, ...] = ()
    frames: tuple[str, ...] = ()
    escapes: bool = False
    recorded: Any = None


@dataclass
class Program:
    """A path with a precondition and a check; `start` and what is recorded are one failing execution."""

    steps: list[Step]
    pre: Node
    check: Node
    scope: tuple[int, ...]
    start: State = (0, 0, 0, 0)


def value(e: Node, s: State) -> int:
    """The value of an expression."""
    match e:
        case ("c", n):
            return int(n)
        case ("v", name):
            return s[VARIABLES[name]]
        case ("m", i):
            return s[2 + (value(i, s) & 1)]
        case ("+", x, y):
            return value(x, s) + value(y, s) & 3
        case ("^", x, y):
            return value(x, s) ^ value(y, s)
        case ("?", c, x, y):
            return value(x, s) if holds(c, s) else value(y, s)
    raise AssertionError(e)


def holds(c: Node, s: State) -> bool:
    """Whether a condition holds."""
    match c:
        case ("true",):
            return True
        case ("==", x, y):
            return value(x, s) == value(y, s)
        case ("<", x, y):
            return value(x, s) < value(y, s)
        case ("!", x):
            return not holds(x, s)
        case ("&", x, y):
            return holds(x, s) and holds(y, s)
        case ("|", x, y):
            return holds(x, s) or holds(y, s)
    raise AssertionError(c)


def put(s: State, at: int, v: int) -> State:
    """The state with another value at a place."""
    return (*s[:at], v, *s[at + 1 :])  # type: ignore[return-value]


def place(step: Step, s: State) -> int:
    """The place that an instance writes."""
    if step.index is not None:
        return 2 + (value(step.index, s) & 1)
    return VARIABLES[step.target]


def any_at(s: State, places: tuple[int, ...]) -> Iterator[State]:
    """The state with all values at some places."""
    for values in itertools.product(range(4), repeat=len(places)):
        new = s
        for at, v in zip(places, values, strict=True):
            new = put(new, at, v)
        yield new


def after(step: Step, s: State, pinned: bool) -> set[State]:
    """The states after one instance of the path."""
    if step.condition is not None and not holds(step.condition, s):
        return set()
    if step.what in ("assume", "branch"):
        return {s}
    if step.value is not None:
        return {put(s, place(step, s), value(step.value, s))}
    return {put(s, place(step, s), step.recorded)} if pinned else set(any_at(s, (place(step, s),)))


def places_of(names: tuple[str, ...]) -> tuple[int, ...]:
    """All places of some variables."""
    return tuple(p for name in names for p in ((2, 3) if name == "m" else (VARIABLES[name],)))


class Enumeration:
    """All states, at all positions."""

    def __init__(self, program: Program, *, flow: bool, pinned: bool) -> None:
        self.program = program
        self.pinned = pinned
        self.size = len(program.steps)
        first = {program.start} if pinned else {s for s in STATES if holds(program.pre, s)}
        self.reached = [first]
        for step in program.steps:
            self.reached.append({t for s in self.reached[-1] for t in after(step, s, pinned)})
        self.skipped: dict[int, int] = {}
        self.plain = self.failing()
        if flow:
            self.skip(0, self.size)
        self.flow = self.failing()

    def failing(self) -> list[set[State]]:
        """At each position the states from which the rest can fail; skipped blocks are summarised."""
        p = self.program
        found: list[set[State]] = [set() for _ in range(self.size)] + [{s for s in STATES if not holds(p.check, s)}]
        for k in range(self.size - 1, -1, -1):
            if k in self.skipped:
                end = self.skipped[k]
                found[k] = {s for s in STATES if self.summary(k, end, s) & found[end]}
            else:
                found[k] = {s for s in STATES if after(p.steps[k], s, self.pinned) & found[k + 1]}
        return found

    def summary(self, k: int, end: int, s: State) -> set[State]:
        """The states after a block, over all its arms."""
        branch = self.program.steps[k]
        assert branch.condition is not None
        if not holds(branch.condition, s):
            return set() if branch.escapes else set(any_at(s, places_of(branch.frames)))
        states = {s}
        j = k + 1
        while j < branch.end:
            step = self.program.steps[j]
            if step.what == "branch":
                states = {t for u in states for t in self.summary(j, step.end, u)}
                j = step.end
            else:
                states = {t for u in states for t in after(step, u, self.pinned)}
                j += 1
        assert j == end
        return states

    def skip(self, start: int, end: int) -> None:
        """Find irrelevant blocks, the last ones first."""
        steps = self.program.steps
        outermost, k = [], start
        while k < end:
            if steps[k].what == "branch":
                outermost.append(k)
                k = steps[k].end
            else:
                k += 1
        for k in reversed(outermost):
            if self.is_irrelevant_block(k):
                self.skipped[k] = steps[k].end
            else:
                self.skip(k + 1, steps[k].end)

    def is_irrelevant_block(self, k: int) -> bool:
        branch = self.program.steps[k]
        if branch.escapes or k in self.program.scope:
            return False
        inside = self.program.steps[k : branch.end]
        names = {i.target for i in inside if i.target} | {n for i in inside for n in i.frames}
        places = places_of(tuple(sorted(names)))
        later = self.failing()[branch.end]
        both = self.reached[k] & self.plain[k]
        return all(t in later for s in both for t in any_at(s, places))

    def verdict(self, k: int) -> str:
        """The verdict on an instance that writes."""
        step = self.program.steps[k]
        if any(start <= k < end for start, end in self.skipped.items()):
            return "irrelevant"
        both = self.reached[k] & self.plain[k]
        if all(t in self.flow[k + 1] for s in both for t in any_at(s, (place(step, s),))):
            return "irrelevant"
        return "enforcing" if step.value is not None or self.pinned else "admitting"

    def avoids(self, k: int, v: int) -> bool:
        """Whether a value written by an instance avoids the failure in some execution."""
        step = self.program.steps[k]
        return any(put(s, place(step, s), v) not in self.flow[k + 1] for s in self.reached[k] & self.plain[k])


# --- programs ---------------------------------------------------------------------------------------------------------


def program(pick: random.Random) -> Program | None:
    """A program that can fail, with one failing execution; None when the dice gave none."""
    steps: list[Step] = []
    _fill(pick, steps, (), pick.randint(2, 7))
    scope = _check_scope(pick, steps)
    made = Program(steps, _condition(pick) if pick.random() < 0.4 else ("true",), _condition(pick), scope)
    return made if _record(pick, made) else None


def _fill(pick: random.Random, steps: list[Step], scope: tuple[int, ...], count: int) -> None:
    while count > 0:
        count -= 1
        kind = pick.choice(("assign", "assign", "assign", "put", "havoc", "havoc", "assume", "branch", "branch"))
        target = pick.choice("ab")
        if kind == "assign":
            steps.append(Step("assign", target, value=_expression(pick), scope=scope))
        elif kind == "put":
            steps.append(Step("put", "m", _expression(pick), _expression(pick), scope=scope))
        elif kind == "havoc":
            steps.append(Step("havoc", target, scope=scope))
        elif kind == "assume":
            steps.append(Step("assume", condition=_condition(pick), scope=scope))
        elif len(scope) < 3:
            at = len(steps)
            frames = tuple(n for n in "abm" if pick.random() < 0.2)
            steps.append(
                Step("branch", condition=_condition(pick), scope=scope, frames=frames, escapes=pick.random() < 0.15)
            )
            inner = pick.randint(0, min(3, count))
            _fill(pick, steps, (*scope, at), inner)
            count -= inner
            steps[at].end = len(steps)


def _check_scope(pick: random.Random, steps: list[Step]) -> tuple[int, ...]:
    """Sometimes the check stands in the arms that end last."""
    last = [k for k, s in enumerate(steps) if s.what == "branch" and s.end == len(steps)]
    return tuple(last[: pick.randint(0, len(last))])


def _expression(pick: random.Random, deep: int = 0) -> Node:
    kind = pick.randrange(7 if deep < 2 else 3)
    if kind == 0:
        return ("c", pick.randrange(4))
    if kind < 3:
        return ("v", pick.choice("ab"))
    if kind == 3:
        return ("m", _expression(pick, deep + 1))
    if kind == 6:
        return ("?", _condition(pick, deep + 1), _expression(pick, deep + 1), _expression(pick, deep + 1))
    return ("+^"[kind - 4], _expression(pick, deep + 1), _expression(pick, deep + 1))


def _condition(pick: random.Random, deep: int = 0) -> Node:
    kind = pick.randrange(6 if deep < 2 else 3)
    if kind < 3:
        return (pick.choice(("==", "<")), _expression(pick, deep + 1), _expression(pick, deep + 1))
    if kind == 3:
        return ("!", _condition(pick, deep + 1))
    return ("&|"[kind - 4], _condition(pick, deep + 1), _condition(pick, deep + 1))


def _record(pick: random.Random, made: Program) -> bool:
    """Record one failing execution in the program, if there is any."""
    free = Enumeration(made, flow=False, pinned=False)
    first = sorted(free.reached[0] & free.plain[0])
    if not first:
        return False
    s = made.start = pick.choice(first)
    for k, step in enumerate(made.steps):
        t = pick.choice(sorted(after(step, s, False) & free.plain[k + 1]))
        if step.target:
            step.recorded = (t[2], t[3]) if step.target == "m" else t[VARIABLES[step.target]]
        s = t
    return True
