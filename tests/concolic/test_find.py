"""`butfor find`: what it prints, saves and refuses."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import butfor
from butfor.errors import UsageError
from butfor.explanation import FailureKind, Status
from butfor.find import FindOptions, find
from butfor.options import make_options
from tests.commands import butfor_command
from tests.small import written

LOCK = """int main(void) {
 char line[64];
 if (!fgets(line, sizeof line, stdin)) return 1;
 line[strcspn(line, "\\n")] = 0;
 assert(strcmp(line, "sesame") != 0);
 return 1; }
"""
TWO = """int main(int argc, char **argv) {
 int table[4] = {0};
 if (argc < 2) return 1;
 int n = atoi(argv[1]);
 if (n == 1234) abort();
 if (n > 100) return 0;
 if (n < 0) return 0;
 return table[n]; }
"""
SAFE = """extern int __VERIFIER_nondet_int(void);
int main(void) { int x = __VERIFIER_nondet_int(), y = x > 9 ? 9 : x; assert(y <= 9); return 0; }
"""
ENDLESS = (
    """int main(void) { int c, n = 0; while ((c = getchar()) != EOF) if (c == 'x') for (;;) n++; return n > 1000; }"""
)
HARD = """int main(void) {
 unsigned h = 2166136261u; int c, n = 0;
 while ((c = getchar()) != EOF && n < 40) { h = (h ^ (unsigned)c) * 16777619u; h ^= h >> 13; n++; }
 assert(n < 12 || h != 0x12345678u || (h ^ n) * 2654435761u != 7u);
 return 0; }
"""
WRITES = """int main(int argc, char **argv) {
 if (argc < 2) return 0;
 FILE *f = fopen("made-by-the-program", "w");
 if (f) fclose(f);
 assert(argv[1][0] != 'Q');
 return 0; }
"""


def test_the_first_failure_is_explained_and_saved_tests_reproduce(tmp_path: Path) -> None:
    program, tests = written(tmp_path, LOCK), tmp_path / "t.json"
    done = butfor_command(["find", "prog.c", "--save", "t.json", "--format", "json", "--method", "slice"], tmp_path)
    assert done.code == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["status"] == "explained"
    assert report["failure"]["kind"] == "assertion"
    assert report["ranking"]
    assert report["found"][0]["failure"] == report["failure"]
    assert report["found"][0]["runs"][0]["stdin"] == "sesame"
    again = butfor.explain(program, tests=tests, methods=["slice"])
    assert again.failure is not None
    assert again.failure.line == report["failure"]["line"]
    assert not any(row["passed"] for row in again.extra["tests"])


def test_several_failures_are_found_and_saved(tmp_path: Path) -> None:
    tests = tmp_path / "t.json"
    answer = find(
        make_options(written(tmp_path, TWO), methods=["slice"], budget=60), FindOptions(failures=2, save=tests)
    )
    kinds = {row["failure"]["kind"] for row in answer.extra["found"]}
    assert kinds == {FailureKind.ASSERTION, FailureKind.MEMORY}
    assert len(json.loads(tests.read_text())["tests"]) == sum(len(row["runs"]) for row in answer.extra["found"])


def test_inputs_are_made_small(tmp_path: Path) -> None:
    answer = find(make_options(written(tmp_path, TWO), methods=["slice"], budget=60), FindOptions(failures=2))
    runs = {row["failure"]["kind"]: row["runs"][0] for row in answer.extra["found"]}
    assert runs[FailureKind.ASSERTION]["args"] == ["1234"]
    assert runs[FailureKind.MEMORY]["args"] == ["4"]


def test_the_given_input_is_the_start(tmp_path: Path) -> None:
    answer = find(make_options(written(tmp_path, LOCK), stdin="sesame\n", methods=["slice"]), FindOptions(failures=1))
    assert answer.failure is not None
    assert answer.extra["search"]["runs"] == 1


def test_no_failure_says_what_was_tried(tmp_path: Path) -> None:
    answer = find(make_options(written(tmp_path, SAFE)), FindOptions())
    assert answer.status is Status.NO_FAILURE
    assert answer.extra["search"]["all_paths"]
    assert answer.extra["search"]["inputs"] == ["nondet"]
    assert "all paths explored" in answer.notes
    assert any("branches covered" in note for note in answer.notes)


def test_the_budget_ends_the_search(tmp_path: Path) -> None:
    answer = find(make_options(written(tmp_path, HARD), budget=0.5), FindOptions())
    assert answer.status is Status.NO_FAILURE
    assert not answer.extra["search"]["all_paths"]
    assert any("budget of 0.5 s" in note for note in answer.notes)


def test_a_run_without_end_counts_only_with_a_limit(tmp_path: Path) -> None:
    program = written(tmp_path, ENDLESS)
    answer = find(make_options(program, step_limit=20_000, methods=["slice"], budget=60), FindOptions(failures=1))
    assert answer.failure is not None
    assert answer.failure.kind is FailureKind.NO_END
    unlimited = find(make_options(program, budget=0.5), FindOptions(failures=1))
    assert unlimited.status is Status.NO_FAILURE


def test_files_of_the_user_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    answer = find(make_options(written(tmp_path, WRITES), budget=10), FindOptions())
    assert not (tmp_path / "made-by-the-program").exists()
    assert answer.extra["search"]["refused"] > 0
    assert any("--unguarded" in note for note in answer.notes)
    asked = find(make_options(tmp_path / "prog.c", methods=["slice"]), FindOptions(failures=1, is_guarded=False))
    assert asked.failure is not None


def test_ctrl_c_keeps_what_was_found(tmp_path: Path) -> None:
    program, tests = written(tmp_path, HARD.replace("n++; }", "n++; if (c == '!') abort(); }")), tmp_path / "t.json"

    def say(text: str) -> None:
        if "failures" in text:
            raise KeyboardInterrupt

    answer = find(make_options(program, methods=["slice"], budget=120), FindOptions(failures=40, save=tests), say)
    assert answer.extra["search"]["interrupted"]
    assert answer.failure is not None
    assert answer.extra["found"]
    assert json.loads(tests.read_text())["tests"]


def test_the_exit_status_says_interrupted(tmp_path: Path) -> None:
    program = written(tmp_path, HARD)
    command = [sys.executable, "-m", "butfor", "find", str(program), "--budget", "300", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    cache = Path("/proc") / str(process.pid) / "maps"
    while process.poll() is None and "libz3" not in cache.read_text():
        time.sleep(0.05)  # the search has begun when the solver is there
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, err.decode()
    assert json.loads(out)["search"]["interrupted"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--failures", "0"], "failures"),
        (["--save", "no/such/folder/t.json"], "no such directory"),
        (["--nondet", "1", "--witness", "prog.c"], "witness"),
        (["--budget", "-1"], "budget"),
    ],
)
def test_wrong_options_are_refused(tmp_path: Path, words: list[str], said: str) -> None:
    program = written(tmp_path, SAFE)
    done = butfor_command(["find", program.name, *words], tmp_path)
    assert done.code == 2
    assert said in done.stderr


def test_that_all_checks_are_proved_is_said_and_little_is_searched(tmp_path: Path) -> None:
    answer = find(make_options(written(tmp_path, SAFE), budget=10), FindOptions())
    checks = answer.extra["search"]["checks"]
    assert answer.status is Status.NO_FAILURE
    assert checks["open"] == 0
    assert checks["proved"] > 0
    assert any("hold in every run" in note and note.startswith("all ") for note in answer.notes)
    assert answer.extra["search"]["solved"] <= 2  # both sides of `x > 9`, not the assertion


def test_checks_that_are_open_are_still_searched(tmp_path: Path) -> None:
    body = """extern int __VERIFIER_nondet_int(void);
int main(void) {
 int t[4] = {1, 2, 3, 4}, x = __VERIFIER_nondet_int(), y = t[x & 3];
 assert(y + x != 77); return 0; }
"""
    answer = find(make_options(written(tmp_path, body), budget=10), FindOptions())
    assert answer.failure is not None
    assert answer.failure.kind is FailureKind.ASSERTION
    assert answer.extra["search"]["checks"]["proved"] > 0


def test_an_index_outside_of_a_member_is_found(tmp_path: Path) -> None:
    body = """extern int __VERIFIER_nondet_int(void);
struct { int a[4], b[4]; } s;
int main(void) { int n = __VERIFIER_nondet_int(); if (n >= 0 && n < 6) s.a[n] = 1; return s.b[0] > 1; }
"""
    answer = find(make_options(written(tmp_path, body), budget=10), FindOptions())
    assert answer.failure is not None
    assert answer.failure.details["memory"] == "out-of-member"


@pytest.mark.parametrize("operation", ["n + n", "n * 3", "1 << (n & 63)"])
def test_arithmetic_that_is_undefined_is_found_on_demand(operation: str, tmp_path: Path) -> None:
    body = f"""extern int __VERIFIER_nondet_int(void);
int main(void) {{ int n = __VERIFIER_nondet_int(); if (n < 5) return 0; return ({operation}) == 7; }}
"""
    program = written(tmp_path, body)
    answer = find(make_options(program, budget=10, arithmetic_errors=True), FindOptions())
    assert answer.failure is not None
    assert answer.failure.kind is FailureKind.ARITHMETIC


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("int main")
    assert butfor_command(["find", "x.txt"], tmp_path).code == 2
    with pytest.raises(UsageError):
        find(make_options(tmp_path / "missing.c"), FindOptions())
