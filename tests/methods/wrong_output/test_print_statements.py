"""Print statements that would only have to write something else."""

from __future__ import annotations

from pathlib import Path

import pytest

import butfor
from butfor.explanation import Explanation
from tests.small import source, written


def explained(folder: Path, body: str, expected: str, stdin: str = "", methods: tuple[str, ...] = ()) -> Explanation:
    """The explanation by all default methods, or some."""
    return butfor.explain(written(folder, body), expect_stdout=expected, stdin=stdin.encode(), methods=methods)


@pytest.mark.parametrize(
    ("body", "expected", "wrong", "words"),
    [
        (
            'int main(void) {\n  int n = 3;\n  printf("n is %d\\n", n);\n  printf("don\\n");\n}\n',
            "n is 3\ndone\n",
            "don",
            'had it written `"done\\n"`',
        ),
        (
            "int main(void) {\n  for (int i = 0; i < 3; i++) {\n"
            '    printf("try %d\\n", i);\n    printf("%d ", i * i);\n  }\n  puts("");\n}\n',
            "0 1 4 \n",
            "try",
            "had it written nothing",
        ),
        (
            'int main(void) {\n  for (int i = 0; i < 4; i++)\n    if (i % 2)\n      printf("row %d\\n", i);\n}\n',
            "row 2\nrow 4\n",
            "row",
            "off by the same amount",
        ),
        ('int main(void) {\n  double x = 2.5;\n  printf("%f\\n", x);\n}\n', "2.5\n", "%f", "the same numbers"),
        ('int main(void) {\n  printf("a b c");\n}\n', "a b c\n", "a b c", "had it written"),
    ],
)
def test_the_print_is_named_first(tmp_path: Path, body: str, expected: str, wrong: str, words: str) -> None:
    answer = explained(tmp_path, body, expected)
    first = answer.ranking[0]
    assert first.line == source(body).line_of(wrong)
    assert any(words in r.text for r in first.reasons if r.method == "output")


def test_a_branch_that_went_wrong_is_not_blamed_on_its_text(tmp_path: Path) -> None:
    body = """
int main(void) {
  int n;
  scanf("%d", &n);
  if (n > 3)
    printf("large\\n");
  else
    printf("small\\n");
}
"""
    answer = explained(tmp_path, body, "large\n", "3")
    assert answer.ranking[0].text == "n > 3"


def test_output_that_ends_too_early_names_the_last_print(tmp_path: Path) -> None:
    answer = explained(
        tmp_path, 'int main(void) {\n  printf("1 2 3");\n  return 0;\n}\n', "1 2 3 4 5 6 7\n", methods=("output",)
    )
    (row,) = answer.ranking
    assert row.text == 'printf("1 2 3");'


def test_other_failures_are_left_to_other_methods(tmp_path: Path) -> None:
    answer = butfor.explain(written(tmp_path, "int main(void) { int x = 1; assert(x == 2); }"), methods=["output"])
    assert answer.ranking == ()
