"""Diagnoses that the campaign of `make claims` once refuted."""

from __future__ import annotations

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
