"""Solutions in the report and as patches: for C runs, for several failing tests, and for Boogie programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from butfor import api
from butfor.logic.terms import variable
from butfor.methods.repair.on_paths.solution_model import Alternative
from butfor.methods.repair.on_paths.solution_patches import merged_proposals, with_hole_filled
from butfor.methods.repair.on_paths.term_alternatives import Mutation, mutations_of
from butfor.methods.repair.repair_model import Proposal
from butfor.methods.repair.slip_library import SYNTHESISED
from butfor.options import make_options
from butfor.source.edits import Edit
from butfor.trace.view.source_places import Place
from tests.small import written

HERE = Place("prog.c", 3, 1, "main", "x = 0;", "expression", "prog.c")
EXAMPLES = Path(__file__).parent / "examples"


def repair(path: Path, **knobs: Any) -> dict[str, Any]:
    found: dict[str, Any] = api.repair(make_options(path, **knobs)).to_dict()["methods"]["repair"]
    return found


def file_of(folder: Path, tests: list[dict[str, Any]]) -> Path:
    path = folder / "tests.json"
    path.write_text(json.dumps({"tests": tests}))
    return path


def test_the_sum_is_repaired_along_its_path_and_for_real() -> None:
    found = repair(EXAMPLES / "sum.c")
    first = found["solutions"][0]
    assert [(s["text"], s["after"], s["kind"]) for s in first["statements"]] == [("i <= n", "i < n", "operator")]
    assert (first["weight"], first["steps_skipped"]) == (30.0, 0)
    assert found["repairs"][0]["after"] == "for (i = 0; i < n; ++i)"


def test_a_guard_that_leaves_the_path_early_is_not_crowded_out_by_edits_that_the_program_refutes(
    tmp_path: Path,
) -> None:
    body = """
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    int i = 0;
again:
    i = i + 1;
    if (i <= n)
        goto again;
    assert(i == n);
}
"""
    found = repair(written(tmp_path, body), args=["4"], methods=["slice"])
    assert "i < n" in [s["after"] for row in found["solutions"] for s in row["statements"]]


def test_a_boogie_program_gets_solutions_and_no_patches() -> None:
    found = repair(EXAMPLES / "sum.bpl", bound=12)
    assert found["repairs"] == []
    assert found["solutions"][0]["statements"][0]["after"] == "i < n"


TWO = """
static int area(int width, int height) {
    int w = width + 1;
    int h = height - 2;
    return w * h;
}
int main(int argc, char **argv) {
    int width = atoi(argv[1]), height = atoi(argv[2]);
    int got = area(width, height);
    (void)argc;
    assert(got == width * height);
    return 0;
}
"""


@pytest.mark.slow
def test_two_statements_change_together(tmp_path: Path) -> None:
    program = written(tmp_path, TWO)
    tests = [
        {"name": f"{w}x{h}", "args": [str(w), str(h)], "expect_exit": 0} for w, h in ((2, 3), (4, 5), (7, 2), (5, 9))
    ]
    found = repair(program, tests=file_of(tmp_path, tests), budget=60)
    assert found["repairs"], found["solutions"]
    best = found["repairs"][0]
    assert (best["failing_fixed"], best["failing_total"]) == (4, 4)


def synthesised(tmp_path: Path) -> tuple[Path, Path]:
    body = """
int main(int argc, char **argv) {
    int first = atoi(argv[1]), last = atoi(argv[2]);
    int count = 100;
    (void)argc;
    assert(count + first == last);
    return 0;
}
"""
    tests = [{"name": f"{a}-{b}", "args": [str(a), str(b)], "expect_exit": 0} for a, b in ((2, 30), (4, 5), (17, 22))]
    return written(tmp_path, body), file_of(tmp_path, tests)


def test_an_expression_is_found_that_all_tests_determine(tmp_path: Path) -> None:
    program, tests = synthesised(tmp_path)
    found = repair(program, tests=tests, budget=40)
    after = [row.get("after") for s in found["solutions"] for row in s["statements"]]
    assert "int count = last - first;" in after, after
    assert any("last - first" in r["after"] for r in found["repairs"]), found["repairs"]


def test_a_run_without_a_path_says_so(tmp_path: Path) -> None:
    body = 'int main(void) { for (;;) puts("a"); return 0; }\n'
    answer = api.repair(make_options(written(tmp_path, body), step_limit=2000, budget=15))
    assert answer.methods["repair"]["solutions"] == []
    assert any("path" in note for note in answer.notes)


@pytest.mark.parametrize(
    ("text", "value", "wanted"),
    [
        ("x = {};", 3, "x = 3;"),
        ("x = {};", 2**32 - 2, "x = -2;"),
        ("x = v + {};", 2**32 - 3, "x = v - 3;"),
        ("x = v + {};", 0, "x = v;"),
    ],
)
def test_chosen_values_are_written_as_people_do(text: str, value: int, wanted: str) -> None:
    assert with_hole_filled(text, Alternative(text, "", 1.0, SYNTHESISED, {}, hole=variable("!h", 32)), value) == wanted


def test_edits_that_avoid_the_failure_along_the_path_move_up() -> None:
    def proposal(new: bytes, weight: float, rank: int) -> Proposal:
        return Proposal((Edit("prog.c", 0, 1, new),), "", weight, HERE, rank=rank)

    usual = [proposal(b"1", 30.0, 4), proposal(b"2", 20.0, 9), proposal(b"3", 10.0, 0)]
    found = merged_proposals(usual, [proposal(b"2", 21.0, 0), proposal(b"9", 8.0, 1)])
    assert [p.edits[0].new for p in found] == [b"1", b"2", b"3", b"9"]
    assert (found[1].weight, found[1].rank) == (21.0, 0)


def test_the_library_says_which_terms_are_meant(tmp_path: Path) -> None:
    from butfor.logic.sorts import INT
    from butfor.logic.terms import negate, number, order
    from butfor.methods.repair import slip_library
    from butfor.path.path_model import Cell

    extra = tmp_path / "own.toml"
    extra.write_text(
        '[operators]\n"<=" = { "==" = 29 }\n[constants]\n"10" = { "12" = 28 }\n[variables]\ni = { k = 27 }\n'
    )
    cells = [Cell(name, INT, name, "int") for name in ("i", "k")]
    term = order("le", cells[0].term, number(10, INT))

    def weights(extra_file: Path | None) -> dict[object, float]:
        found: list[Mutation] = list(mutations_of(term, cells, slip_library.load_library(extra_file)))
        return {m.key: m.weight for m in found}

    own, mine = weights(None), weights(extra)
    assert own[(), "<"] == 30
    assert own[(), "=="] == 8
    assert mine[(), "=="] == 29
    assert mine[(1,), "12"] == 28
    assert ((1,), "12") not in own
    assert (own[(0,), "k"], mine[(0,), "k"]) == (18, 27)
    denied = {m.key: m.term for m in mutations_of(negate(term), cells, slip_library.builtin_library())}
    assert denied[(), ">="] is order("le", number(10, INT), cells[0].term)
