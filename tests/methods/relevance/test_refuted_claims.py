"""Verdicts of relevance that the campaign of `make claims` once refuted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from butfor import api
from butfor.options import make_options
from tests.small import source, written

BODY = """
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    int x = 1;
    for (int i = 0; i < n; i++)
        x = x + i * 5;
    assert(x != 2 && n > 0);
}
"""


def test_a_skipped_block_that_may_leave_anything_does_not_make_an_input_irrelevant(tmp_path: Path) -> None:
    options = make_options(written(tmp_path, source(BODY)), methods=("relevance",), args=["0"])
    rows = api.explain(options).to_dict()["methods"]["relevance"]["statements"]
    (found,) = [row for row in rows if row["text"].startswith("int n")]
    assert (found["verdict"], found["run"]) == ("admitting", "avoided") or found["verdict"] == "enforcing"


def test_an_input_that_sends_a_store_elsewhere_is_not_proved_to_have_no_control(tmp_path: Path) -> None:
    body = """
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int k = __VERIFIER_nondet_int() & 3;
    int t[4] = {4, 0, 1, 2};
    t[k] = 7;
    assert(t[0] != 4);
}
"""
    options = make_options(written(tmp_path, source(body)), methods=("relevance",), nondet=(2,))
    security = api.explain(options).to_dict()["methods"]["relevance"]["security"]
    assert not (security["verdict"] == "not-input-controlled" and security["evidence"] == "proved")


def test_a_store_whose_element_depends_on_the_input_is_not_irrelevant_because_of_the_element_that_it_hit(
    tmp_path: Path,
) -> None:
    body = """
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int k = __VERIFIER_nondet_int() & 3;
    int x = 3 + k;
    int y = 0;
    int t[4] = {4, 0, 5, 2};
    t[x & 3] = y & 7;
    if (t[1] + x < t[x & 3])
        y = x;
    y = t[x & 3];
    t[k] = x;
    assert(t[0] < 0 && t[1] < 3);
}
"""
    options = make_options(written(tmp_path, source(body)), methods=("relevance",), nondet=(1,))
    rows = api.explain(options).to_dict()["methods"]["relevance"]["statements"]
    (found,) = [row for row in rows if row["text"] == "t[k] = x;"]
    assert found["verdict"] != "irrelevant"  # with k = 0 and the value -1 the check holds


@pytest.mark.parametrize(("reads", "run"), [("b[1] + b[2]", "failed"), ("b[0] + 2", "avoided")])
def test_a_pointer_to_another_variable_may_not_be_used_beyond_it(reads: str, run: str, tmp_path: Path) -> None:
    body = f"""
int main(int argc, char **argv) {{
    int n = atoi(argv[1]);
    int t[4] = {{1, 0, 3, 0}};
    int *b = t;
    int s = {reads};
    assert(s != 3 || n == 9);
}}
"""
    options = make_options(written(tmp_path, source(body)), methods=("relevance",), args=["5"])
    rows = api.explain(options).to_dict()["methods"]["relevance"]["statements"]
    assert {row["text"]: row["run"] for row in rows}["int *b = t;"] == run


def test_a_statement_is_not_irrelevant_because_only_library_calls_read_what_it_wrote(tmp_path: Path) -> None:
    body = """
int main(int argc, char **argv) {
    int *p = malloc(2 * sizeof *p);
    p[0] = atoi(argv[1]);
    p[1] = 5;
    p = realloc(p, 4 * sizeof *p);
    p[2] = p[0] + p[1];
    assert(p[2] != 7);
}
"""
    options = make_options(written(tmp_path, source(body)), methods=("relevance",), inputs="pinned", args=["2"])
    rows = api.explain(options).to_dict()["methods"]["relevance"]["statements"]
    (found,) = [row for row in rows if row["text"] == "p[1] = 5;"]
    assert (found["verdict"], found["run"]) == ("enforcing", "avoided")


def test_a_statement_that_another_failing_run_does_not_depend_on_is_not_irrelevant_there(tmp_path: Path) -> None:
    body = """
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int k = __VERIFIER_nondet_int() & 3;
    int x = k;
    int t[4] = {5, 5, 5, 5};
    t[x] = 5 + k;
    assert(t[0] != 5);
}
"""
    tests = tmp_path / "tests.json"
    runs = [{"name": f"with {k}", "nondet": [k]} for k in (0, 1, 2)]
    tests.write_text(json.dumps({"tests": runs}))
    options = make_options(written(tmp_path, source(body)), methods=("relevance",), tests=tests)
    rows = api.explain(options).to_dict()["methods"]["relevance"]["statements"]
    (found,) = [row for row in rows if row["text"] == "int x = k;"]  # with x = 0, the run with 1 passes
    assert found["verdict"] != "irrelevant"
    assert found["traces"]["with 1"] != "irrelevant"


def test_nothing_is_irrelevant_for_all_inputs_where_an_input_may_send_a_store_elsewhere(tmp_path: Path) -> None:
    """With k = 2 the element that is checked becomes 3, and then the failure depends on y alone."""
    program = source("""
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int() & 7;
    int k = __VERIFIER_nondet_int() & 3;
    int x = 4;
    int y = n - x;
    int t[4] = {3, 3, 5, 3};
    t[k & 3] = 3;
    assert(t[2] < 5 && y != -4);
    return 0;
}
""")
    path = written(tmp_path, program)
    line = program.line_of("int x = 4;")
    found = {}
    for inputs in ("free", "pinned"):
        options = make_options(path, methods=("relevance",), inputs=inputs, nondet=(0, 0))
        rows = api.explain(options).to_dict()["methods"]["relevance"]["statements"]
        found[inputs] = {row["line"]: row["verdict"] for row in rows}[line]
    assert found == {"free": "unknown", "pinned": "irrelevant"}
