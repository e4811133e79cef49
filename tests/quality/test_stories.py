"""The stories of failures: what they must mention and what they must not say, without pinning their words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

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
