"""Wrapping and cutting of lines."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from butfor.report.inert_text import inert
from butfor.report.text_page import make_page


@given(st.text(), st.sampled_from(["utf-8", "ascii", "latin-1"]))
def test_inert_text_is_visible_and_can_be_written(text: str, encoding: str) -> None:
    shown = inert(text, encoding)
    assert all(char.isprintable() for char in shown)
    shown.encode(encoding)


@given(st.text(alphabet="ab 日,", max_size=200), st.integers(24, 60), st.integers(0, 6), st.integers(0, 6))
def test_wrapping_loses_nothing_and_fits(text: str, width: int, first: int, rest: int) -> None:
    page = make_page(width, False, "utf-8")
    lines = page.wrap(text, first=" " * first, rest=" " * rest)
    assert max(cell_len(line) for line in lines) <= width
    assert "".join("".join(lines).split()) == "".join(text.split())


@given(st.text(alphabet="ab日", min_size=1, max_size=200), st.integers(20, 60), st.data())
def test_window_fits_and_shows_the_start(text: str, room: int, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    page = make_page(80, False, "utf-8")
    shown, begin = page.window(text, cell_len(text[:start]), room)
    assert cell_len(shown) <= room
    assert begin <= cell_len(text[:start]) < begin + room
