"""Source lines and their underlines."""

from __future__ import annotations

from rich.cells import cell_len

from butfor.report.source_excerpt import excerpt
from butfor.report.text_page import make_page

PAGE = make_page(60, False, "utf-8")


def drawn(source: str, line: int, column: int, text: str = "") -> list[str]:
    """The code line and the underline, without their gutters."""
    lines = excerpt(PAGE, source, line, column, text)
    return [part.split("│ ", 1)[1] for part in lines[1:]]


def test_underline_goes_to_the_end_of_the_statement() -> None:
    assert drawn("    a = b / c; d();", 1, 5) == ["    a = b / c; d();", "    ^~~~~~~~~"]


def test_underline_of_a_given_text() -> None:
    assert drawn("    a = b / c;", 1, 5, "b / c") == ["    a = b / c;", "        ^~~~~"]
    assert drawn("    a = b / c;", 1, 5, "not there") == ["    a = b / c;", "    ^~~~~~~~~"]


def test_no_column_underlines_the_line() -> None:
    assert drawn("    a();", 1, 0) == ["    a();", "    ^~~~"]


def test_columns_count_bytes_and_tabs_are_expanded() -> None:
    code = '\tputs("é日"); bad();'
    column = len(code.encode()[: code.encode().index(b"bad")]) + 1
    line, mark = drawn(code, 1, column)
    assert line == '    puts("é日"); bad();'
    assert cell_len(line[: line.index("bad")]) == len(mark) - len("^~~~~")


def test_bytes_that_are_not_utf8() -> None:
    source = b'puts("\xe9"); bad();'.decode("utf-8", "surrogateescape")
    line, mark = drawn(source, 1, 12)
    assert line == 'puts("\\xe9"); bad();'
    assert mark.index("^") == line.index("bad")


def test_nul_and_form_feed_stay_on_their_line() -> None:
    assert drawn("a\0\fb;\r\nnext;", 1, 1)[0] == "a\\0\\x0cb;"
    assert drawn("a\0\fb;\r\nnext;", 2, 1)[0] == "next;"


def test_long_line_shows_the_part_that_matters() -> None:
    source = "f(" + "x, " * 100 + "guilty" + ", y" * 100 + ");"
    line, mark = drawn(source, 1, source.index("guilty") + 1, "guilty")
    assert line.startswith("…")
    assert line.endswith("…")
    assert line[mark.index("^") :].startswith("guilty")
    assert mark.endswith("^~~~~~")


def test_line_that_does_not_exist() -> None:
    assert excerpt(PAGE, "one line", 2, 1) == []
    assert excerpt(PAGE, "", 0, 0) == []


def test_column_beyond_the_line() -> None:
    assert drawn("a;", 1, 99) == ["a;", " ^"]


def test_empty_line() -> None:
    assert len(excerpt(PAGE, "\n", 1, 1)) == 3
