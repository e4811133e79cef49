"""Marks: what the user said about statements prunes the tree, and is remembered next to the recording."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import butfor
import butfor.api
from butfor.errors import UsageError
from butfor.explanation import Explanation
from butfor.marks import Marks, marks_file
from butfor.options import make_options
from tests.commands import run_in
from tests.small import saved, source, written

PROGRAM = source(
    """
static int clamp(int v, int hi) {
    if (v > hi)
        return hi;
    return v;
}
static int total(const int *a, int n) {
    int s = 0;
    for (int i = 1; i < n; i++)
        if (a[i] > 3)
            s += clamp(a[i], 10);
    return s;
}
int main(void) {
    int a[] = {5, 4, 20, 1};
    int t = total(a, 4);
    assert(t == 19);
    return 0;
}
"""
)


def at(part: str) -> str:
    """The place of the line with this text."""
    return f"prog.c:{PROGRAM.line_of(part)}"


def causes(answer: Explanation) -> list[dict[str, Any]]:
    """The causes of the tree."""
    found: list[dict[str, Any]] = answer.to_dict()["methods"]["cascade"]["causes"]
    return found


def lines(found: list[dict[str, Any]]) -> set[int]:
    """Every line that the tree names."""
    return {s["line"] for c in found for s in c["statements"]} | {
        c["condition"]["line"] for c in found if c["condition"]
    }


def explained(folder: Path, **knobs: Any) -> Explanation:
    """The explanation of the program by its cause tree."""
    return butfor.explain(written(folder, PROGRAM), methods=["cascade"], **knobs)


@pytest.fixture(scope="module")
def unmarked(tmp_path_factory: pytest.TempPathFactory) -> Explanation:
    """The explanation without marks."""
    return explained(tmp_path_factory.mktemp("unmarked"))


def test_benign_removes_the_statement_and_what_only_it_leads_to(unmarked: Explanation, tmp_path: Path) -> None:
    before, wrong = unmarked, PROGRAM.line_of("v > hi")
    after = explained(tmp_path, benign=[at("v > hi")])
    assert wrong in lines(causes(before))
    assert wrong not in lines(causes(after))
    assert wrong not in {row.line for row in after.ranking}
    assert lines(causes(after)) < lines(causes(before))
    assert after.methods["cascade"]["pruned"] > 0


def test_a_decision_that_others_lead_to_stays(tmp_path: Path) -> None:
    loop = PROGRAM.line_of("i < n")
    assert loop in lines(causes(explained(tmp_path, benign=[at("a[i] > 3")])))


def test_guilty_ends_the_search(unmarked: Explanation, tmp_path: Path) -> None:
    everything = causes(unmarked)
    answer = explained(tmp_path, guilty=[at("a[i] > 3")])
    found = causes(answer)
    assert len(found) < len(everything)
    assert answer.methods["cascade"]["guilty"] == found[-1]["id"] == len(found) - 1
    assert [c["parent"] for c in found] == [None, *range(len(found) - 1)], "only the way to it is left"
    assert answer.ranking[0].line == PROGRAM.line_of("a[i] > 3")


def test_marks_are_remembered_next_to_the_recording(tmp_path: Path) -> None:
    path = saved(tmp_path, PROGRAM)
    options = make_options(path, benign=[at("v > hi")])
    pruned = causes(butfor.api.replay(path, options))
    assert json.loads(marks_file(path).read_text())["marks"] == [{"at": at("v > hi"), "mark": "benign"}]
    assert causes(butfor.api.replay(path, make_options(path))) == pruned
    again = butfor.api.replay(path, make_options(path, unmark=[at("v > hi")]))
    assert PROGRAM.line_of("v > hi") in lines(causes(again))
    assert json.loads(marks_file(path).read_text())["marks"] == []


def test_a_file_of_marks_serves_explain_too(tmp_path: Path) -> None:
    kept = tmp_path / "my.marks.json"
    explained(tmp_path, benign=[at("v > hi")], marks=kept)
    assert PROGRAM.line_of("v > hi") not in lines(causes(explained(tmp_path, marks=kept)))


@pytest.mark.parametrize(
    "content",
    ["", "[]", '{"format": 1, "marks": [{"at": "x:1", "mark": "nice"}]}', '{"format": 9, "marks": []}', "\xff"],
)
def test_a_damaged_file_of_marks_is_a_clear_error(tmp_path: Path, content: str) -> None:
    kept = tmp_path / "marks.json"
    kept.write_text(content, encoding="latin-1")
    with pytest.raises(UsageError, match=r"marks\.json"):
        explained(tmp_path, marks=kept)
    assert kept.read_text(encoding="latin-1") == content


def test_a_mark_on_no_line_is_said(tmp_path: Path) -> None:
    notes = explained(tmp_path, benign=["prog.c:999", "other.c:3", at("v > hi")]).notes
    assert [n for n in notes if "says nothing" in n] == [
        f"there is no line {w} in the sources, so the mark there says nothing" for w in ("prog.c:999", "other.c:3")
    ]


def test_places_as_people_write_them() -> None:
    marks = Marks({"src/a.c:3": "benign", "7": "guilty"})
    assert marks.of("src/a.c", 3) == "benign"
    assert marks.of("/home/me/src/a.c", 3) == "benign"
    assert marks.of("other-src/a.c", 3) is None
    assert marks.of("b.c", 7) == "guilty"


def test_the_command_line(work: Path) -> None:
    (work / "prog.c").write_text(PROGRAM.text)
    done = run_in(work, "explain", "prog.c", "--json", "--benign", at("v > hi"), "--method", "cascade")
    assert done.code == 0
    assert PROGRAM.line_of("v > hi") not in lines(json.loads(done.stdout)["methods"]["cascade"]["causes"])
    done = run_in(work, "explain", "prog.c", "--benign", "here")
    assert (done.code, "not a place in the source" in done.stderr) == (2, True)


@pytest.mark.parametrize("name", ["slicing", "trust", "unrelated", "loops"])
def test_without_an_optimisation_the_statements_are_the_same(unmarked: Explanation, tmp_path: Path, name: str) -> None:
    full, slow = unmarked, explained(tmp_path, without=[name])
    assert lines(causes(slow)) == lines(causes(full))
    assert len(causes(slow)) > len(causes(full)) if name == "loops" else len(causes(slow)) == len(causes(full))


def test_trust_can_be_switched_off(tmp_path: Path) -> None:
    trusted = explained(tmp_path, trust=["clamp"])
    assert PROGRAM.line_of("v > hi") not in lines(causes(trusted))
    assert PROGRAM.line_of("v > hi") in lines(causes(explained(tmp_path, trust=["clamp"], without=["trust"])))


def test_rounds_of_a_loop_and_shared_causes_are_one_node(unmarked: Explanation) -> None:
    found = causes(unmarked)
    conditions = [
        (c["condition"]["line"], c["outcome"].partition(" ")[0])
        for c in found
        if c["condition"] and c["via"] != "address"
    ]
    assert len(conditions) == len(set(conditions))
    rounds = {c["condition"]["line"]: c["rounds"] for c in found if c["condition"] and c["outcome"].startswith("true")}
    assert rounds[PROGRAM.line_of("a[i] > 3")] == 2
    assert any(c["shared_with"] for c in found)
