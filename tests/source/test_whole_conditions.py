"""Decisions: all branches of one condition give one and the same decision."""

from __future__ import annotations

import pytest

from butfor.source import Role, SourceFile, SyntaxTree
from tests.source.snippets import body, marked

DECISIONS = [
    ("if (x > 0 && («y < 3 || x == 3)) x = 1;", "x > 0 && (y < 3 || x == 3)", "if"),
    ("if (x «> 0) y = 1;", "x > 0", "if"),
    ("if (!(x > 3) «|| !y) x = 1;", "!(x > 3) || !y", "if"),
    ("if (x > 3 ? «y != 0 : 1) x = 2;", "x > 3 ? y != 0 : 1", "if"),
    ("if ((x && «y) == 1) x = 2;", "(x && y) == 1", "if"),
    ("if (strcmp(«a, y) == 0 && x) y = 2;", "strcmp(a, y) == 0 && x", "if"),
    ("«while (x && y) x--;", "x && y", "while"),
    ("«for (x = 0; x < 3 && y; x++) ;", "x < 3 && y", "for"),
    ("do { x--; «} while (x > 0 && y);", "x > 0 && y", "do"),
    ("do\n  «x--;\nwhile (x > 0);", "x > 0", "do"),
    ("«switch (x) { case 1: y = 1; }", "x", "switch"),
    ("x = «y ? 1 : 2;", "y", "?:"),
    ("x = (y «&& x) ? 1 : 2;", "y && x", "?:"),
    ("return x «? y : 2;", "x", "?:"),
    ("return x ? y «&& x : 3;", "y && x", "&&"),
    ("return a[x] || (x «&& y);", "a[x] || (x && y)", "||"),
    ("return !(x «&& y);", "!(x && y)", "&&"),
    ("int b = x «&& y || !x;", "x && y || !x", "||"),
    ("x = (x > 1) + (x «&& y);", "x && y", "&&"),
    ("if (g(x «&& y) > 1) x = 1;", "x && y", "&&"),
    ("assert(x «== 3);", "x == 3", "assert"),
    ("assert(x == 3 «&& y);", "x == 3 && y", "assert"),
]


@pytest.mark.parametrize(("code", "text", "keyword"), DECISIONS)
def test_decision(code: str, text: str, keyword: str) -> None:
    tree, line, column = marked(body(code))
    found = tree.decision_at(line, column)
    assert found is not None
    assert (found.text, found.keyword, found.role) == (text, keyword, Role.CONDITION)


@pytest.mark.parametrize(
    "code",
    ["x «= y;", "«x = y + 1;", "g(«x);", "return x «+ y;", "«for (;;) x++;", "x = 1 ? «y : 2;", "while (x) { y++; «}"],
)
def test_no_decision(code: str) -> None:
    tree, line, column = marked(body(code))
    assert tree.decision_at(line, column) is None


def test_every_part_of_a_condition_gives_the_same_decision() -> None:
    source = SourceFile("t.c", b"int f(int a, int b, int c) { if (a && (b || !c)) return 1; return 0; }")
    tree = SyntaxTree(source)
    first = source.data.index(b"a &&") + 1
    found = {tree.decision_at(1, column) for column in range(first, first + len("a && (b || !c)"))}
    assert found == {tree.statement_at(1, first)}
    assert next(iter(found)) is not None


def test_the_branch_of_a_do_loop_without_braces_is_not_the_statement_there() -> None:
    tree, line, column = marked(body("do\n  «x--;\nwhile (x > 0);"))
    statement = tree.statement_at(line, column)
    assert statement is not None
    assert statement.text == "x--;"
