"""Terms as expressions of C: the text means what the term means, by the types of the variables."""

from __future__ import annotations

import pytest

from butfor.logic.terms import Term, binary, compare, constant, extract, resize, variable
from butfor.path.path_model import Cell
from butfor.path.source_expressions import SourceExpressions


def _cell(name: str, width: int, signed: bool) -> Cell:
    return Cell(name, width, name, "int", signed)


CELLS = {
    c.name: c
    for c in (
        _cell("i", 32, True),
        _cell("u", 32, False),
        _cell("c", 8, True),
        _cell("d", 8, False),
        _cell("l", 64, True),
    )
}
INT, U, C, D, L = (variable(name, CELLS[name].sort) for name in "iucdl")
SEVEN = constant(7, 32)


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (compare("slt", binary("add", INT, U), SEVEN), "(int)(i + u) < 7"),
        (compare("ult", binary("add", INT, U), SEVEN), "i + u < 7"),
        (compare("slt", INT, SEVEN), "i < 7"),
        (compare("ult", INT, SEVEN), "(unsigned)i < 7"),
        (compare("ult", L, constant(7, 64)), "(unsigned long)l < 7"),
        (compare("ult", C, constant(7, 8)), "(unsigned char)c < 7"),
        (binary("sdiv", U, SEVEN), "(int)u / 7"),
        (binary("udiv", U, INT), "u / (unsigned)i"),
        (binary("ashr", U, SEVEN), "(int)u >> 7"),
        (binary("add", resize(C, 32, True), SEVEN), "c + 7"),
        (binary("add", resize(C, 32, False), SEVEN), "(unsigned char)c + 7"),
        (binary("add", resize(D, 32, True), SEVEN), "(char)d + 7"),
        (binary("add", resize(extract(INT, 0, 8), 32, False), SEVEN), "(unsigned char)i + 7"),
        (binary("add", resize(extract(INT, 0, 8), 32, True), SEVEN), "(char)i + 7"),
        (binary("add", resize(U, 64, True), constant(1, 64)), "(int)u + 1"),
        (binary("urem", binary("add", D, constant(1, 8)), constant(5, 8)), "(unsigned char)(d + 1) % 5"),
        (binary("add", binary("and", C, constant(7, 8)), C), "(char)((c & 7) + c)"),
    ],
)
def test_a_text_has_the_signs_of_its_term(term: Term, text: str) -> None:
    assert SourceExpressions(CELLS)(term) == text
