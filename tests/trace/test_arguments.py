"""What a program finds in its arguments is what it was started with, not what some library call left there."""

from __future__ import annotations

from pathlib import Path

import butfor

PROGRAM = r"""
#include <mcheck.h>
#include <stdio.h>
int main(int argc, char **argv) {
  mtrace();
  const char *word = argv[1];
  int first = word[0];
  printf("%d\n", first + argc);
  return 0;
}
"""


def test_a_call_that_tells_nothing_did_not_write_the_arguments(tmp_path: Path) -> None:
    source = tmp_path / "prog.c"
    source.write_text(PROGRAM)
    answer = butfor.explain(source, args=["a"], expect_stdout="98\n", methods=("slice", "cascade"))
    assert answer.failure is not None
    lines = {row.line for row in answer.ranking}
    assert 6 in lines
    assert 5 not in lines
