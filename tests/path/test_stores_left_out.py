"""Stores that wrote elsewhere: the statements that made the wrong index or pointer are offered, and tried."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from butfor import api
from butfor.options import make_options
from tests.small import source, written

PROGRAMS = {
    "index": (
        "int t[4] = {1, 1, 1, 1};\nint k = 1;\nt[k] = 0;\nassert(t[2] != 1);",
        ("int k = 1;", "k = 2"),
    ),
    "index that another function was given": (
        "int k = 1;\nput(k);\nassert(grid[1][2] == 5);",
        ("int k = 1;", "k = 2"),
    ),
    "pointer": (
        "int x = 1, y = 1;\nint *p = &y;\n*p = 0;\nassert(x != 1);",
        ("int *p = &y;", "p = &x"),
    ),
    "pointer to a member": (
        "struct pair *p = &two;\np->b = 0;\nassert(one.b == 0);",
        ("struct pair *p = &two;", "p = &one"),
    ),
}
DECLARED = """
struct pair { int a, b; };
struct pair one = {1, 1}, two = {1, 1};
int grid[2][3];
void put(int column) { grid[1][column] = 5; }
"""


def answer(tmp_path: Path, body: str) -> dict[str, Any]:
    """What relevance and diagnoses say about a program that fails."""
    text = source(f"{DECLARED}int main(void) {{\n{body}\nreturn 0;\n}}\n")
    options = make_options(written(tmp_path, text), methods=("relevance", "diagnoses"))
    found: dict[str, Any] = api.explain(options).to_dict()["methods"]
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_sent_a_store_elsewhere_is_relevant_and_a_diagnosis(name: str, tmp_path: Path) -> None:
    body, (statement, value) = PROGRAMS[name]
    found = answer(tmp_path, body)
    row = next(r for r in found["relevance"]["statements"] if r["text"] == statement)
    assert (row["verdict"], row["counterfactual"], row["run"]) == ("enforcing", value, "avoided")
    sets = {tuple(s["text"] for s in one["statements"]): one["evidence"] for one in found["diagnoses"]["sets"]}
    assert sets[statement,] == "replayed"


def test_a_store_with_a_wrong_index_may_be_meant_for_another_element(tmp_path: Path) -> None:
    found = answer(tmp_path, PROGRAMS["index"][0])
    kinds = {one["statements"][0]["text"]: one["how"] for one in found["diagnoses"]["sets"]}
    assert kinds["t[k] = 0;"] == "target"


def test_a_store_that_could_not_have_been_meant_stays_out(tmp_path: Path) -> None:
    found = answer(tmp_path, "int x = 1;\nlong y = 1;\nlong *p = &y;\n*p = 0;\nassert(x != 1);")
    assert [r["text"] for r in found["relevance"]["statements"]] == ["int x = 1;"]
