"""A function that only checks its argument is a check: the fault is before it, not in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from butfor.failures.check_functions import failed_check
from tests.small import case_of, explained, recorded

WORK = """
static int middle(int a, int b) {
  int m = a + b / 2;
  return m;
}
int main(int argc, char **argv) {
  int lo = 2, hi = 6;
  int m = middle(lo, hi);
  {check}
  return 0;
}
"""
ABORTING = "static void expect(int cond) { if (!cond) abort(); }\n"
PASSED_ON = "static void fail_unless(int cond) { if (!cond) abort(); }\nstatic void expect(int c) { fail_unless(c); }\n"
LOCATED = "void reach_error(void) { abort(); }\nvoid __VERIFIER_assert(int cond) { if (!(cond)) { reach_error(); } }\n"


def program(head: str, check: str) -> str:
    return "#include <stdio.h>\n#include <stdlib.h>\n" + head + WORK.replace("{check}", check)


@pytest.mark.parametrize(
    ("head", "check"),
    [
        (ABORTING, "expect(m == 4);"),
        (ABORTING, "expect(m >= lo && m <= hi\n         && m == 4);"),
        (PASSED_ON, "expect(m == 4);"),
        (LOCATED, "__VERIFIER_assert(m == (lo + hi) / 2);"),
    ],
)
def test_neither_the_check_nor_its_function_is_in_the_cause_tree(tmp_path: Path, head: str, check: str) -> None:
    found = explained(tmp_path, program(head, check)).ranking
    assert found[0].text == "int m = a + b / 2;"
    checks = ("expect", "fail_unless", "__VERIFIER_assert", "reach_error")
    of_check = [row for row in found if row.function in checks or row.text.startswith(checks)]
    assert {reason.method for row in of_check for reason in row.reasons} <= {"slice"}


def test_a_function_that_computes_what_it_checks_may_be_wrong(tmp_path: Path) -> None:
    head = "static int limit = 3;\nstatic void expect(int m) { int twice = m * 2; if (twice > limit * 2) abort(); }\n"
    recording = recorded(tmp_path, program(head, "expect(m);"))
    node = case_of(recording).point.node
    assert node is not None
    assert failed_check(recording.trace, node).functions == frozenset()


def test_a_check_whose_result_is_used_is_not_only_a_check(tmp_path: Path) -> None:
    head = "static int expect(int cond) { if (!cond) abort(); return cond; }\n"
    recording = recorded(tmp_path, program(head, "lo = expect(m == 4) + 1;"))
    node = case_of(recording).point.node
    assert node is not None
    assert failed_check(recording.trace, node).functions == frozenset()
