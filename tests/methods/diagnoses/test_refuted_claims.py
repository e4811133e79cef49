"""Diagnoses that the campaign of `make claims` once refuted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from butfor import api
from butfor.options import make_options
from tests.small import source, written


@pytest.mark.parametrize("condition", ["z < 5", "(x >= x ? z : z) < 5"])
def test_a_decision_that_left_what_was_not_evaluated_as_it_was_counts(condition: str, tmp_path: Path) -> None:
    body = f"""
int main(int argc, char **argv) {{
    int n = atoi(argv[1]);
    int x = 6;
    int y = 6;
    int z = x + 2;
    int *p = &y;
    *p = -3;
    if ({condition})
        *p = n;
    assert(x != 6 && y != -3);
}}
"""
    options = make_options(written(tmp_path, source(body)), methods=("diagnoses",), args=["8"])
    sets = api.explain(options).to_dict()["methods"]["diagnoses"]["sets"]
    proved = [{s["text"] for s in one["statements"]} for one in sets if one["proved"]]
    assert {"int x = 6;", "*p = -3;"} not in proved  # with x = 2 alone, the other arm assigns y


def test_a_store_that_is_not_on_the_path_may_be_moved_onto_it(tmp_path: Path) -> None:
    body = """
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    int a[4] = {4, 3, 5, 0};
    int k = n & 3;
    a[k] = 7;
    assert(a[3] != 0 && n > 0);
}
"""
    options = make_options(written(tmp_path, source(body)), methods=("diagnoses", "relevance"), args=["0"])
    answer = api.explain(options).to_dict()["methods"]
    sets = [{s["text"] for s in one["statements"]} for one in answer["diagnoses"]["sets"]]
    assert {"int n = atoi(argv[1]);"} in sets  # with n = 3 alone, 7 goes to a[3]
    verdicts = {row["text"]: row for row in answer["relevance"]["statements"]}
    assert verdicts["int n = atoi(argv[1]);"]["run"] == "avoided"


def test_what_does_not_move_a_store_is_still_irrelevant(tmp_path: Path) -> None:
    body = """
int main(int argc, char **argv) {
    int n = atoi(argv[1]), m = n + 1;
    int a[4] = {4, 3, 5, 0};
    a[n & 3] = 7;
    int x = m - m;
    assert(a[3] != x);
}
"""
    path = written(tmp_path, source(body))
    verdicts = {}
    for inputs in (
        "pinned",
        "free",
    ):  # free ones move the store, and then it takes more to know that m makes no difference
        options = make_options(path, methods=("relevance",), args=["0"], inputs=inputs)
        rows = api.explain(options).to_dict()["methods"]["relevance"]["statements"]
        verdicts[inputs] = {r["text"]: r["verdict"] for r in rows}["m = n + 1"]
    assert verdicts == {"pinned": "irrelevant", "free": "unknown"}


def test_no_set_is_minimal_for_several_runs_because_a_statement_is_not_on_the_path_of_one(tmp_path: Path) -> None:
    body = """
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int() & 1;
    int m = __VERIFIER_nondet_int() & 3;
    int k = __VERIFIER_nondet_int() & 3;
    int x = k;
    int y = 4;
    if (!(n != m)) {
        y = k;
        for (int i = 0; i < m; i = i + 1) {
            y = (2 + x) - (y * 2);
            x = n;
        }
    }
    assert(x == 2);
}
"""
    tests = tmp_path / "tests.json"
    runs = [{"name": f"{n} {m} {k}", "nondet": [n, m, k]} for n, m, k in ((0, 2, 3), (0, 0, 0), (1, 1, 1))]
    tests.write_text(json.dumps({"tests": runs}))
    options = make_options(written(tmp_path, source(body)), methods=("diagnoses",), tests=tests)
    sets = api.explain(options).to_dict()["methods"]["diagnoses"]["sets"]
    assert sets
    texts = [{s["text"] for s in row["statements"]} for row in sets if row["proved"]]
    part = {"int n = __VERIFIER_nondet_int() & 1;", "int x = k;"}  # x = 2 does, in the last run with n = 2
    assert not [t for t in texts if t > part]


@pytest.mark.parametrize("condition", ["c || n > 0", "d && e", "n > 9 && (e || d)", "d || e || n == 3", "c || (e = n)"])
def test_a_condition_is_reversed_with_the_operands_that_were_not_evaluated(condition: str, tmp_path: Path) -> None:
    held = condition.startswith("c") or "==" in condition
    body = f"""
int main(int argc, char **argv) {{
    int n = atoi(argv[1]);
    int a = {int(not held)}, c = n > 2, d = n > 5, e = n > 4;
    if ({condition})
        a = {int(held)};
    assert(a != 1);
}}
"""
    options = make_options(written(tmp_path, source(body)), methods=("diagnoses",), args=["3"])
    sets = api.explain(options).to_dict()["methods"]["diagnoses"]["sets"]
    evidence = {s["statements"][0]["text"]: s["evidence"] for s in sets if len(s["statements"]) == 1}
    assert evidence.get(condition) == "replayed", "the other outcome of the whole condition avoids the failure"


def test_a_condition_that_cannot_be_reversed_as_a_whole_is_not_left_out(tmp_path: Path) -> None:
    body = """
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    int a = 0, b = 0;
    if (n || (b = 2))
        a = 1;
    assert(a != 1);
}
"""
    options = make_options(written(tmp_path, source(body)), methods=("diagnoses",), args=["3"])
    sets = api.explain(options).to_dict()["methods"]["diagnoses"]["sets"]
    evidence = {s["statements"][0]["text"]: s["evidence"] for s in sets if len(s["statements"]) == 1}
    assert evidence["n || (b = 2)"] == "heuristic", "no run can make a constant operand come out otherwise"


def test_what_an_arm_overwrote_is_changed_together_with_its_condition(tmp_path: Path) -> None:
    body = """
int main(int argc, char **argv) {
    int n = atoi(argv[1]), m = atoi(argv[2]);
    int x = m * 0;
    if (n == 1)
        x = 1;
    assert(x == 2);
}
"""
    tests = tmp_path / "tests.json"
    tests.write_text(json.dumps({"tests": [{"name": "kept", "args": ["0", "0"]}, {"name": "set", "args": ["1", "1"]}]}))
    options = make_options(written(tmp_path, source(body)), methods=("diagnoses",), tests=tests)
    sets = api.explain(options).to_dict()["methods"]["diagnoses"]["sets"]
    evidence = {frozenset(s["text"] for s in one["statements"]): one["evidence"] for one in sets}
    assert evidence.get(frozenset({"int x = m * 0;", "n == 1"})) == "replayed"
    assert evidence.get(frozenset({"int x = m * 0;", "x = 1;"})) == "replayed"
