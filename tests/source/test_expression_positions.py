"""Expressions and store targets at the positions that clang's debug info gives."""

from __future__ import annotations

import pytest

from tests.source.snippets import body, marked

EXPRESSIONS = [
    ("x = y «+ x * 2;", "y + x * 2", "binary_expression"),
    ("x = y + x «* 2;", "x * 2", "binary_expression"),
    ("x «= y + 1;", "x = y + 1", "assignment_expression"),
    ("x «+= y;", "x += y", "assignment_expression"),
    ("x = «y + 1;", "y", "identifier"),
    ("x = «a[y] + 1;", "a[y]", "subscript_expression"),
    ("x = a[«y] + 1;", "y", "identifier"),
    ("x = «p->next->arr[x + 1];", "p->next->arr[x + 1]", "subscript_expression"),
    ("x = p->«next->v;", "p->next", "field_expression"),
    ("x = p->next->«v;", "p->next->v", "field_expression"),
    ("x = «p->v;", "p", "identifier"),
    ("x = «g(x, y) + 1;", "g(x, y)", "call_expression"),
    ("x = «g(x).v;", "g(x)", "call_expression"),
    ("x = «(*fp)(x++, y);", "(*fp)(x++, y)", "call_expression"),
    ("x = g(x«++, y);", "x++", "update_expression"),
    ("«++x;", "++x", "update_expression"),
    ("x = «-y + x;", "-y", "unary_expression"),
    ("x = «*a + y;", "*a", "pointer_expression"),
    ("x = «&a[3] - a;", "&a[3]", "pointer_expression"),
    ("x = «(long)y + 1;", "(long)y", "cast_expression"),
    ("if (x «&& (y || a)) x = 1;", "x && (y || a)", "binary_expression"),
    ("if (x && (y «|| a)) x = 1;", "y || a", "binary_expression"),
    ("x = y «? 1 : 2;", "y ? 1 : 2", "conditional_expression"),
    ("«while (x < 10) x++;", "x < 10", "binary_expression"),
    ("int «z = y + 1;", "z = y + 1", "init_declarator"),
    ("int *«p = a;", "*p = a", "init_declarator"),
    ("int «z;", "z", "identifier"),
    ("int z[2] = «{ x, y };", "{ x, y }", "initializer_list"),
    ("g((struct s)«{ 1, 2 });", "(struct s){ 1, 2 }", "compound_literal_expression"),
    ("«return x + 1;", "return x + 1;", "return_statement"),
    ('x = «"ab" "cd"[y];', '"ab" "cd"[y]', "subscript_expression"),
    ("x = 1 + «42;", "42", "number_literal"),
]


@pytest.mark.parametrize(("code", "text", "kind"), EXPRESSIONS)
def test_expression(code: str, text: str, kind: str) -> None:
    tree, line, column = marked(body(code))
    found = tree.expression_at(line, column)
    assert found is not None
    assert (found.text, found.kind) == (text, kind)


def test_parameter_names_give_the_parameter() -> None:
    tree, line, column = marked("int f(struct s *«p, int n) { return n; }")
    found = tree.expression_at(line, column)
    assert found is not None
    assert (found.text, found.kind) == ("struct s *p", "parameter_declaration")


def test_all_expressions_that_share_a_position() -> None:
    tree, line, column = marked(body("x = «p->a[y] > 3 ? 1 : 2;"))
    texts = [each.text for each in tree.expressions_at(line, column)]
    assert texts == ["p", "p->a", "p->a[y]", "p->a[y] > 3", "p->a[y] > 3 ? 1 : 2"]


def test_nothing_where_there_is_no_expression() -> None:
    tree, line, column = marked(body("if (x) { y = 1; «}"))
    assert tree.expression_at(line, column) is None
    assert tree.expressions_at(999, 1) == ()


TARGETS = [
    ("x = y «= 3;", "y"),
    ("x «= y = 3;", "x"),
    ("a[y«++] = 2;", "y"),
    ("a[y++] «= 2;", "a[y++]"),
    ("while ((x «= getchar()) != EOF) y++;", "x"),
    ("for (x = 0, y «= 1; x; x--) ;", "y"),
    ("int z = 1, «w = 2;", "w"),
    ("int z[2] = «{ x, y };", "z"),
    ("s = «t;", "s"),
    ("«int z = ({ x; });", None),
    ("g(«x);", None),
    ("return «x;", None),
]


@pytest.mark.parametrize(("code", "target"), TARGETS)
def test_target_of_a_store(code: str, target: str | None) -> None:
    tree, line, column = marked(body(code))
    assert tree.target_at(line, column) == target
