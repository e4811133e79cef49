"""A list of tests: all are run, the shortest failing run is explained, all are listed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import butfor
from butfor.errors import UsageError
from butfor.explanation import Explanation
from tests.commands import butfor_command
from tests.small import source, written

# Counts to its argument in 100 steps per unit; the sum of 1..n is wrong for n > 2, and it ends with status n for n > 5.
BODY = """int main(int argc, char **argv) {
 int n = argc > 1 ? atoi(argv[1]) : 0, sum = 0, c;
 while ((c = getchar()) != EOF) putchar(c);
 for (int i = 1; i <= n; i++)
  for (int k = 0; k < 100; k++)
   if (k == 0) sum += i > 2 ? i + 1 : i;
 printf("%d\\n", sum);
 return n > 5 ? n : 0; }
"""


def explained(folder: Path, tests: list[dict[str, Any]], **knobs: Any) -> Explanation:
    """The explanation of the failing tests by the quick methods: which test is explained is what counts here."""
    path = folder / "t.json"
    path.write_text(json.dumps({"tests": tests}))
    return butfor.explain(written(folder, BODY), tests=path, methods=["slice", "cascade"], **knobs)


def case(name: str, n: int, wanted: int, **more: Any) -> dict[str, Any]:
    """A test with an argument and the sum that is expected."""
    return {"name": name, "args": [str(n)], "expect_stdout": f"{wanted}\n", **more}


def test_all_pass(tmp_path: Path) -> None:
    answer = explained(tmp_path, [case("one", 1, 1), case("two", 2, 3, expect_exit=0), {}])
    assert (answer.status, answer.failure, answer.ranking) == ("no-failure", None, ())
    assert answer.notes == ("none of the 3 tests failed",)
    assert answer.to_dict()["tests"] == [
        {"name": name, "passed": True, "failure": None} for name in ("one", "two", "test 3")
    ]


def test_the_shortest_failing_test_is_explained(tmp_path: Path) -> None:
    answer = explained(tmp_path, [case("long", 5, 15), case("good", 2, 3), case("short", 3, 6), case("middle", 4, 10)])
    assert answer.status == "explained"
    assert answer.run.args == ("3",)
    assert answer.notes[0] == "3 of 4 tests fail; the shortest failing run, test 'short', is explained"
    assert answer.failure is not None
    assert (answer.failure.kind, answer.failure.details["actual"], answer.failure.details["expected"]) == (
        "output",
        b"7",
        b"6",
    )
    table = answer.to_dict()["tests"]
    assert [(row["name"], row["passed"]) for row in table] == [
        ("long", False),
        ("good", True),
        ("short", False),
        ("middle", False),
    ]
    assert table[2]["failure"] == answer.failure.to_dict()
    assert table[0]["failure"]["details"]["actual"] == "18"
    assert source(BODY).line_of("i > 2") in {row.line for row in answer.ranking}


def test_exit_status_of_a_test(tmp_path: Path) -> None:
    answer = explained(
        tmp_path,
        [{"name": "wrong", "args": ["1"], "expect_exit": 4}, {"name": "right", "args": ["6"], "expect_exit": 6}],
    )
    assert [row["passed"] for row in answer.to_dict()["tests"]] == [False, True]
    assert answer.failure is not None
    assert answer.failure.message == "exit status 0, expected 4"


def test_a_status_is_only_looked_at_when_nothing_else_is_expected(tmp_path: Path) -> None:
    answer = explained(tmp_path, [{"name": "bare", "args": ["6"]}, case("output only", 6, 25)])
    assert [row["passed"] for row in answer.to_dict()["tests"]] == [False, True]


def test_input_of_a_test(tmp_path: Path) -> None:
    tests = [
        {"name": "echo", "stdin": "a\nb\n", "expect_stdout": "a\nb\n0\n"},
        {"name": "bytes", "stdin": "\udcff", "expect_stdout": "\udcff0\n"},
        {"name": "other", "stdin": "x", "expect_stdout": "y0\n"},
    ]
    answer = explained(tmp_path, tests)
    assert [row["passed"] for row in answer.to_dict()["tests"]] == [True, True, False]


def test_a_crash_in_a_test(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text(
        json.dumps({"tests": [{"name": "fine", "args": ["1"]}, {"name": "crash", "args": ["0"]}, {"name": "none"}]})
    )
    body = "int main(int argc, char **argv) {\n return argc < 2 || 8 / atoi(argv[1]) > 100; }\n"
    answer = butfor.explain(written(tmp_path, body), tests=path, methods=["slice"])
    table = answer.to_dict()["tests"]
    assert [row["failure"] and row["failure"]["kind"] for row in table] == [None, "division", "exit-status"]


@pytest.mark.parametrize(
    "knobs", [{"args": ["1"]}, {"stdin": b""}, {"expect_exit": 0}, {"expect_stdout": b""}], ids=lambda k: next(iter(k))
)
def test_tests_bring_their_own_run(knobs: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        explained(tmp_path, [{}], **knobs)
    assert caught.value.message == "tests bring their own arguments, input and expectations"


def test_by_command(tmp_path: Path) -> None:
    written(tmp_path, BODY)
    (tmp_path / "t.json").write_text(json.dumps({"tests": [case("good", 2, 3), case("bad", 3, 6)]}))
    words = ["explain", "prog.c", "--tests", "t.json", "--method", "slice"]
    done = butfor_command([*words, "--json"], tmp_path, stdin=b"this is not for the tests")
    assert (done.code, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    assert report["status"] == "explained"
    assert [row["name"] for row in report["tests"] if not row["passed"]] == ["bad"]
    text = butfor_command(words, tmp_path)
    assert "1 of 2 tests fail" in text.stdout
    (tmp_path / "t.json").write_text('{"tests": [{"argz": []}]}')
    assert butfor_command(words, tmp_path).code == 2


CALLS = source(
    """
int main(int argc, char **argv) {
    char text[32];
    int i;
    for (i = 0; argv[1][i]; i++)
        text[i] = (char)tolower((unsigned char)argv[1][i]);
    text[i] = 0;
    printf("%s\\n", text);
    return 0;
}
""",
    "#include <ctype.h>\n#include <stdio.h>\n",
)


def test_repairs_join_where_no_changed_run_mends_all_tests(tmp_path: Path) -> None:
    tests = [("ab", "AB\n"), ("Zoo", "ZOO\n"), ("42", "42\n"), ("", "\n")]
    rows = [{"name": word or "empty", "args": [word], "expect_stdout": out} for word, out in tests]
    path = tmp_path / "tests.json"
    path.write_text(json.dumps({"tests": rows}))
    answer = butfor.explain(written(tmp_path, CALLS), tests=path)
    (first, *_) = answer.methods["repair"]["repairs"]
    assert "toupper" in first["after"]
    assert (first["failing_fixed"], first["passing_kept"]) == (2, 2)
    assert answer.ranking[0].line == CALLS.line_of("tolower")


def test_a_changed_run_and_a_repair_that_mend_all_tests_are_one_row(tmp_path: Path) -> None:
    body = (
        "int main(int argc, char **argv) { int n = atoi(argv[1]), s = 0; for (int i = 1; i < n; i++) s += i; "
        'printf("%d\\n", s); return 0; }\n'
    )
    rows = [{"name": str(n), "args": [str(n)], "expect_stdout": f"{n * (n + 1) // 2}\n"} for n in (0, 3, 5)]
    path = tmp_path / "tests.json"
    path.write_text(json.dumps({"tests": rows}))
    answer = butfor.explain(written(tmp_path, body), tests=path)
    assert answer.ranking[0].text == "i < n"
    assert {"butfor", "repair"} <= {reason.method for reason in answer.ranking[0].reasons}
    assert "i <= n" in answer.methods["repair"]["repairs"][0]["after"]
