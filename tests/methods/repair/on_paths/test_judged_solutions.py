"""Solutions are judged by the whole program: what the other arm does, other inputs, and checks that no longer run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from butfor import api
from butfor.options import make_options

Row = tuple[str, str]
"""The changed statements of a solution, and its standing."""


def repaired(folder: Path, body: str, **knobs: Any) -> dict[str, Any]:
    """The answer of the method for a program whose body this is, or for a whole program."""
    program = folder / "prog.bpl"
    program.write_text(body if body.startswith("procedure") else f"procedure main() {{ {body} }}\n")
    options = make_options(program, methods=["repair"], **knobs)
    answer: dict[str, Any] = api.repair(options).to_dict()["methods"]["repair"]
    return answer


def rows(answer: dict[str, Any]) -> list[Row]:
    return [
        ("; ".join(s.get("after") or f"{s['text']} ?" for s in one["statements"]), one["standing"])
        for one in answer["solutions"]
    ]


GUARDS = {
    "one more": ("var n: int; n := 4; if (n > 4) { n := 0; } assert n < 4;", "n >= 4"),
    "the other arm": ("var n: int; n := 4; if (n < 4) { n := 7; } else { n := 5; } assert n == 7;", "n <= 4"),
    "in a loop": (
        "var i, s: int; i := 0; s := 0; while (i <= 3) { s := s + 1; i := i + 1; } assert s == 3;",
        "i < 3",
    ),
    "with a goto": (
        "var n: int; n := 4; goto big, small; big: assume n > 4; n := 0; goto end; small: assume n <= 4; goto end; "
        "end: assert n < 4;",
        "n < 4",
    ),
}


@pytest.mark.parametrize("name", GUARDS)
def test_a_wrong_guard_is_offered_and_holds_in_the_whole_program(tmp_path: Path, name: str) -> None:
    body, guard = GUARDS[name]
    found = repaired(tmp_path, body)
    assert (guard, "holds") in rows(found)
    assert all(one["label"] for one in found["solutions"])
    assert rows(found)[0][1] == "holds"


def test_the_guard_of_the_method_is_the_first_solution_and_the_list_is_complete(tmp_path: Path) -> None:
    found = repaired(tmp_path, "var n: int; n := 4; if (n > 4) { n := 0; } assert n < 4;")
    assert rows(found)[0] == ("n >= 4", "holds")
    assert found["solutions"][0]["label"] == "holds in all executions"
    assert found["complete"] is True
    assert {s["line"] for one in found["solutions"] for s in one["statements"]} == {1}


def test_a_guard_whose_other_arm_fails_too_is_not_offered(tmp_path: Path) -> None:
    found = repaired(tmp_path, "var n: int; n := 4; if (n > 4) { n := 9; } assert n < 4;")
    assert rows(found)
    assert not any(">= 4" in text or "n > 4 ?" in text for text, _ in rows(found))


def test_a_loop_that_would_not_end_is_no_solution(tmp_path: Path) -> None:
    found = repaired(tmp_path, "var i: int; i := 0; while (i <= 3) { assert i < 3; i := i + 1; }")
    assert ("i < 3", "holds") in rows(found)
    assert not any("i := i * 1" in text or "i := i - 1" in text for text, _ in rows(found))


def test_a_solution_for_these_inputs_only_says_which_others_fail(tmp_path: Path) -> None:
    found = repaired(tmp_path, "procedure main(n: int) requires n > 2; { var x: int; x := 3; assert x < n - 3; }\n")
    late = [one for one in found["solutions"] if one["standing"] == "fails"]
    assert late
    assert all("line 1 can fail all the same: n = " in one["label"] for one in late)
    standings = [one["standing"] for one in found["solutions"]]
    assert standings == sorted(standings, key=("holds", "passes", "open", "fails", "silences").index)


def test_what_keeps_the_check_from_running_comes_last_and_says_so(tmp_path: Path) -> None:
    body = "var n: int; n := 9; if (n > 5) { assert n < 8; }"
    found = repaired(tmp_path, body)
    standing = dict(rows(found))
    assert standing["n <= 5"] == "silences"
    assert standing["n := 0"] == "silences"
    standings = [s for _, s in rows(found)]
    assert standings == sorted(standings, key="silences".__eq__)
    assert "only silences the check" in found["solutions"][-1]["label"]


def test_a_check_that_another_input_still_reaches_is_not_silenced(tmp_path: Path) -> None:
    text = "procedure main(n: int) requires n >= 0 && n <= 4; { if (n <= 4) { assert n < 4; } }\n"
    assert ("n < 4", "holds") in rows(repaired(tmp_path, text))


def test_a_common_cause_comes_before_pairs(tmp_path: Path) -> None:
    text = """procedure main(c: bool) {
  var x: int;
  x := 0;
  if (c) { x := x + 2; } else { x := x + 3; }
  assert x <= 1;
}
"""
    found = repaired(tmp_path, text)
    sizes = [len(one["statements"]) for one in found["solutions"] if one["standing"] == "holds"]
    assert sizes == sorted(sizes)
    assert rows(found)[0] == ("x := -2", "holds")
    assert any(size == 2 for size in sizes)
    assert not any(text == "c ?" for text, _ in rows(found))  # the other arm fails too


def test_changes_of_statements_on_one_line_are_tried_where_they_stand(tmp_path: Path) -> None:
    body = "var x, y: int; x, y := 1, 2; havoc x; assume x == 5; y := y + x; assert y == 6;"
    standing = dict(rows(repaired(tmp_path, body)))
    assert standing["y := 1"] == "holds"


def test_solutions_are_in_the_order_of_the_paper(tmp_path: Path) -> None:
    """Fewer steps skipped first, then fewer statements; of the same, those outside of loops."""
    body = "var i, s, n: int; n := 3; s := 1; i := 0; while (i < n) { s := s + 1; i := i + 1; } assert s == 3;"
    found = [one for one in repaired(tmp_path, body)["solutions"] if one["standing"] == "holds"]
    keys = [(one["steps_skipped"], len(one["statements"])) for one in found]
    assert len(keys) > 3
    assert keys == sorted(keys)
    same = [one["statements"][0]["text"] for one in found if (one["steps_skipped"], len(one["statements"])) == (0, 1)]
    inside = [text in ("s := s + 1;", "i := i + 1;") for text in same]
    assert inside == sorted(inside)
