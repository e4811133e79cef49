"""What is wrong in a run besides its failure, and which declaration it points to."""

from __future__ import annotations

from pathlib import Path

import pytest

import butfor
from butfor.explanation import Explanation
from butfor.failures import uninitialised_reads
from tests.small import Source, source, written


def explained(
    folder: Path, body: str | Source, methods: tuple[str, ...] = ("hazards",), **knobs: object
) -> Explanation:
    """The explanation by this method."""
    return butfor.explain(written(folder, body), methods=methods, **knobs)  # type: ignore[arg-type]


OVERFLOW = """
int main(void) {
  int a = 70000;
  int b = a * a;
  printf("%d\\n", b);
}
"""
SIZE = """
int cells[8];
int total = 5;
int main(void) {
  for (int i = 0; i < 9; i++)
    cells[i] = 7;
  printf("%d\\n", total);
}
"""
UNSET = """
int main(void) {
  int sum;
  for (int i = 0; i < 3; i++)
    sum += i;
  printf("%d\\n", sum);
}
"""


@pytest.mark.parametrize(
    ("body", "expected", "declared", "words"),
    [
        (OVERFLOW, "4900000000\n", "int a = 70000;", "does not fit 32 bits"),
        (SIZE, "5!\n", "int cells[8];", "`cells` has 8 elements and more are used"),
        (UNSET, "3\n", "int sum;", "it has no value when it is used"),
    ],
)
def test_declarations_are_named(tmp_path: Path, body: str, expected: str, declared: str, words: str) -> None:
    answer = explained(tmp_path, body, expect_stdout=expected)
    rows = {row.line: row for row in answer.ranking}
    row = rows[source(body).line_of(declared)]
    assert words in row.reasons[0].text
    assert row.text.startswith(declared.rstrip(";").split(" = ")[0])


def test_the_overflowing_statement_is_named_too(tmp_path: Path) -> None:
    answer = explained(tmp_path, OVERFLOW, expect_stdout="4900000000\n")
    assert {row.line for row in answer.ranking} >= {source(OVERFLOW).line_of("a * a")}


def test_a_clean_run_has_none(tmp_path: Path) -> None:
    body = (
        "int main(void) {\n  unsigned x = 4000000000u;\n  x += x;\n"
        '  char c = (char)300;\n  printf("%u %d\\n", x, c);\n}\n'
    )
    answer = explained(tmp_path, body, expect_stdout="1 2\n")
    assert answer.ranking == ()


def test_an_overflow_that_reaches_far_beyond_a_global_is_recorded(tmp_path: Path) -> None:
    """What is written behind the program's data must not reach the recorder's own."""
    body = """
int few[10];
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  for (int i = 0; i < n; i++)
    few[i] = 1;
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += few[i];
  printf("%d\\n", sum);
}
"""
    answer = explained(tmp_path, body, methods=("slice", "hazards"), args=["50000"])
    assert answer.failure is not None
    assert answer.failure.kind in ("memory", "signal")
    assert source(body).line_of("int few[10];") in {row.line for row in answer.ranking[:3]}


COPIED = """
struct pair { int set, unset; };
int main(void) {
  struct pair a, b;
  a.set = 3;
  b = a;
  for (int i = 0; i < 30; i++)
    b.set++;
  assert(b.set == 3);
}
"""


@pytest.mark.parametrize("is_short", [True, False])
def test_it_says_when_uninitialised_values_were_not_followed_to_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_short: bool
) -> None:
    if is_short:
        monkeypatch.setattr(uninitialised_reads, "_MAX_SEGMENTS", 10)
    answer = explained(tmp_path, COPIED)
    assert answer.methods["hazards"]["complete"] is not is_short
    assert any("whether one is used later" in note for note in answer.notes) is is_short
