"""Which other values of pointers are tried by running the program."""

from __future__ import annotations

from pathlib import Path

from butfor import api
from butfor.options import make_options
from tests.small import source, written


def test_a_pointer_is_tried_with_other_variables_that_are_not_on_the_path(tmp_path: Path) -> None:
    body = """
struct box { int v, w; };
static struct box z;
static void put(struct box *b, int v) { b->v = v; }
int main(int argc, char **argv) {
    struct box x = {5, 1}, *p = argc > 0 ? &x : &z;
    put(p, 0);
    assert(x.v != 0);
}
"""
    options = make_options(written(tmp_path, source(body)), methods=("relevance",))
    rows = {r["text"]: r for r in api.explain(options).to_dict()["methods"]["relevance"]["statements"]}
    row = rows["*p = argc > 0 ? &x : &z"]
    assert (row["verdict"], row["counterfactual"], row["run"]) == ("enforcing", "p = &z", "avoided")
