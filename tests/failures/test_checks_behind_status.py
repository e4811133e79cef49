"""Tests tell of a failure by their exit status, long after the check that failed."""

from __future__ import annotations

from pathlib import Path

import pytest

import butfor
from butfor.explanation import FailureKind

MACRO = r"""
#include <stdio.h>
static int failures;
#define TEST(cond) do { if (cond) puts("ok"); else { failures++; puts("not ok"); } } while (0)
static int biggest(const int *v, int n) {
  int best = 0;
  for (int i = 0; i < n; i++)
    if (v[i] > best) best = v[i];
  return best;
}
int main(void) {
  int a[] = {3, 9, 2}, b[] = {-5, -2, -9};
  TEST(biggest(a, 3) == 9);
  TEST(biggest(b, 3) == -2); /* failed */
  TEST(biggest(a, 1) == 3);
  TEST(biggest(b, 1) == -5);
  return failures ? 1 : 0;
}
"""
RETURNED_TEXT = r"""
#include <stdio.h>
#define mu_assert(text, test) do { if (!(test)) return text; } while (0)
static int digits(int n) {
  int k = 0;
  while (n > 0) { k++; n /= 10; }
  return k;
}
static const char *test_some(void) { mu_assert("two", digits(12) == 2); return 0; }
static const char *test_zero(void) {
  mu_assert("none", digits(0) == 1); /* failed */
  return 0;
}
static const char *all(void) {
  const char *text = test_some();
  if (text) return text;
  return test_zero();
}
int main(void) {
  const char *text = all();
  puts(text ? text : "passed");
  return text != 0;
}
"""
FUNCTION = r"""
#include <stdio.h>
static int bad;
static void check_equal(int got, int wanted) {
  if (got != wanted) { printf("%d, not %d\n", got, wanted); bad = 1; }
}
static int twice(int x) { return x + 2; }
int main(void) {
  check_equal(twice(2), 4);
  check_equal(twice(3), 6); /* failed */
  check_equal(twice(4), 8);
  if (bad) return 1;
  return 0;
}
"""
JUMP = r"""
#include <setjmp.h>
#include "munit.h"
struct state { int failed, failures; jmp_buf back; } state;
static void fail(void) { state.failed = 1; longjmp(state.back, 1); }
void compare(int got, int wanted) {
  if (got == wanted) return;
  fail();
}
void run(void (*test)(void)) {
  state.failed = 0;
  if (setjmp(state.back) == 0) test();
  if (state.failed) state.failures++;
}
"""
JUMP_HEADER = "extern struct state state; void compare(int got, int wanted); void run(void (*test)(void));\n"
JUMPING_TEST = r"""
#include "munit.h"
int failures(void);
static int half(int x) { return x / 2 + x % 2; }
static void good(void) { compare(half(4), 2); }
static void odd(void) {
  compare(half(8), 4);
  compare(half(5), 2); /* failed */
}
int main(void) {
  run(good);
  run(odd);
  run(good);
  return failures();
}
"""


def _marked(text: str) -> int:
    return next(k for k, line in enumerate(text.splitlines(), 1) if "/* failed */" in line)


@pytest.mark.parametrize("text", [MACRO, RETURNED_TEXT, FUNCTION], ids=["macro", "returned text", "function"])
def test_the_first_failed_check_is_the_failure(text: str, tmp_path: Path) -> None:
    source = tmp_path / "prog.c"
    source.write_text(text)
    answer = butfor.explain(source, expect_exit=0, methods=("slice", "cascade"))
    assert answer.failure is not None
    assert (answer.failure.kind, answer.failure.line) == (FailureKind.ASSERTION, _marked(text))
    assert answer.failure.details["status"] == 1


def test_a_failed_check_of_a_framework_is_where_the_framework_is_called(tmp_path: Path) -> None:
    (tmp_path / "munit.h").write_text(JUMP_HEADER)
    (tmp_path / "munit.c").write_text(JUMP + "int failures(void) { return state.failures; }\n")
    (tmp_path / "test.c").write_text(JUMPING_TEST)
    answer = butfor.explain([tmp_path / "test.c", tmp_path / "munit.c"], expect_exit=0)
    assert answer.failure is not None
    assert (Path(answer.failure.file).name, answer.failure.line) == ("test.c", _marked(JUMPING_TEST))
    assert {Path(row.file).name for row in answer.ranking} == {"test.c"}
    assert answer.ranking[0].line == 4


def test_what_ran_after_the_check_only_reports_it(tmp_path: Path) -> None:
    source = tmp_path / "prog.c"
    source.write_text(MACRO)
    answer = butfor.explain(source, expect_exit=0)
    assert answer.ranking[0].function == "biggest"
    assert "failures ?" not in "".join(row.text for row in answer.ranking)


def test_a_trusted_function_checks_whatever_it_is_called(tmp_path: Path) -> None:
    source = tmp_path / "prog.c"
    source.write_text(FUNCTION.replace("check_equal", "compared"))
    plain = butfor.explain(source, expect_exit=0, methods=("slice",))
    trusting = butfor.explain(source, expect_exit=0, methods=("slice",), trust=("compared",))
    assert plain.failure is not None
    assert trusting.failure is not None
    assert plain.failure.kind is FailureKind.EXIT_STATUS
    assert trusting.failure.line == _marked(FUNCTION)


def test_a_memory_error_before_the_exit_status_is_the_failure(tmp_path: Path) -> None:
    source = tmp_path / "prog.c"
    source.write_text(
        "int main(int argc, char **argv) {\n  int a[2] = {0, 0}, b = 0;\n  a[argc + 1] = 1;\n  return 3;\n}\n"
    )
    answer = butfor.explain(source, expect_exit=0, methods=("slice",))
    assert answer.failure is not None
    assert (answer.failure.kind, answer.failure.line) == (FailureKind.MEMORY, 3)
