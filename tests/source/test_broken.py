"""Broken, odd and big sources: an answer from the text, never an exception, and quickly."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from butfor.source import Role, SourceFile, SyntaxTree
from butfor.source.lexer import lex
from butfor.source.unparsed_statements import unparsed_statement_at
from tests.source.snippets import MARK, marked

BROKEN = [
    ("int f(void) { @@@ x «= 1; }", "x = 1", Role.EXPRESSION),
    ("int f(void) { if (x > «0 { y = 1; } }", "0", None),
    ("int f( { x «= 2; }", "x = 2;", Role.EXPRESSION),
    ("«", None, None),
    ("int f(void) {\n\n«\n}", None, None),
]


@pytest.mark.parametrize(("code", "text", "role"), BROKEN)
def test_broken_code_still_gives_the_nearest_text(code: str, text: str | None, role: Role | None) -> None:
    tree, line, column = marked(code)
    found = tree.statement_at(line, column)
    if text is None:
        assert found is None
    else:
        assert found is not None
        assert text in found.text
        assert len(found.text) < 25
        assert role is None or found.role is role


def test_a_long_text_without_structure_gives_the_line() -> None:
    tree = SyntaxTree(SourceFile("t.c", b"@ x\n" * 3_000))
    found = tree.statement_at(1_500, 3)
    assert found is not None
    assert (found.text, found.line, found.role) == ("@ x", 1_500, Role.OTHER)


LOOSE = [
    ("x «= y + 1;", "x = y + 1;", Role.EXPRESSION, "x"),
    ("a[i] «<<= 2;", "a[i] <<= 2;", Role.EXPRESSION, "a[i]"),
    ("«x == y;", "x == y;", Role.EXPRESSION, None),
    ("f(«x = 1);", "f(x = 1);", Role.EXPRESSION, None),
    ("«p->n++;", "p->n++;", Role.EXPRESSION, "p->n"),
    ("«--x;", "--x;", Role.EXPRESSION, "x"),
    ("struct s *«p = q;", "struct s *p = q;", Role.DECLARATION, "p"),
    ("«return x;", "return x;", Role.RETURN, None),
    ("if (a && «b) x = 1;", "a && b", Role.CONDITION, None),
    ("if (a) x «= 1;", "x = 1;", Role.EXPRESSION, "x"),
    ("else if («a) x = 1;", "a", Role.CONDITION, None),
    ("«else x = 1;", "else", Role.OTHER, None),
    ("case 3: y «= 1;", "y = 1;", Role.EXPRESSION, "y"),
    ("«case 3: y = 1;", "case 3:", Role.CASE, None),
    ("out: «goto end;", "goto end;", Role.JUMP, None),
    ("for (i «= 0; i < 3; i++) x = 1;", "i = 0", Role.FOR_INIT, "i"),
    ("for (i = 0; i «< 3; i++) x = 1;", "i < 3", Role.CONDITION, None),
    ("«for (i = 0; i < 3; i++) x = 1;", "i < 3", Role.CONDITION, None),
    ("for (i = 0; i < 3; i«++) x = 1;", "i++", Role.FOR_UPDATE, "i"),
    ("for (;«;) x = 1;", "for (;;)", Role.OTHER, None),
]


@pytest.mark.parametrize(("code", "text", "role", "target"), LOOSE)
def test_statements_by_delimiters(code: str, text: str, role: Role, target: str | None) -> None:
    before, _, after = f"{{ prev(); {code} next(); }}".partition(MARK)
    data = (before + after).encode()
    lexed = lex(data)
    unit = unparsed_statement_at(lexed.code, *lexed.segment(len(before)), len(before))
    found = data[slice(*unit.target)].decode() if unit.target else None
    assert (data[unit.start : unit.end].decode(), unit.role, found) == (text, role, target)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"int x",
        b"int f(void){return 1;}",
        b"\xff\xfe\x00\x00",
        b"\xef\xbb\xbfint f(void) { return 1; }",
        b"int f(void) { return " + b"(" * 3_000 + b"1" + b")" * 3_000 + b"; }",
        b"int f(void) { x = " + b"1 + " * 2_500 + b"1; }",
        b'char *s = "never closed;\nint f(void) { x = 1; }',
        b"/* never closed\nint x = 1;",
        b"#define A(",
        b"#if X\nint f(void) {\n#else\nint f(int a) {\n#endif\nreturn 1; }",
    ],
)
def test_odd_files(data: bytes) -> None:
    tree = SyntaxTree(SourceFile("t.c", data))
    for line in range(-1, 8):
        for column in (-1, 0, 1, 5, 17, 22, 9_000):
            ask_everything(tree, line, column)


def ask_everything(tree: SyntaxTree, line: int, column: int) -> None:
    found = tree.statement_at(line, column)
    assert found is None or found.start <= found.end
    tree.expression_at(line, column)
    tree.expressions_at(line, column)
    tree.decision_at(line, column)
    tree.target_at(line, column)
    tree.macros_used_at(line, column)
    tree.initializer_of("x", line)
    tree.definition_of_macro("A")
    tree.functions()


PIECES = st.sampled_from(
    [
        "int ",
        "f",
        "x",
        "(",
        ")",
        "{",
        "}",
        ";",
        ",",
        "=",
        "if",
        "do ",
        "while",
        "for",
        "else ",
        "case 1:",
        "return ",
        "\n",
    ]
    + [
        "+",
        "&&",
        "?",
        ":",
        "[",
        "]",
        "->",
        '"',
        "'",
        "#define A(x) x;",
        "/*",
        "*/",
        "//",
        "\\",
        "é",
        "A(",
        "static ",
        " ",
    ]
)


@settings(deadline=None, max_examples=150)
@given(st.lists(PIECES, max_size=40), st.integers(0, 5), st.integers(0, 60))
def test_no_text_makes_it_raise(pieces: list[str], line: int, column: int) -> None:
    ask_everything(SyntaxTree(SourceFile("t.c", "".join(pieces).encode())), line, column)


def test_a_big_file_is_fast() -> None:
    header = "int f{0}(int a, int *b)\n{{\n    int c = a + {0};\n    if (c > 3 && b[c])\n"
    function = header + "        c += b[a];\n" * 15 + "}}\n"
    source = SourceFile("big.c", "".join(function.format(number) for number in range(500)).encode())
    assert source.line_count == 10_000
    tree = SyntaxTree(source)
    begin = time.process_time()
    found = [tree.statement_at(line, 11) for line in range(5, 10_000, 10)]
    assert time.process_time() - begin < 5.0
    assert len(found) == 1_000
    assert {each.text for each in found if each} == {"c += b[a];"}
    assert {each.function for each in found if each} == {f"f{number}" for number in range(500)}
