"""Verdicts of relevance that the campaign of `make claims` once refuted."""

from __future__ import annotations

from pathlib import Path

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
