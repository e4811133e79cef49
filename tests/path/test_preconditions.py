"""Preconditions that users write: how they are read, and where in a path they are supposed."""

from __future__ import annotations

from pathlib import Path as File

import pytest

from butfor.errors import UsageError
from butfor.logic.evaluate import Evaluator
from butfor.logic.solvers import Limit, Verdict
from butfor.logic.sorts import INT
from butfor.logic.terms import TRUE
from butfor.path.path_model import Cell, Kind, Path
from butfor.path.preconditions import parsed_precondition, with_precondition
from butfor.path.verify_path import verify
from butfor.trace.view.source_places import Place
from tests.path.made import example, lifted

PLACE = Place("f.c", 1, 1, "main", "", "expression", "f.c")


def path_with(*cells: Cell) -> Path:
    return Path(cells, (), TRUE, PLACE)


C = path_with(
    Cell("main::n", 32, "n", "int", True, "main"),
    Cell("main::u", 32, "u", "unsigned", False, "main"),
    Cell("main::c", 8, "c", "char", True, "main"),
    Cell("a[2]", 32, "a[2]", "int"),
    Cell("f::n", 32, "n", "int", True, "f"),
)
BOOGIE = path_with(Cell("n", INT, "n", "int"), Cell("b", 0, "b", "bool"))


@pytest.mark.parametrize(
    ("text", "n", "holds"),
    [
        *(
            ("n < 42", 41, True),
            ("n < 42", 42, False),
            ("n<0", 2**32 - 1, True),
            ("u > 5", 0, True),
            ("u - 2 > 5", 0, True),
        ),
        *(
            ("c == 'x'", 0, True),
            ("c < 0 || n == 3", 3, True),
            ("!(n == 3) && n", 3, False),
            ("a[ 2 ] * 2 == 14", 0, True),
        ),
        *(
            ("-n == 1", 2**32 - 1, True),
            ("n % 4 == 0 && n / 4 == 25", 100, True),
            ("(n & 1) != 0", 6, False),
            ("n == 0x10", 16, True),
        ),
        *(("n - -1 == 1", 0, True), ("~n == -1", 0, True), ("'\\n' == 10", 0, True)),
    ],
)
def test_conditions_of_c(text: str, n: int, holds: bool) -> None:
    values = {"main::n": n, "main::u": 2**32 - 1, "main::c": ord("x"), "a[2]": 7, "f::n": 99}
    assert bool(Evaluator(values)(parsed_precondition(text, C))) == holds


@pytest.mark.parametrize(
    ("text", "holds"), [("n == -7 && b", True), ("b ==> n > 0", False), ("b <==> n < 0", True), ("n + 10 <= 3", True)]
)
def test_conditions_of_boogie(text: str, holds: bool) -> None:
    assert bool(Evaluator({"n": -7, "b": 1})(parsed_precondition(text, BOOGIE))) == holds


@pytest.mark.parametrize("text", ["m < 3", "n <", "n < 3)", "(n < 3", "n ? 1 : 2", "n << 2 == 4", "* n"])
def test_what_is_no_condition_is_said(text: str) -> None:
    with pytest.raises(UsageError, match="precondition"):
        parsed_precondition(text, C)


def test_it_is_supposed_behind_the_first_value() -> None:
    path = with_precondition(example("s1_input_range").free_path, "input < 42")
    assert [i.kind for i in path.instances[:2]] == [Kind.HAVOC, Kind.ASSUME]
    assert verify(path, Limit.after(10)).wrong == ()
    assert verify(path, Limit.after(10)).forced is Verdict.UNSAT


def test_scopes_move_with_it(tmp_path: File) -> None:
    path = with_precondition(
        lifted(
            tmp_path,
            "int main(void) { int a = 1, b = 0; if (a) { b = 5; if (b > a) a = 3; } assert(a == 1); return b; }",
        ),
        "b < 9",
    )
    assert verify(path).wrong == ()
    assert sum(i.kind is Kind.ASSUME for i in path.instances) == 1


def test_one_that_does_not_hold_is_refused() -> None:
    with pytest.raises(UsageError, match="does not hold"):
        with_precondition(example("s1_input_range").free_path, "input > 42")
