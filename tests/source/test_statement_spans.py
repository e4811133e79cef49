"""Statements: the unit at a position, with its role and target."""

from __future__ import annotations

import pytest

from butfor.source import Role
from tests.source.snippets import body, marked

Case = tuple[str, str, Role, str | None]

IN_A_FUNCTION: list[Case] = [
    ("x «= y + 1;", "x = y + 1;", Role.EXPRESSION, "x"),
    ("a[x] «+= g(y);", "a[x] += g(y);", Role.EXPRESSION, "a[x]"),
    ("p->next->v = g(x,\n   «y);", "p->next->v = g(x, y);", Role.EXPRESSION, "p->next->v"),
    ("(*a)«++;", "(*a)++;", Role.EXPRESSION, "*a"),
    ("«--p->v;", "--p->v;", Role.EXPRESSION, "p->v"),
    ("x «<<= 2;", "x <<= 2;", Role.EXPRESSION, "x"),
    ("g(x, h(«y));", "g(x, h(y));", Role.EXPRESSION, None),
    ("x = y «= 3;", "x = y = 3;", Role.EXPRESSION, "x"),
    ('puts("a  b"«);', 'puts("a  b");', Role.EXPRESSION, None),
    ("x = 1; «;", ";", Role.EXPRESSION, None),
    ("int «z = 0;", "int z = 0;", Role.DECLARATION, "z"),
    ("int z = 1, «w = 2;", "w = 2", Role.DECLARATION, "w"),
    ("int «z = 1, w = 2;", "z = 1", Role.DECLARATION, "z"),
    ("«int z = 1, w = 2;", "int z = 1, w = 2;", Role.DECLARATION, None),
    ("int *«p = a, **pp = &p;", "*p = a", Role.DECLARATION, "p"),
    ("int (*«fp)(int) = g;", "int (*fp)(int) = g;", Role.DECLARATION, "fp"),
    ("int «z;", "int z;", Role.DECLARATION, None),
    ("int z[3] = «{ x, y };", "int z[3] = { x, y };", Role.DECLARATION, "z"),
    ("static int «n = 5;", "static int n = 5;", Role.INITIALIZER, "n"),
    ("«return x + y;", "return x + y;", Role.RETURN, None),
    ("return x «+ y;", "return x + y;", Role.RETURN, None),
    ("return x\n   «+ y;", "return x + y;", Role.RETURN, None),
    ("while (x) «break;", "break;", Role.JUMP, None),
    ("while (x) «continue;", "continue;", Role.JUMP, None),
    ("«goto out; out: x = 1;", "goto out;", Role.JUMP, None),
    ("goto out; «out: x = 1;", "out:", Role.OTHER, None),
    ("out: x «= 1;", "x = 1;", Role.EXPRESSION, "x"),
    ("switch (x) { «case 1: y = 2; }", "case 1:", Role.CASE, None),
    ("switch (x) { case 1: y «= 2; }", "y = 2;", Role.EXPRESSION, "y"),
    ("switch (x) { «default: y = 2; }", "default:", Role.CASE, None),
    ("x = ({ int q «= y; q + 1; });", "int q = y;", Role.DECLARATION, "q"),
    ("x = ({ int q = y; q «+ 1; });", "q + 1;", Role.EXPRESSION, None),
    ("x «= ({ int q = y; q + 1; });", "x = ({ int q = y; q + 1; });", Role.EXPRESSION, "x"),
    ("RUN({ x «= 1; y = 2; });", "x = 1;", Role.EXPRESSION, "x"),
    ("if (x) { y = 1; «}", "}", Role.END, None),
    ("x = /* the «answer */ 42;", "x = 42;", Role.EXPRESSION, "x"),
    ("x = y; // not «code", "x = y;", Role.OTHER, None),
    ("// only «words", "// only words", Role.OTHER, None),
    ("enum { A, «B = 3 };", "B = 3", Role.DECLARATION, "B"),
]


@pytest.mark.parametrize(("code", "text", "role", "target"), IN_A_FUNCTION)
def test_statement(code: str, text: str, role: Role, target: str | None) -> None:
    tree, line, column = marked(body(code))
    found = tree.statement_at(line, column)
    assert found is not None
    assert (found.text, found.role, found.target, found.function) == (text, role, target, "f")
    assert found.declares == (role in (Role.DECLARATION, Role.INITIALIZER))


CONDITIONS: list[tuple[str, str, str]] = [
    ("if (x «> 0 && y) x = 1;", "x > 0 && y", "if"),
    ("«if (x) y = 1;", "x", "if"),
    ("if (!«x) y = 1;", "!x", "if"),
    ("if (x) y = 1; else if (y «== 2) x = 1;", "y == 2", "if"),
    ("if ((x «= g(1)) != 3) y = 1;", "(x = g(1)) != 3", "if"),
    ("«while (x < 10) x++;", "x < 10", "while"),
    ("while (x <\n    «10) x++;", "x < 10", "while"),
    ("«for (x = 0; x < 10; x++) y++;", "x < 10", "for"),
    ("for (x = 0;\n  x «< 10;\n  x++) y++;", "x < 10", "for"),
    ("do { x++; } while (x «< 3);", "x < 3", "do"),
    ("do { x++; «} while (x < 3);", "x < 3", "do"),
    ("«do x++; while (x < 3);", "x < 3", "do"),
    ("«switch (x + 1) { case 1: y = 1; }", "x + 1", "switch"),
    ("switch («x) { case 1: y = 1; }", "x", "switch"),
]


@pytest.mark.parametrize(("code", "text", "keyword"), CONDITIONS)
def test_condition(code: str, text: str, keyword: str) -> None:
    tree, line, column = marked(body(code))
    found = tree.statement_at(line, column)
    assert found is not None
    assert (found.text, found.role, found.keyword, found.target) == (text, Role.CONDITION, keyword, None)


FOR_PARTS: list[Case] = [
    ("for (x «= 0; x < 3; x++) ;", "x = 0", Role.FOR_INIT, "x"),
    ("for (int «k = 0; k < 3; k++) ;", "int k = 0", Role.FOR_INIT, "k"),
    ("for («int k = 0; k < 3; k++) ;", "int k = 0", Role.FOR_INIT, "k"),
    ("for (int k = 0, «m = 1; k < 3; k++) ;", "m = 1", Role.FOR_INIT, "m"),
    ("for (x = 0, y «= 1; x < 3; x++) ;", "x = 0, y = 1", Role.FOR_INIT, None),
    ("for (x = 0;\n   x < 3;\n   x«++) ;", "x++", Role.FOR_UPDATE, "x"),
    ("for (x = 0; x < 3; a[x] «+= 2) ;", "a[x] += 2", Role.FOR_UPDATE, "a[x]"),
    ("«for (;;) x++;", "for (;;)", Role.OTHER, None),
]


@pytest.mark.parametrize(("code", "text", "role", "target"), FOR_PARTS)
def test_for_parts(code: str, text: str, role: Role, target: str | None) -> None:
    tree, line, column = marked(body(code))
    found = tree.statement_at(line, column)
    assert found is not None
    assert (found.text, found.role, found.target, found.keyword) == (text, role, target, "for")


HEADERS: list[Case] = [
    ("int f(int a, char *«b) { return a; }", "char *b", Role.PARAMETER, None),
    ("int f(int (*«cb)(int, int), int n) { return n; }", "int (*cb)(int, int)", Role.PARAMETER, None),
    ("int «f(int a) { return a; }", "int f(int a)", Role.FUNCTION, None),
    ("int f(«void) { return 1; }", "int f(void)", Role.FUNCTION, None),
    ("int f(int a)\n«{ return a; }", "int f(int a)", Role.FUNCTION, None),
    ("int f(int a) { return a; «}", "}", Role.END, None),
    ("int f(a, b) int a; char *«b; { return a; }", "char *b;", Role.PARAMETER, None),
    ("int f(a, b)\nint «a;\nchar *b;\n{ return a; }", "int a;", Role.PARAMETER, None),
    ("f(«x) { return x; }", "x", Role.PARAMETER, None),
    ("f(argc, argv)\nint argc;\nchar *«argv[];\n{ return argc; }", "char *argv[];", Role.PARAMETER, None),
    ("struct s *\nf(n)\nchar *«n;\n{ return 0; }", "char *n;", Role.PARAMETER, None),
    ("struct s *\nf(n)\nchar *n;\n{ if (!«n) return 0; return n; }", "!n", Role.CONDITION, None),
    ("f() {\n  int i «= 0; }", "int i = 0;", Role.DECLARATION, "i"),
]


@pytest.mark.parametrize(("code", "text", "role", "target"), HEADERS)
def test_function_headers(code: str, text: str, role: Role, target: str | None) -> None:
    tree, line, column = marked(code)
    found = tree.statement_at(line, column)
    assert found is not None
    assert (found.text, found.role, found.target, found.function) == (text, role, target, "f")


def test_spans_are_exact_with_crlf_and_tabs() -> None:
    tree, line, column = marked("int f(void)\r\n{\r\n\tint x =\r\n\t\t«1;\r\n}\r\n")
    found = tree.statement_at(line, column)
    assert found is not None
    assert (found.text, found.start, found.end) == ("int x = 1;", (3, 2), (4, 5))
    start, end = (tree.source.offset(*position) for position in (found.start, found.end))
    assert tree.source.slice_text(start, end) == "int x =\r\n\t\t1;"


def test_invalid_bytes_do_not_disturb_the_parser() -> None:
    tree, line, column = marked("char *s = \"\udcff\udcfe\"; /* \udce9 */\nint f(void) { s[0] «= '\udce9'; return 1; }")
    found = tree.statement_at(line, column)
    assert found is not None
    assert (found.text, found.target, found.function) == ("s[0] = 'é';", "s[0]", "f")


def test_one_unit_gives_equal_statements_for_all_its_positions() -> None:
    tree, line, column = marked(body("x = «a[y] + g(x, y);"))
    found = {tree.statement_at(line, each) for each in range(column - 4, column + 15)}
    assert len(found) == 1
