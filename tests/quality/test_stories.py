"""The stories of failures: what they must mention and what they must not say, without pinning their words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from butfor import explain
from butfor.api import recorded
from butfor.failures.find_failure import reported_failure, verdict_on
from butfor.options import Options, make_options
from butfor.origin_ladder import RungKind
from butfor.origins.failure_ladder import failure_ladder
from butfor.report.ladder_text import ladder_lines
from butfor.report.text_page import make_page
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.view.source_places import Places
from tests.quality.quality_programs import PROGRAMS, Expectation, expectation

_NEVER_SAID = (
    r"\bNone\b",
    r"\bnan\b",
    r"heap block",
    r"0x[0-9a-f]{6,}",
    r"llvm\.",
    r"%\w+ =",
    r"``",
    r" with $",
    r"\?\?",
)
EXAMPLES = Path(__file__).parents[2] / "examples"
_MAX_RUNGS = 9


def _options(wanted: Expectation) -> Options:
    knobs = {
        "expect_stdout": wanted.expect,
        "expect_exit": wanted.exit,
        "step_limit": wanted.steps,
    }
    given = {name: value for name, value in knobs.items() if value is not None}
    return make_options(str(wanted.path), args=wanted.args, stdin=wanted.stdin, **given)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_story_says_what_a_colleague_would_say(path: Path) -> None:
    wanted = expectation(path)
    options = _options(wanted)
    recording = recorded(options).with_expectations(options.expect_stdout, options.expect_exit)
    places, dependence = Places(recording), Dependence(recording.trace)
    failure = verdict_on(recording, places, dependence, options).failure
    assert failure is not None
    assert reported_failure(failure, places).function == wanted.at
    ladder = failure_ladder(places, dependence, failure)
    assert ladder is not None
    assert ladder.rungs[0].kind is RungKind.FAILURE
    assert len(ladder.rungs) <= _MAX_RUNGS
    assert all(rung.line > 0 for rung in ladder.rungs), "every rung is at a place of the source"
    text = " ".join(" ".join(ladder_lines(make_page(1000, False, "utf-8"), ladder)).split())
    missing = [pattern for pattern in wanted.says if not re.search(pattern, text)]
    assert not missing, f"not said: {missing} in: {text}"
    said = [pattern for pattern in (*wanted.says_not, *_NEVER_SAID) if re.search(pattern, text)]
    assert not said, f"said: {said} in: {text}"


def test_there_are_thirty_programs_with_something_to_say() -> None:
    stated = [expectation(path) for path in PROGRAMS]
    assert len(stated) >= 30
    assert all(wanted.at and wanted.says for wanted in stated)


_ABSURD = (
    r"member \d+ of its struct",
    r"address of `\w+` been passed",
    r"been changed by",
    r"had `return .*;` been",
    r"had `arg[cv]\b",
    r"`[^`<>=]*` been \w+ whenever",
    r"time number",
    r"had `free` not been called",
)


@pytest.mark.parametrize(
    ("path", "args"),
    [(EXAMPLES / "queue.c", ["2", "10", "20"]), (PROGRAMS[0].parent / "stack_assert.c", ["3", "n"])],
    ids=lambda given: given.stem if isinstance(given, Path) else "",
)
def test_no_change_is_told_that_nobody_could_have_meant(path: Path, args: list[str]) -> None:
    answer = explain(path, args=args, methods=["slice", "butfor"])
    told = [reason.text for row in answer.ranking for reason in row.reasons if reason.method == "butfor"]
    assert told
    assert not [(text, pattern) for text in told for pattern in _ABSURD if re.search(pattern, text)]


def test_the_story_of_the_queue_names_the_free_the_pointer_and_what_is_missing() -> None:
    answer = explain(EXAMPLES / "queue.c", args=["2", "10", "20"], methods=["slice"])
    story = answer.to_dict()["story"]
    assert [(rung["kind"], rung["line"]) for rung in story["rungs"]] == [
        ("failure", 26),
        ("free", 37),
        ("value", 29),
        ("missing", 29),
        ("allocation", 20),
    ]
    assert "no other statement of the program assigns it" in story["rungs"][3]["says"]


def test_neither_a_call_that_gives_a_value_is_left_out_nor_an_assignment_called_a_decision(tmp_path: Path) -> None:
    program = tmp_path / "late.c"
    program.write_text("""
#include <stdlib.h>
int main(int argc, char **argv) {
    int x;
    int k = atoi(argv[1]);
    if (k < 3)
        x = 1;
    if (x > 2)
        k = 0;
    return 0;
}
""")
    answer = explain(program, args=["4"], methods=["slice", "butfor"])
    told = {(row.line, reason.method): reason.text for row in answer.ranking for reason in row.reasons}
    assert told[6, "slice"].startswith("decided otherwise, it could have assigned")
    assert told[5, "slice"].startswith("it led to a decision that kept another value from being assigned")
    assert "not been called" not in told[5, "butfor"]
