"""Groups that evaluation shows to be needed are needed, and in a loop they are all found without a solver."""

from __future__ import annotations

import random

from butfor.logic.solvers import Limit, Verdict, default_solver
from butfor.logic.solvers.model_rotation import ModelRotation
from butfor.logic.solvers.solver import Problem
from butfor.logic.terms import Term, binary, conjunction, const, equal, implies, negate, variable


def version(name: str, k: int) -> Term:
    """One version of a cell."""
    return variable(f"{name}@{k}", 8)


def chain(length: int) -> Problem[int]:
    """A sum in a loop, each round under a flag, and the goal that it is not what it is."""
    groups: list[tuple[int, tuple[Term, ...]]] = [(0, (equal(version("s", 0), const(0, 8)),))]
    for k in range(1, length + 1):
        flag = variable(f"in {k}", 0)
        before = version("s", k - 1)
        groups.append((2 * k - 1, (equal(flag, negate(equal(before, const(200, 8)))),)))
        groups.append((2 * k, (implies(flag, equal(version("s", k), binary("add", before, const(1, 8)))),)))
    return Problem(tuple(groups), negate(equal(version("s", length), const(length, 8))))


def test_all_rounds_of_a_loop_are_needed() -> None:
    problem = chain(60)
    everything = set(range(len(problem.groups)))
    assert ModelRotation(problem, everything).needed(lambda: False) == everything


def test_what_is_called_needed_is() -> None:
    pick = random.Random(3)
    shown = 0
    for _ in range(60):
        problem = straight_line(pick)
        names = set(range(len(problem.groups)))
        if default_solver().check(problem, Limit.after(20.0)).verdict is not Verdict.UNSAT:
            continue
        for number in ModelRotation(problem, names).needed(lambda: False):
            rest = Problem(tuple(g for k, g in enumerate(problem.groups) if k != number), problem.goal)
            assert default_solver().check(rest, Limit.after(20.0)).verdict is Verdict.SAT
            shown += 1
    assert shown > 50


def straight_line(pick: random.Random) -> Problem[int]:
    """Assignments to three cells, some of them under flags, and a goal about one of them."""
    now = dict.fromkeys("abc", 0)
    pre = [equal(version(name, 0), const(pick.randrange(4), 8)) for name in now]
    groups: list[tuple[int, tuple[Term, ...]]] = []
    for k in range(pick.randrange(3, 9)):
        target, left, right = (pick.choice("abc") for _ in range(3))
        x, y = version(left, now[left]), version(right, now[right])
        value = binary(pick.choice(("add", "sub", "and", "or")), x, y if pick.random() < 0.6 else const(1, 8))
        flag = variable(f"in {k}", 0)
        guarded = pick.random() < 0.4
        if guarded:
            groups.append((len(groups), (equal(flag, equal(x, x)),)))
        now[target] += 1
        step = equal(version(target, now[target]), value)
        groups.append((len(groups), (implies(flag, step) if guarded else step,)))
    last = pick.choice("abc")
    return Problem(tuple(groups), conjunction((*pre, equal(version(last, now[last]), const(pick.randrange(6), 8)))))
