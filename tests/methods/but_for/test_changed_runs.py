"""Counterfactual re-execution: a change at the faulty statement avoids the failure, and the answer says which."""

from __future__ import annotations

import json
import resource
from pathlib import Path
from typing import Any

import pytest

import butfor
from butfor.counterfactual import rerun
from butfor.counterfactual.fork_server import RunLimits
from butfor.errors import ToolMissing
from butfor.explanation import Evidence, Explanation
from butfor.frontends.c import hooked_build
from tests.small import saved, source, written

BOUNDARY = source(
    """
int main(int argc, char **argv) {
    int n = atoi(argv[1]), sum = 0;
    for (int i = 1; i < n; i++)
        sum += i;
    printf("%d\\n", sum);
    return 0;
}
"""
)


def explained(folder: Path, program: Any, **knobs: Any) -> Explanation:
    """The explanation by re-execution alone."""
    return butfor.explain(written(folder, program), methods=["butfor"], **knobs)


def test_a_relational_flip_is_the_first_row(tmp_path: Path) -> None:
    answer = explained(tmp_path, BOUNDARY, args=["5"], expect_stdout="15\n")
    first = answer.ranking[0]
    assert (first.line, first.text, first.evidence) == (BOUNDARY.line_of("i < n"), "i < n", Evidence.REPLAYED)
    assert "had `i < n` been written with `<=` instead of `<`" in first.reasons[0].text
    assert "`<=` instead of `<`" in first.reasons[0].text
    assert "the output would have been right" in first.reasons[0].text
    assert first.extra["counterfactual"]["with"].endswith("flip when equal")


@pytest.mark.parametrize(
    ("body", "wrong", "expected"),
    [
        ("int a = 7, b = 3; int d = a + b;", "int d = a + b;", "4\n"),  # operator
        (
            "int a = 7, b = 3; int d = a; d = d + 0 * b; d = a * 1; if (d == 7) d = b;",
            "if (d == 7) d = b;",
            "7\n",
        ),  # condition
        ("int small = 3, large = 90; int d = small;", "int d = small;", "90\n"),  # variable
        ("int a = 7; int d = a * 3;", "int d = a * 3;", "28\n"),  # constant
        ("int d = 4; d = abs(d); d = 9;", "d = 9;", "4\n"),  # statement too many
        ("int a = 7, b = 35; int d = a * 3;", "int d = a * 3;", "56\n"),  # a term is missing
    ],
)
def test_kinds_of_edits(tmp_path: Path, body: str, wrong: str, expected: str) -> None:
    text = source(
        "int main(void) {\n    " + body.replace("; ", ";\n    ") + '\n    printf("%d\\n", d);\n    return 0;\n}\n'
    )
    answer = explained(tmp_path, text, expect_stdout=expected)
    line = text.line_of(wrong.split(";")[0])
    assert line in {row.line for row in answer.ranking[:3]}
    assert all(row.evidence is Evidence.REPLAYED for row in answer.ranking)


def test_a_wrong_element_of_a_table(tmp_path: Path) -> None:
    program = source(
        """
static const int length[] = {31, 28, 31, 31, 31};
int main(void) {
    int days = 0;
    for (int m = 0; m < 4; m++)
        days += length[m];
    printf("%d\\n", days);
    return 0;
}
"""
    )
    answer = explained(tmp_path, program, expect_stdout="120\n")
    assert program.line_of("length[] =") in {row.line for row in answer.ranking}
    assert any("initial value" in row.reasons[0].text for row in answer.ranking)


def test_an_assertion_must_be_passed_not_avoided(tmp_path: Path) -> None:
    program = source(
        """
static int half(int n) { return n / 3; }
int main(void) {
    int n = 8;
    if (n > 100)
        return 0;
    int h = half(n);
    assert(h == 4);
    return 0;
}
"""
    )
    answer = explained(tmp_path, program)
    ways = {row.line: row.extra["counterfactual"]["passes"] for row in answer.ranking}
    assert ways[program.line_of("n / 3")]
    assert not ways.get(program.line_of("n > 100"), False)
    assert answer.ranking[0].line == program.line_of("n / 3")
    assert program.line_of("assert(h") not in ways, "the check itself is not what is changed"


def test_a_run_that_differs_each_time_is_not_explained(tmp_path: Path) -> None:
    program = source('int main(void) { printf("%d\\n", (int)getpid()); return 0; }\n')
    answer = explained(tmp_path, program, expect_stdout="0\n")
    assert "not repeatable" in answer.methods["butfor"]["skipped"]


def test_a_run_that_cannot_be_repeated_in_time_is_not_called_unrepeatable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = (
        "int main(int argc, char **argv) {\n long n = 0;\n while (n < 3000000) n++;\n assert(n == 1);\n return 0; }\n"
    )
    monkeypatch.setattr(rerun, "limits_without_change", lambda recorded, left: RunLimits(1))
    answer = explained(tmp_path, body)
    assert "longer than there was time for" in answer.methods["butfor"]["skipped"]
    assert not answer.methods["butfor"]["complete"]


def test_the_unchanged_run_has_as_much_time_as_it_takes_on_a_busy_machine() -> None:
    assert rerun.limits_without_change(1.0, 400.0).milliseconds >= 20_000
    assert rerun.limits_without_change(1.0, 8.0).milliseconds == 2_000
    assert rerun.limits_without_change(0.0, 0.0).milliseconds == RunLimits().milliseconds


def test_other_tests_are_counted(tmp_path: Path) -> None:
    tests = [
        {"name": "five", "args": ["5"], "expect_stdout": "15\n"},
        {"name": "three", "args": ["3"], "expect_stdout": "6\n"},
        {"name": "zero", "args": ["0"], "expect_stdout": "0\n"},
    ]
    (tmp_path / "tests.json").write_text(json.dumps({"tests": tests}))
    answer = butfor.explain(written(tmp_path, BOUNDARY), tests=tmp_path / "tests.json", methods=["butfor", "spectrum"])
    row = answer.ranking[0]
    assert row.line == BOUNDARY.line_of("i < n")
    text = next(r.text for r in row.reasons if r.method == "butfor")
    assert "avoids 1 of 1 other failures, breaks 0 of 1 passing tests" in text
    assert any(r.method == "spectrum" for r in row.reasons)


def test_endless_loops_and_crashes_among_the_changed_runs_do_no_harm(tmp_path: Path) -> None:
    program = source(
        """
int main(void) {
    int a[4] = {4, 3, 2, 1}, *p = a, sum = 0;
    for (int i = 0; i != 3; i++)
        sum += *p++;
    printf("%d\\n", sum);
    return 0;
}
"""
    )
    answer = explained(tmp_path, program, expect_stdout="10\n")
    assert program.line_of("i != 3") in {row.line for row in answer.ranking[:3]}


def test_a_program_that_cannot_be_run_again_is_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise ToolMissing("there is no compiler")

    monkeypatch.setattr("butfor.counterfactual.rerun.build_hooked", refuse)
    answer = butfor.explain(written(tmp_path, BOUNDARY), args=["5"], expect_stdout="15\n")
    assert answer.ranking, "the other methods have gone on"
    assert any("could not be run again with changes: there is no compiler" in note for note in answer.notes)


def test_few_file_descriptors_are_no_error(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
    try:
        answer = butfor.explain(written(tmp_path, BOUNDARY), args=["5"], expect_stdout="15\n")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert answer.ranking
    assert any("could not be run again" in note for note in answer.notes)


def test_a_program_on_one_line_has_more_than_its_check(tmp_path: Path) -> None:
    program = source("int main(void) { int x = 3; int y = x + 1; assert(y == 2); return 0; }\n")
    answer = explained(tmp_path, program)
    assert {"int x = 3;", "int y = x + 1;"} & {row.text for row in answer.ranking}


def test_a_recording_is_not_run_unless_that_is_asked_for(tmp_path: Path) -> None:
    path = saved(tmp_path, BOUNDARY, args=["5"], expect_stdout="15\n")
    answer = butfor.explain(path)
    assert "butfor" not in answer.methods
    assert any("was not run again" in note for note in answer.notes)
    assert butfor.explain(path, methods=["butfor"]).ranking[0].line == BOUNDARY.line_of("i < n")


def test_overriding_what_is_printed_says_little(tmp_path: Path) -> None:
    text = source(
        """
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    int code = 7;
    if (n > 4)
        code = 3;
    printf("%d\\n", code);
    return 0;
}
"""
    )
    answer = explained(tmp_path, text, args=["4"], expect_stdout="3\n")
    assert answer.ranking[0].text == "n > 4"
    (direct,) = [row for row in answer.ranking if row.text == "int code = 7;"]
    assert direct.extra["counterfactual"]["direct"]


def test_a_single_occurrence_is_tried_when_little_else_helps(tmp_path: Path) -> None:
    text = source(
        """
int main(void) {
    int letter, seen = 0;
    while ((letter = getchar()) != EOF)
        if (letter != ' ')
            seen = seen * 10 + letter - 'a' + 1;
    printf("%d\\n", seen);
    return 0;
}
"""
    )
    answer = explained(tmp_path, text, stdin=b"abcde", expect_stdout="1245\n")
    changes = [c for s in answer.methods["butfor"]["confirmed"] for c in s["changes"] if c["family"] == "once"]
    assert any(c["with"].endswith("flip at 3") for c in changes)
    assert any("gone the other way the 3rd time" in c["text"] for c in changes)


def test_a_run_that_does_not_end_and_prints_is_changed_too(tmp_path: Path) -> None:
    text = source(
        """
int main(void) {
    int left = 3;
    while (left > 0) {
        printf("%d\\n", left);
        left = left + 1 - 1;
    }
    return 0;
}
"""
    )
    answer = explained(tmp_path, text, expect_stdout="3\n2\n1\n", time_limit=0.5)
    assert answer.failure is not None
    assert answer.failure.kind == "no-end"
    assert answer.ranking[0].line == text.line_of("left + 1 - 1")


def test_other_tests_judge_the_operator_not_the_relation_that_one_run_met(tmp_path: Path) -> None:
    text = source(
        "int main(int argc, char **argv) {\n    int a = atoi(argv[1]);\n"
        '    if (a != 5)\n        puts("five");\n    return 0;\n}\n'
    )
    tests = tmp_path / "tests.json"
    rows = [{"args": [str(n)], "expect_stdout": "five\n" if n == 5 else ""} for n in (3, 9, 5, 77)]
    tests.write_text(json.dumps({"tests": rows}))
    answer = explained(tmp_path, text, tests=tests)
    assert answer.ranking[0].line == text.line_of("a != 5")
    assert (
        "been decided by `==`, the output would have been right; avoids 3 of 3 other failures"
        in answer.ranking[0].reasons[0].text
    )


def test_changes_that_there_was_no_time_to_check_for_memory_errors_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hooked_build, "CHECKED_SITES_PER_SECOND", 1e-9)
    answer = explained(tmp_path, BOUNDARY, args=["6"], expect_stdout="21\n")
    assert "there was no time to check that" in answer.ranking[0].reasons[0].text
    assert answer.ranking[0].extra["counterfactual"]["checked"] is False
    reasons = [r for row in answer.ranking for r in row.reasons if r.method == "butfor"]
    assert reasons
    assert all(r.evidence is Evidence.HEURISTIC for r in reasons)
    assert any("to check for memory errors takes longer than was left" in note for note in answer.notes)


def test_a_change_after_which_the_program_refuses_its_input_got_past_the_crash(tmp_path: Path) -> None:
    program = source(
        """
static const char *value_of(int words, char **argv) {
    if (words > 3)
        return argv[2];
    return NULL;
}
int main(int argc, char **argv) {
    const char *mode = value_of(argc, argv);
    int digit = *mode - '0';
    printf("%d\\n", digit);
    exit(digit > 7 ? 3 : 4);
}
"""
    )
    answer = explained(tmp_path, program, args=["install", "8"])
    row = next(row for row in answer.ranking if row.line == program.line_of("words > 3"))
    assert row.reasons[0].text.endswith("the run would have ended with exit status 3 instead")
    assert row.extra["counterfactual"]["past"]
    expected = explained(tmp_path, program, args=["install", "8"], expect_exit=0)
    assert not expected.ranking, "another status than the expected one is no way out"
