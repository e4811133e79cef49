"""Which report goes where, and what the exit status says to a build."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from butfor.explanation import Explanation, Interrupted, RunInfo, Status
from butfor.report.formats import FORMATS, REPAIR_FORMATS
from tests.cli.helpers import FakeApi, run
from tests.report.pages import whole
from tests.report.sample import explanation


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "text"])
def test_every_format_on_stdout(fake: FakeApi, name: str) -> None:
    fake.answer = whole()
    assert run("explain", "prog.c", "--format", name).stdout_bytes.decode() == FORMATS[name].render(fake.answer)
    assert fake.asked[-1].story == FORMATS[name].needs_story


def test_the_formats_that_show_the_run_step_by_step_ask_for_it() -> None:
    assert {name for name, row in FORMATS.items() if row.needs_story} == {"html", "sarif", "gdb"}


@pytest.mark.parametrize("command", ["explain", "find", "replay", "repair"])
def test_the_help_lists_all_formats(command: str) -> None:
    offered = REPAIR_FORMATS if command == "repair" else FORMATS
    assert f"[{'|'.join(offered)}]" in "".join(run(command, "--help").stdout.split())


def test_the_suffix_says_the_format(fake: FakeApi, folder: Path) -> None:
    result = run("explain", "prog.c", "-o", "r.html", "-o", "r.sarif", "-o", "r.md", "-o", "r.log")
    assert result.stdout == ""
    assert (folder / "r.html").read_text("utf-8").startswith("<!DOCTYPE html>")
    assert json.loads((folder / "r.sarif").read_text("utf-8"))["version"] == "2.1.0"
    assert (folder / "r.md").read_text("utf-8").startswith("### ")
    assert (folder / "r.log").read_text("utf-8").startswith("prog.c:8:5: assertion failed")
    assert fake.asked[-1].story


def test_the_suffix_wins_over_the_format_which_is_for_stdout(fake: FakeApi, folder: Path) -> None:
    result = run("explain", "prog.c", "--format", "text", "-o", "r.html")
    assert result.stdout == run("explain", "prog.c").stdout
    assert (folder / "r.html").read_text("utf-8").startswith("<!DOCTYPE html>")
    result = run("replay", "prog.c", "--json", "-o", "r.HTM")
    assert json.loads(result.stdout)["status"] == "explained"
    assert (folder / "r.HTM").read_text("utf-8").startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("name", ["report", "report.log"])
def test_the_format_is_for_a_file_without_a_known_suffix(fake: FakeApi, folder: Path, name: str) -> None:
    result = run("explain", "prog.c", "--format", "json", "-o", name)
    assert result.stdout == ""
    assert json.loads((folder / name).read_text("utf-8"))["status"] == "explained"


def test_a_format_that_a_file_has_is_not_repeated_on_stdout(fake: FakeApi, folder: Path) -> None:
    result = run("explain", "prog.c", "--format", "json", "--format", "html", "-o", "r.html", "-o", "r")
    assert result.stdout == ""
    assert json.loads((folder / "r").read_text("utf-8"))["status"] == "explained"
    assert (folder / "r.html").read_text("utf-8").startswith("<!DOCTYPE html>")


def test_text_to_read_and_a_page_to_keep(fake: FakeApi, folder: Path) -> None:
    result = run("explain", "prog.c", "--format", "text", "-o", "r.html", "-o", "r.json")
    assert result.stdout.startswith("prog.c:8:5: assertion failed")
    assert json.loads((folder / "r.json").read_text("utf-8"))["status"] == "explained"
    assert (folder / "r.html").exists()


def test_formats_without_files_go_to_stdout_one_at_most(fake: FakeApi, folder: Path) -> None:
    result = run("explain", "prog.c", "--format", "text", "--json")
    assert result.exit_code == 2
    assert "only one report can go to stdout, not text and json" in result.stderr
    assert run("explain", "prog.c", "--format", "html", "-o", "a", "-o", "b").exit_code == 2
    assert not (folder / "a").exists()
    assert fake.asked == []


def test_files_are_checked_before_the_work(fake: FakeApi) -> None:
    assert run("explain", "prog.c", "-o", "r.html", "-o", "missing/r.json").exit_code == 2
    assert fake.asked == []


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (explanation(), 1),
        (Explanation(status=Status.NO_FAILURE, run=RunInfo(exit_status=0)), 0),
        (explanation(status=Status.PARTIAL), 4),
    ],
)
def test_fail_on_cause(fake: FakeApi, answer: Explanation, status: int) -> None:
    fake.answer = answer
    assert run("explain", "prog.c", "--fail-on-cause").exit_code == status
    assert run("explain", "prog.c").exit_code == (0 if status == 1 else status)


def test_what_is_known_when_interrupted(fake: FakeApi) -> None:
    fake.error = Interrupted(
        explanation(status=Status.PARTIAL, notes=("interrupted in the method butfor: this is what was known by then",))
    )
    result = run("explain", "prog.c")
    assert result.exit_code == 130
    assert "x = x - 2;" in result.stdout
    assert result.stderr == "butfor: interrupted; the report holds what was known by then\n"


def test_a_changed_run_is_no_page(fake: FakeApi) -> None:
    result = run("replay", "prog.c", "--with", "prog.c:7 flip", "--format", "html")
    assert result.exit_code == 2
    assert "a changed run is shown as text or JSON, not as html" in result.stderr


def test_a_changed_run_goes_to_files_by_their_suffix(fake: FakeApi, folder: Path) -> None:
    result = run("replay", "prog.c", "--with", "prog.c:7 flip", "--format", "text", "-o", "r.json")
    assert "the changed run" in result.stdout
    assert json.loads((folder / "r.json").read_text("utf-8"))["avoids"]
