"""Values of short-circuit conditions: the cause forces the value, and no part of it can be left out."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from butfor.encode.justification import Justifier
from butfor.encode.trace_formula import encode, recheck
from butfor.logic.solvers import Limit, Verdict, default_solver
from butfor.trace.dependence.dependence import Dependence
from tests.encode.small_causes import branches
from tests.small import recorded

CONDITIONS = (
    "a && b",
    "a || b",
    "a && b && c",
    "a || b || c",
    "a && (b || c)",
    "(a && b) || c",
    "!(a || b) && c",
    "a ? b : c",
    "a ? 1 : b && c",
)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_the_cause_of_the_value_is_proved_and_minimal(condition: str, tmp_path: Path) -> None:
    tests = "".join(f"if (f({a}, {b}, {c})) n++;\n" for a, b, c in product((0, 1), repeat=3))
    function = f"static int f(int a, int b, int c) {{ int x = {condition}; return x; }}\n"
    body = f"{function}int main(void) {{ int n = 0;\n{tests}return n; }}\n"
    trace = recorded(tmp_path, body).trace
    dependence = Dependence(trace)
    justifier = Justifier(dependence)
    roots = [n for n in branches(trace) if trace.at(n[0]).fn.name == "main"]
    assert len(roots) == 8
    for root in roots:
        nodes = justifier.justify((root,)).nodes
        assert recheck(trace, nodes, (root,), 30, dependence=dependence) is Verdict.UNSAT
        problem = encode(trace, nodes, (root,), dependence)
        assert set(default_solver().core(problem, Limit.after(30)).core) == set(problem.names)
