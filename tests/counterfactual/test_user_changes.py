"""`butfor replay --with`: the run with changes that the user chose."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from butfor import api
from butfor.counterfactual.user_changes import ChangedRun
from butfor.errors import UsageError
from butfor.options import make_options
from butfor.report.changed_run_text import render
from tests.commands import butfor_command
from tests.small import saved, source, written

PROGRAM = """static int limit = 4;
int main(int argc, char **argv) {
 int a[5] = {1, 2, 3, 4, 5}, sum = 0;
 for (int i = 0; i < limit; i++) { // loop
  sum += a[i]; // add
  printf("%d\\n", sum); }
 if (argc > 1 && !strcmp(argv[1], "crash")) *(volatile int *)(long)(sum - 10) = 1; // crash
 if (argc > 1 && !strcmp(argv[1], "spin")) while (sum == 10) sum = sum + 0; // spin
 if (argc > 1 && !strcmp(argv[1], "status")) return sum == 10; // status
 assert(sum == 15);
 return 0; }
"""
RIGHT = b"1\n3\n6\n10\n15\n"


def at(part: str) -> int:
    """The number of the line with this text."""
    return source(PROGRAM).line_of(part)


def changed(folder: Path, *changes: str, **knobs: Any) -> ChangedRun:
    """The run of the program with these changes."""
    return api.changed(make_options(written(folder, PROGRAM), **knobs), changes)


def test_a_change_that_avoids_the_failure(tmp_path: Path) -> None:
    run = changed(tmp_path, f"prog.c:{at('// loop')} flip when equal")
    assert (run.avoids, run.changed, run.end, run.exit_status, run.signal) == (True, 1, "exit", 0, None)
    assert run.why == "there is no failure, and the same output up to the point of failure"
    assert (run.stdout, run.recorded_stdout) == (RIGHT, RIGHT[:-3])
    assert run.changes[0].text == "had `i < limit` been true whenever its sides are equal"
    assert run.changes[0].spelled.endswith(f"prog.c:{at('// loop')}:20 flip when equal")


def test_the_expected_output_is_produced(tmp_path: Path) -> None:
    line = at("// loop")
    run = changed(tmp_path, f"prog.c:{line} right side +1", args=["status"], expect_stdout=RIGHT, expect_exit=0)
    assert (run.avoids, run.why) == (True, "the expected output is produced exactly")
    wrong = changed(tmp_path, f"prog.c:{line} right side +2", args=["status"], expect_stdout=RIGHT)
    assert (wrong.avoids, wrong.why) == (False, "the changed run has a memory error")
    assert wrong.ending == f"was ended at a memory error: an access out of bounds at {tmp_path}/prog.c:{at('// add')}"
    longer = changed(
        tmp_path, f"prog.c:{line} right side +2", args=["status"], expect_stdout=RIGHT, memory_errors=False
    )
    assert (longer.avoids, longer.why) == (False, "its output goes on after the 12 bytes that are expected")
    shorter = changed(tmp_path, f"prog.c:{line} right side -1", args=["status"], expect_stdout=RIGHT)
    assert (shorter.avoids, shorter.changed) == (False, 1)
    assert shorter.why == "its output differs from the expected output after 6 bytes"


def test_what_was_written_before_may_differ(tmp_path: Path) -> None:
    run = changed(tmp_path, f"prog.c:{at('// add')}#2 add 5 at 2")
    assert (run.avoids, run.why) == (True, "there is no failure, and an output that differs after 2 bytes")


def test_the_point_of_failure_is_not_reached(tmp_path: Path) -> None:
    body = "int main(void) {\n int k = 3;\n if (k < 9)\n  assert(k == 4);\n return 0; }\n"
    run = api.changed(make_options(written(tmp_path, body)), ["11 always false"])
    assert (run.avoids, run.why.endswith("but that point is reached less often than before")) == (True, True)


def test_changes_apply_together(tmp_path: Path) -> None:
    line = at("// add")
    run = changed(tmp_path, f"prog.c:{line} add -1 at 4", f"prog.c:{at('// loop')} right side +1")
    assert (run.changed, run.end, run.stdout) == (2, "assertion", b"1\n3\n6\n9\n14\n")
    assert [c.text.endswith(", only at time number 4") for c in run.changes] == [True, False]
    with pytest.raises(UsageError, match="there is a change at this place already"):
        changed(tmp_path, f"prog.c:{line} set 1", f"prog.c:{line} set 2")


@pytest.mark.parametrize(
    ("knobs", "change", "end", "signal", "ending"),
    [
        ({}, "// loop|set 3", "assertion", None, "ended with a failed assertion: prog.c:"),
        ({"args": ["crash"]}, "// add|set 0", "signal", "SIGSEGV", "was ended by SIGSEGV"),
        (
            {"args": ["spin"], "time_limit": 0.1},
            "// spin|keep",
            "limit",
            None,
            "was stopped at a limit of time or size",
        ),
        ({"args": ["status"]}, "// status#3|flip when equal", "exit", None, "ended with exit status 0"),
    ],
    ids=["assertion", "crash", "spin", "status"],
)
def test_ends(knobs: dict[str, Any], change: str, end: str, signal: str | None, ending: str, tmp_path: Path) -> None:
    (mark, number), what = change.partition("|")[0].partition("#")[::2], change.partition("|")[2]
    run = changed(tmp_path, f"prog.c:{at(mark)}#{number or 1} {what}", **knobs)
    assert (run.end, run.signal) == (end, signal)
    assert run.ending.startswith(ending)
    assert run.avoids == (end == "exit")


def test_a_run_without_a_failure(tmp_path: Path) -> None:
    run = changed(tmp_path, f"prog.c:{at('// loop')} always false", args=["status"], expect_exit=1)
    assert (run.avoids, run.why, run.stdout) == (False, "the recorded run did not fail", b"")


def test_memory_errors_are_judged(tmp_path: Path) -> None:
    path = written(tmp_path, "int main(void) {\n int *p = malloc(4);\n p[1] = 3; // write\n free(p);\n return 0; }\n")
    longer = api.changed(make_options(path), ["prog.c:10 set 8"])
    assert (longer.avoids, longer.why) == (True, "there is no failure, and the same output up to the point of failure")
    twice = api.changed(make_options(path), ["prog.c:10 set 5"])
    assert (twice.avoids, twice.end, twice.why) == (False, "memory", "the changed run has a memory error")


@pytest.mark.parametrize(
    ("change", "avoids"),
    [("only left", True), ("right side -1", True), ("right side +1", False), ("set 7", True)],
)
def test_a_changed_operation_is_judged_by_what_it_then_computes(change: str, avoids: bool, tmp_path: Path) -> None:
    body = "int main(int argc, char **argv) { int x = atoi(argv[1]);\nint y = x + 1; return y == 3; }"
    options = make_options(written(tmp_path, body), args=["2147483647"], arithmetic_errors=True)
    line = source(body).line_of("x + 1")
    run = api.changed(options, [f"prog.c:{line}:11 {change}"])
    assert (run.avoids, run.end) == ((True, "exit") if avoids else (False, "memory"))


def test_the_text_is_inert_and_short() -> None:
    old = b"".join(b"%d \x1b[31mred\n" % k for k in range(500))
    run = ChangedRun((), False, "why", 0, "exit", 0, None, "", old[:300] + b"\x07\xff" + old[400:] + b"end", old, True)
    text = render(run, width=60)
    assert "\x1b" not in text
    assert "\\x1b[31mred" in text
    assert "\\x07\\xff" in text
    assert len(text.splitlines()) < 60
    assert all(len(line) <= 60 for line in text.splitlines())
    assert text.endswith("the failure is not avoided: why\n")
    colored = render(run, color=True, width=60)
    assert "\x1b[1;31m-" in colored


def test_by_command(tmp_path: Path) -> None:
    saved(tmp_path, PROGRAM)
    (tmp_path / "prog.c").unlink()
    change = f"prog.c:{at('// loop')} flip when equal"
    done = butfor_command(["replay", "run.bfr", "--with", change], tmp_path)
    assert (done.code, done.stderr) == (0, "")
    assert "+15" in done.stdout.splitlines()
    assert done.stdout.endswith(
        "the failure is avoided: there is no failure, and the same output up to the point of failure\n"
    )
    as_json = butfor_command(["replay", "run.bfr", "--json", "--with", change], tmp_path)
    report = json.loads(as_json.stdout)
    assert {k: report[k] for k in ("avoids", "changed", "exit_status", "signal", "end")} == {
        "avoids": True,
        "changed": 1,
        "exit_status": 0,
        "signal": None,
        "end": "exit",
    }
    assert report["changes"] == [
        {"with": f"{tmp_path}/prog.c:{at('// loop')}:20 flip when equal", "text": report["changes"][0]["text"]}
    ]
    assert (report["stdout"], report["recorded_stdout"]) == ("1\n3\n6\n10\n15\n", "1\n3\n6\n10\n")
    wrong = butfor_command(["replay", "run.bfr", "--with", "prog.c:1 flip"], tmp_path)
    assert (wrong.code, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith("butfor: error: nothing can be changed at prog.c:1\n")
    other = butfor_command(["replay", "run.bfr", "--with", change, "--", "x"], tmp_path)
    assert (other.code, other.stdout) == (2, "")
    assert "a recording brings its own program, arguments and input" in other.stderr


def test_sources_by_command(tmp_path: Path) -> None:
    written(tmp_path, PROGRAM)
    done = butfor_command(
        ["replay", "prog.c", "--with", f"{at('// status')} always false", "--expect-exit", "0", "--", "status"],
        tmp_path,
    )
    assert done.code == 0
    assert "ended with a failed assertion: prog.c:" in done.stdout
    explained = butfor_command(["replay", "prog.c", "--method", "slice"], tmp_path)
    assert (explained.code, explained.stdout.splitlines()[0]) == (
        0,
        f"prog.c:{at('assert(sum')}:2: assertion failed: sum == 15",
    )


def test_the_changed_run_writes_no_files(tmp_path: Path) -> None:
    body = (
        "int main(void) {\n"
        ' FILE *f = fopen("out", "w");\n'
        ' fputs("x", f), fclose(f);\n'
        " int k = 3;\n"
        " assert(k == 4);\n"
        " return 0; }\n"
    )
    path = written(tmp_path, body)
    done = butfor_command(["record", path.name, "-o", "run.bfr"], tmp_path)
    assert done.code == 0
    (tmp_path / "out").unlink()
    assert (
        butfor_command(["replay", "run.bfr", "--with", "prog.c:12 set 4"], tmp_path)
        .stdout.splitlines()[-1]
        .startswith("the failure is avoided")
    )
    assert sorted(p.name for p in tmp_path.iterdir()) == ["prog.c", "run.bfr"]
