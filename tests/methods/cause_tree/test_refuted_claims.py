"""Cause trees that the campaign of `make claims` once refuted."""

from __future__ import annotations

from pathlib import Path

import pytest

from butfor import api
from butfor.options import make_options
from tests.small import source, written


@pytest.mark.parametrize(("condition", "is_proved"), [("n > 3 && x++ > 0", False), ("n > 3 && x + 1 > 1", True)])
def test_an_operand_is_no_proof_for_its_condition(tmp_path: Path, condition: str, is_proved: bool) -> None:
    body = f"""
int main(int argc, char **argv) {{
    int n = atoi(argv[1]);
    int x = 0;
    int y = 0;
    if ({condition})
        y = x;
    assert(y != 0);
}}
"""
    options = make_options(written(tmp_path, source(body)), methods=("cascade",), args=["4"])
    causes = api.explain(options).to_dict()["methods"]["cascade"]["causes"]
    decided = [c for c in causes if c["condition"] is not None and c["condition"]["text"] == condition]
    assert decided
    for c in decided:
        assert c["proved"] == is_proved, c
