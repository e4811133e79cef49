"""Statements that only forward a value are recognised, and the ranking shows them with the one that computed it."""

from __future__ import annotations

from pathlib import Path

import butfor
from butfor.trace.view.value_forwarding import ValueForwarding
from tests.small import case_of, recorded, source, written

CHAIN = source(
    """
static int twice(int n) {
    int result = n * 2;
    return result;
}
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    int here = twice(n);
    int there = here;
    int more = here + 1;
    if (there)
        printf("%d %d\\n", there, more);
    return 0;
}
"""
)


def test_copies_go_back_to_what_computed_the_value(tmp_path: Path) -> None:
    case = case_of(recorded(tmp_path, CHAIN, args=["3"], expect_stdout="9 7\n"))
    found = {
        place.text: origin.text
        for place, origin in ValueForwarding(case.places, case.dependence)
        .origins(case.slices["relevant"].distance)
        .items()
    }
    assert found["return result;"] == "int result = n * 2;"
    assert "int here = twice(n);" not in found  # it passes two values on
    assert found["int there = here;"] == "int here = twice(n);"
    assert found["there"] == "int there = here;"
    assert "int result = n * 2;" not in found
    assert "int more = here + 1;" not in found


def test_what_computes_is_in_front_of_the_copies(tmp_path: Path) -> None:
    answer = butfor.explain(written(tmp_path, CHAIN), args=["3"], expect_stdout="9 7\n")
    copy = CHAIN.line_of("return result;")
    naming = [
        row for row in answer.ranking if any(a.line == copy and "the same value passes here" in a.why for a in row.also)
    ]
    (place,) = [row.rank for row in answer.ranking if row.line == copy]
    assert [row.text for row in naming] == ["int result = n * 2;"]
    copies = {a.line for row in answer.ranking for a in row.also if "the same value passes here" in a.why}
    assert all(row.rank < place for row in answer.ranking if row.line not in copies)
    assert [row.score for row in answer.ranking] == sorted((row.score for row in answer.ranking), reverse=True)
