"""`butfor run`: a command runs as ever, and what fails in it is recorded."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from butfor.api import replay
from butfor.frontends.c.observed_runs.record_failures import ObservedCommand, ObserveOptions, observe
from butfor.options import Options
from tests.projects.building import BUTFOR, built_by_make, cc, run

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small project, built by make."""
    return built_by_make(tmp_path_factory.mktemp("projects")).parent


def observed(project: Path, out: Path, script: str, **options: bool) -> ObservedCommand:
    """What came of a script that runs in the project's folder."""
    command = ["sh", "-c", f"cd '{project}' && {script}"]
    return observe(command, ObserveOptions(folder=out, **options), lambda text: None)


@pytest.mark.parametrize("how", [{}, {"rerun_only": True}, {"always": True}])
def test_a_failing_start_is_recorded_and_others_are_not(project: Path, tmp_path: Path, how: dict[str, bool]) -> None:
    done = observed(project, tmp_path, "./ledger -1 5; echo text | ./ledger 4 4 4; exit 3", **how)
    assert (done.status, done.starts) == (3, 2)
    (failure,) = done.failures
    assert failure.start.args == ("./ledger", "4", "4", "4")
    assert failure.how == "was ended by SIGABRT"
    assert failure.recording is not None
    answer = replay(failure.recording, Options(sources=(failure.recording,), methods=("slice", "butfor"), check=True))
    assert (Path(answer.ranking[0].file).name, answer.ranking[0].line) == ("average.c", 6)
    assert answer.methods["check"]["mismatches"] == 0


def test_a_failure_that_does_not_come_again_is_reported_as_such(project: Path, tmp_path: Path) -> None:
    once = tmp_path / "once"
    script = f"if [ -e '{once}' ]; then set -- -1 5; else set -- 4 4 4; touch '{once}'; fi; ./ledger $*"
    (failure,) = observed(project, tmp_path, script).failures
    assert (failure.recording, failure.reason) == (None, "it was not started the second time")


def test_what_a_recorded_program_writes_goes_where_it_would_have_gone(project: Path, tmp_path: Path) -> None:
    (tmp_path / "prog.c").write_text('#include <stdio.h>\nint main(void) { puts("out"); return 7; }\n')
    assert cc(tmp_path, "prog.c", "-o", "prog").returncode == 0
    done = observed(tmp_path, tmp_path / "kept", "./prog > written; cat written written > twice", exit_status=True)
    assert (tmp_path / "twice").read_text() == "out\nout\n"
    (failure,) = done.failures
    assert failure.how == "ended with exit status 7"
    assert failure.recording is not None
    answer = replay(failure.recording, Options(sources=(failure.recording,)))
    assert answer.failure is not None
    assert answer.failure.kind == "exit-status"


def test_an_exit_status_is_no_failure_unless_asked_for(project: Path, tmp_path: Path) -> None:
    (tmp_path / "prog.c").write_text("int main(void) { return 7; }\n")
    assert cc(tmp_path, "prog.c", "-o", "prog").returncode == 0
    assert observed(tmp_path, tmp_path / "kept", "./prog").failures == ()


def test_a_program_with_limited_address_space_runs_plain(project: Path, tmp_path: Path) -> None:
    script = f"(ulimit -v 4000000; '{project}/ledger' 4 4 4)"
    (failure,) = observed(project, tmp_path, script).failures
    assert failure.recording is None
    assert "ulimit -v" in failure.reason


def test_the_command_line_says_how_each_failure_is_explained(project: Path, tmp_path: Path) -> None:
    done = run([*BUTFOR, "run", "-o", str(tmp_path / "kept"), "--", "make", "check", "CC=false"], project)
    assert done.returncode == 2
    assert "butfor: ./ledger 3 was ended by SIGABRT\n  butfor replay " in done.stdout
    assert done.stdout.endswith("butfor: 1 start of programs built with butfor cc, 1 failed\n")


def test_without_butfor_run_programs_start_as_ever(project: Path) -> None:
    environment = {"BUTFOR_RUN": str(project / "nobody-listens")}
    done = subprocess.run([project / "ledger", "-1", "5"], env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"0\n")


def test_starts_whose_end_cannot_be_seen_are_counted(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("butfor.frontends.c.observed_runs.observe_starts.watch_end", lambda pid: False)
    done = observed(project, tmp_path, "./ledger 4 4 4; true")
    assert (done.unseen, done.failures) == (done.starts, ())
    assert done.unseen >= 1
