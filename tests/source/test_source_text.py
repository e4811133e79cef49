"""Source text: positions, lines and text that can be shown whatever the bytes are."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butfor.source import SourceFile
from butfor.source.source_text import on_one_line


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", ()),
        (b"\n", ("",)),
        (b"int x;", ("int x;",)),
        (b"int x;\n", ("int x;",)),
        (b"a\r\nb\r\n", ("a", "b")),
        (b"a\rb", ("a", "b")),
        (b"a\n\n\nb", ("a", "", "", "b")),
        (b"\tx\t= 1;\n", ("\tx\t= 1;",)),
        ("é = 1;\n".encode(), ("é = 1;",)),
        (b"\xe9 = 1;\nok\n", ("é = 1;", "ok")),
        (b"x" * 10_000, ("x" * 10_000,)),
    ],
)
def test_lines(data: bytes, lines: tuple[str, ...]) -> None:
    source = SourceFile("f.c", data)
    assert source.lines == lines
    assert source.line_count == len(lines)


def test_lines_that_do_not_exist_are_empty() -> None:
    source = SourceFile("f.c", b"int x;\n")
    assert [source.line(number) for number in (-1, 0, 1, 2, 99)] == ["", "", "int x;", "", ""]


def test_columns_count_bytes() -> None:
    source = SourceFile("f.c", "/* é */ x = 1;\r\n  y;".encode())
    assert source.offset(1, 10) == source.data.index(b"x")
    assert source.position(source.data.index(b"y")) == (2, 3)


def test_positions_beyond_the_end_are_moved_to_it() -> None:
    source = SourceFile("f.c", b"ab\r\ncd")
    assert source.offset(1, 50) == 2
    assert source.offset(9, 1) == len(source.data)
    assert source.position(1_000) == (2, 3)
    assert source.position(-5) == (1, 1)


def test_span_text_is_exact() -> None:
    source = SourceFile("f.c", b"f(a,\n  b);\n")
    assert source.slice_text(source.offset(1, 1), source.offset(2, 5)) == "f(a,\n  b)"
    assert source.slice_text(source.offset(2, 1), source.offset(99, 1)) == "  b);\n"


def test_anchor_finds_the_code_of_a_line() -> None:
    source = SourceFile("f.c", b"   a = 1;   \n\t\n")
    assert source.anchor(1, 0) == 3
    assert source.anchor(1, 5) == 5
    assert source.anchor(1, 400) == 8
    assert source.anchor(2, 1) is None
    assert source.anchor(7, 1) is None


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("a  =\n\t b;", "a = b;"),
        ('p("a  b",\n   c)', 'p("a  b", c)'),
        ("x = ' ';", "x = ' ';"),
        ("f(a, // first\n  b /* second */)", "f(a, b )"),
        ("a \\\n + b", "a + b"),
        ('s = "/* no comment */";', 's = "/* no comment */";'),
        ('s = "\\"  q";', 's = "\\"  q";'),
        ("x = 1; /* never closed", "x = 1;"),
    ],
)
def test_fold(text: str, folded: str) -> None:
    assert on_one_line(text) == folded


@given(st.binary(max_size=200), st.integers(-3, 60), st.integers(-3, 60))
def test_no_bytes_and_no_position_make_it_raise(data: bytes, line: int, column: int) -> None:
    source = SourceFile("f.c", data)
    source.lines  # noqa: B018 - reading it is what is tested
    source.line(line).encode()
    source.anchor(line, column)
    assert 0 <= source.offset(line, column) <= len(data)


@given(st.binary(max_size=200), st.integers(0, 200))
def test_position_is_the_inverse_of_offset(data: bytes, offset: int) -> None:
    source = SourceFile("f.c", data)
    line, column = source.position(offset)
    start, end = source.line_span(line)
    if start + column - 1 <= end:
        assert source.offset(line, column) == min(offset, len(data))


def test_read(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_bytes(b"int a;\n")
    assert SourceFile.read(tmp_path / "a.c") == SourceFile(str(tmp_path / "a.c"), b"int a;\n")
