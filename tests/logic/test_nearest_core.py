"""Cores that prefer what is near, and what constants alone show."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import pytest

from butfor.logic import nearest_core as nearest_core_module
from butfor.logic.nearest_core import nearest_core
from butfor.logic.solvers import Limit, Verdict, default_solver
from butfor.logic.solvers.solver import Problem
from butfor.logic.substitute import substitute
from butfor.logic.terms import Term, binary, compare, const, equal, implies, negate, variable
from butfor.logic.unit_propagation import propagated, refutes

X, Y, Z = (variable(name, 32) for name in "xyz")


def number(value: int) -> Term:
    """A constant of 32 bits."""
    return const(value, 32)


def core(groups: Sequence[tuple[str, tuple[Term, ...]]], goal: Term) -> tuple[Verdict, tuple[str, ...]]:
    """The verdict and the names of the nearest core."""
    found = nearest_core(default_solver(), groups, goal, lambda: Limit.after(20))
    assert found.is_rechecked or found.verdict is not Verdict.UNSAT
    return found.verdict, found.names


def test_of_two_reasons_the_nearer_one_is_the_core() -> None:
    groups = [("far", (equal(X, number(20)),)), ("near", (compare("slt", number(10), X),))]
    assert core(groups, compare("slt", X, number(5))) == (Verdict.UNSAT, ("near",))


def test_what_cancels_is_not_in_the_core() -> None:
    groups = [("source", (equal(X, number(20)),)), ("use", (equal(Y, binary("sub", X, X)),))]
    assert core(groups, equal(Y, number(4))) == (Verdict.UNSAT, ("use",))


def test_a_goal_that_can_hold_has_no_core() -> None:
    assert core([("a", (equal(X, Y),))], equal(X, number(1))) == (Verdict.SAT, ())


def test_a_goal_that_contradicts_itself_needs_nothing() -> None:
    assert core([("a", (equal(X, Y),))], negate(equal(X, X))) == (Verdict.UNSAT, ())


def test_constants_are_propagated_in_any_order_and_through_conditions() -> None:
    terms = (equal(Z, binary("add", Y, number(1))), implies(equal(X, number(2)), equal(Y, X)), equal(X, number(2)))
    assert propagated(terms) == {"x": number(2), "y": number(2), "z": number(3)}
    assert refutes(Problem((("all", terms),), negate(equal(Z, number(3)))))
    assert not refutes(Problem((("all", terms),), equal(Z, number(3))))


def test_terms_that_contradict_each_other_show_nothing() -> None:
    terms = (equal(X, number(1)), equal(X, number(2)))
    assert propagated(terms) is None
    assert not refutes(Problem((("all", terms),), equal(Y, number(3))))


def test_a_variable_without_a_value_decides_nothing() -> None:
    assert not refutes(Problem((("a", (equal(X, Y),)),), negate(equal(X, Y))))


def test_each_term_is_looked_at_once_for_each_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sum of many variables that become known one after the other: no look for each set of them."""
    looks = 0

    def counted(*args: Any) -> Term:
        nonlocal looks
        looks += 1
        return substitute(*args)

    monkeypatch.setattr("butfor.logic.unit_propagation.substitute", counted)
    names = [variable(f"v{k}", 32) for k in range(30)]
    total = functools.reduce(lambda x, y: binary("add", x, y), names)
    terms = (equal(Z, total), *(equal(name, number(k)) for k, name in enumerate(names)))
    known = propagated(terms)
    assert known is not None
    assert known["z"] == number(sum(range(30)))
    assert looks <= 3 * len(terms)


def test_propagation_ends_when_the_time_is_up() -> None:
    terms = [equal(variable(f"v{k}", 32), number(k)) for k in range(1000)]
    known = propagated(terms, Limit.after(0.0))
    assert known is not None
    assert len(known) < len(terms)


@pytest.mark.parametrize("needed", [0, 1])
def test_a_core_that_folding_constants_wrongly_accepts_is_not_called_rechecked(
    needed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups = [("a", (equal(X, number(1)),)), ("b", (equal(Y, X),))]

    def is_wrong(problem: Problem[str], limit: Limit) -> bool:
        return len(problem.groups) >= needed

    monkeypatch.setattr(nearest_core_module, "refutes", is_wrong)
    found = nearest_core(default_solver(), groups, equal(Y, number(2)), lambda: Limit.after(20))
    assert found.verdict is Verdict.UNSAT
    assert not found.is_rechecked
