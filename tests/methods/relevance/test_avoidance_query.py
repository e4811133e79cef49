"""Answers that depend on values that nothing determines, and queries over all later inputs."""

from __future__ import annotations

import pytest

from butfor.logic.simplify import ALGEBRA
from butfor.logic.solvers import Limit, Verdict, no_values_exist
from butfor.logic.sorts import INT
from butfor.logic.substitute import substitute
from butfor.logic.terms import (
    FALSE,
    TRUE,
    Term,
    compare,
    conjunction,
    const,
    equal,
    ite,
    negate,
    number,
    order,
    variable,
)
from butfor.methods.relevance import security_verdict
from butfor.methods.relevance.avoidance_query import OtherInputs, avoidable_by_inputs
from butfor.methods.relevance.instance_verdicts import Relevance, judge
from butfor.path.forced_failure import fails_with_any_inputs
from butfor.path.path_model import Cell, Instance, Kind, Path
from butfor.trace.view.source_places import Place

X, Y, U = Cell("x", 8, "x", "int"), Cell("y", 8, "y", "int"), Cell("?f", 8, "unknown f", "unknown")


def never() -> bool:
    return False


def place(line: int) -> Place:
    return Place("made.c", line, 1, "main", f"line {line}", "expression", "made.c")


def assign(line: int, cell: Cell, term: Term | None, recorded: int) -> Instance:
    kind = Kind.HAVOC if term is None else Kind.ASSIGN
    return Instance(kind, place(line), ((cell, term),), recorded={cell.name: recorded})


def path(*instances: Instance, check: Term) -> Path:
    return Path((X, Y, U), instances, check, place(99), start={"x": 0, "y": 0, "?f": 0})


def verdicts(p: Path, *, pinned: bool = False) -> list[Relevance]:
    return [j.verdict for j in judge(p, never, pinned=pinned).by_position.values()]


def as_recorded(cell: Cell, value: int, result: int) -> Term:
    return ite(equal(cell.term, const(value, 8)), const(result, 8), U.term)


def test_what_an_unknown_value_decides_is_unknown() -> None:
    p = path(
        assign(1, X, const(5, 8), 5), assign(2, Y, as_recorded(X, 5, 1), 1), check=negate(equal(Y.term, const(1, 8)))
    )
    for pinned in (False, True):
        assert verdicts(p, pinned=pinned) == [Relevance.UNKNOWN, Relevance.ENFORCING]


def test_what_no_unknown_value_can_change_is_irrelevant() -> None:
    p = path(
        assign(1, X, const(5, 8), 5), assign(2, Y, as_recorded(X, 5, 1), 1), check=compare("ult", const(255, 8), Y.term)
    )
    assert verdicts(p) == [Relevance.IRRELEVANT, Relevance.IRRELEVANT]


def test_what_avoids_the_failure_before_anything_unknown_is_relevant() -> None:
    both = conjunction((equal(X.term, const(5, 8)), equal(Y.term, const(1, 8))))
    p = path(assign(1, X, const(5, 8), 5), assign(2, Y, as_recorded(X, 5, 1), 1), check=negate(both))
    assert verdicts(p)[0] is Relevance.ENFORCING


def test_a_later_input_can_make_good_for_any_value() -> None:
    p = path(assign(1, X, None, 3), assign(2, Y, None, 3), check=negate(equal(X.term, Y.term)))
    assert verdicts(p) == [Relevance.IRRELEVANT, Relevance.ADMITTING]


def test_a_failure_that_no_input_avoids() -> None:
    certain = path(assign(1, X, None, 3), assign(2, Y, const(1, 8), 1), check=equal(Y.term, const(2, 8)))
    assert avoidable_by_inputs(certain, Limit.after(10)).verdict is Verdict.UNSAT
    open_one = path(assign(1, X, None, 3), check=equal(X.term, const(2, 8)))
    assert avoidable_by_inputs(open_one, Limit.after(10)).verdict is Verdict.SAT


def test_a_solver_that_is_given_the_statements_agrees_or_nothing_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    certain = path(assign(1, X, None, 3), assign(2, Y, const(1, 8), 1), check=equal(Y.term, const(2, 8)))
    open_one = path(assign(1, X, None, 3), assign(2, Y, X.term, 3), check=equal(Y.term, const(2, 8)))
    assert fails_with_any_inputs(certain, Limit.after(10))
    assert not fails_with_any_inputs(open_one, Limit.after(10))
    assert fails_with_any_inputs(open_one, Limit.after(10), since=1)
    monkeypatch.setattr(security_verdict, "avoidable_by_inputs", lambda *_: OtherInputs(Verdict.UNSAT))
    assert security_verdict.is_unavoidable(certain, Limit.after(10))
    assert not security_verdict.is_unavoidable(open_one, Limit.after(10))


def test_quantified_questions() -> None:
    x, y = variable("x", INT), variable("y", INT)
    verdict, values = no_values_exist(
        (), conjunction((order("lt", x, y), order("lt", y, number(10, INT)))), ("y",), (x,), Limit.after(10)
    )
    assert verdict is Verdict.SAT
    assert values["x"] >= 9
    assert no_values_exist((), equal(x, y), ("y",), (x,), Limit.after(10))[0] is Verdict.UNSAT


def test_known_values_are_computed() -> None:
    put = {"x": const(3, 8)}.get
    assert substitute(equal(X.term, const(3, 8)), put, ALGEBRA) is TRUE
    assert substitute(equal(X.term, const(4, 8)), put, ALGEBRA) is FALSE
    assert substitute(equal(X.term, Y.term), put, ALGEBRA) is substitute(equal(const(3, 8), Y.term), put, ALGEBRA)
