"""`butfor why`: questions on the command line."""

from __future__ import annotations

import json
from pathlib import Path

from tests.commands import butfor_command

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_a_value_is_explained_as_text_and_as_json() -> None:
    words = ["why", "triangle.c:36", "--", "6", "5", "4"]
    text = butfor_command(words, EXAMPLES)
    assert text.code == 0
    assert "because `a * a != b * b + c * c` was true" in " ".join(text.stdout.split())
    answer = json.loads(butfor_command([words[0], words[1], "--json", *words[2:]], EXAMPLES).stdout)
    assert answer["complete"]
    assert [rung["line"] for rung in answer["rungs"]] == [36, 34, 30, 29]


def test_a_saved_recording_answers_too(tmp_path: Path) -> None:
    run = tmp_path / "run.bfr"
    assert butfor_command(["record", "queue.c", "-o", str(run), "--", "1", "10", "20"], EXAMPLES).code == 0
    answer = butfor_command(["why", str(run), "--output", "1"], EXAMPLES)
    assert 'printed "20" here' in answer.stdout
    assert "argument 3 of the command line" in " ".join(answer.stdout.split())


def test_a_line_that_did_not_run(tmp_path: Path) -> None:
    answer = butfor_command(["why", "--not", "queue.c:45", "--", "1", "10"], EXAMPLES)
    assert "`argc < 2` was false with argc = 3" in answer.stdout


def test_two_questions_or_none_are_refused() -> None:
    assert butfor_command(["why"], EXAMPLES).code == 2
    assert butfor_command(["why", "queue.c", "--output", "1", "--not", "queue.c:45"], EXAMPLES).code == 2
    assert butfor_command(["why", "queue.c", "--output", "x"], EXAMPLES).code == 2


def test_the_question_may_stand_before_the_program() -> None:
    after = butfor_command(["why", "triangle.c", "triangle.c:36", "--", "6", "5", "4"], EXAMPLES)
    before = butfor_command(["why", "triangle.c:36", "triangle.c", "--", "6", "5", "4"], EXAMPLES)
    assert before.code == 0
    assert before.stdout == after.stdout


def test_for_a_line_without_code_the_nearest_ones_are_named() -> None:
    text = (EXAMPLES / "queue.c").read_text().splitlines()
    line = next(k for k, shown in enumerate(text, 1) if shown.strip() == "{" and k > 10)
    for question in ([f"queue.c:{line}"], ["--not", f"queue.c:{line}"]):
        answer = butfor_command(["why", *question, "queue.c", "--", "1", "10"], EXAMPLES)
        assert "no code of the program stands on" in answer.stdout + answer.stderr
        assert f"line {line + 1}" in answer.stdout + answer.stderr
