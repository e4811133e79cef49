"""The text report, compared with what a person should see."""

from __future__ import annotations

import re

import pytest
from rich.cells import cell_len

from butfor.explanation import Evidence, Explanation, FailureKind, Reason, RunInfo, Status
from butfor.report.shared_words import MAX_ROWS_SHOWN
from butfor.report.text import render, render_beginning
from tests.report.sample import explanation, failure, many, row

EXPECTED = """\
prog.c:8:5: assertion failed: x >= 0
  │
8 │     assert(x >= 0);
  │     ^~~~~~~~~~~~~~
  = in main
  = x is -1

causes, most likely first:
1  prog.c:7  x = x - 2;
   assignment · in main · heuristic
     │
   6 │     if (x < LIMIT)
   7 │         x = x - 2;
     │         ^~~~~~~~~~
   slice: wrote the value of x that the assertion read
2  prog.c:6  x < LIMIT
   condition · in main · proved
   slice: decided that line 7 ran
   see also prog.c:2: the macro LIMIT

notes:
  • inputs were held at their recorded values

prog.c:7: cause: x = x - 2; [slice]
"""

EXPECTED_ASCII_40 = """\
prog.c:8:5: assertion failed: x >= 0
  |
8 |     assert(x >= 0);
  |     ^~~~~~~~~~~~~~
  = in main
  = x is -1

causes, most likely first:
1  prog.c:7  x = x - 2;
   assignment - in main - heuristic
     |
   6 |     if (x < LIMIT)
   7 |         x = x - 2;
     |         ^~~~~~~~~~
   slice: wrote the value of x that the
     assertion read
2  prog.c:6  x < LIMIT
   condition - in main - proved
   slice: decided that line 7 ran
   see also prog.c:2: the macro LIMIT

notes:
  - inputs were held at their recorded
    values

prog.c:7: cause: x = x - 2; [slice]
"""


def test_whole_report() -> None:
    assert render(explanation(), width=80) == EXPECTED


@pytest.mark.parametrize("color", [False, True])
def test_what_is_known_first_and_the_rest_make_the_whole_report(color: bool) -> None:
    for answer in (explanation(), many(30)):
        beginning, rest = render_beginning(answer, color=color), render(answer, color=color, is_begun=True)
        assert beginning + rest == render(answer, color=color)


def test_narrow_ascii_report() -> None:
    assert render(explanation(), width=40, encoding="ascii") == EXPECTED_ASCII_40


def test_colour_changes_nothing_but_colour() -> None:
    colored = render(explanation(), width=80, color=True)
    assert "\x1b[" in colored
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == EXPECTED


def test_no_failure() -> None:
    text = render(Explanation(status=Status.NO_FAILURE, run=RunInfo(exit_status=0)))
    assert text == "no failure: the program ended with exit status 0\n\nbutfor: no-failure\n"


def test_rows_are_capped_and_the_rest_is_counted() -> None:
    text = render(many(30))
    assert (
        sum(line.lstrip().startswith(tuple("123456789")) for line in text.splitlines() if "x = x - 2;" in line)
        == MAX_ROWS_SHOWN
    )
    assert "23 more statements; --verbose shows them\n" in text
    assert "prog.c:106 " in text
    assert "prog.c:107" not in text


def test_rows_far_behind_the_first_are_left_out() -> None:
    rows = [row(k + 1, line=100 + k, score=score) for k, score in enumerate((0.8, 0.5, 0.2, 0.19, 0.1))]
    text = render(explanation(ranking=tuple(rows)))
    assert "prog.c:102 " in text
    assert "prog.c:103" not in text
    assert "2 more statements; --verbose shows them\n" in text


def test_seven_rows_leave_no_rest() -> None:
    assert "more" not in render(many(7))
    assert "1 more statement; --verbose shows it\n" in render(many(8))


def test_verbose_shows_every_row_and_the_size_of_the_run() -> None:
    text = render(many(30), verbose=True)
    assert "prog.c:129" in text
    assert "more statements" not in text
    assert "1,234 instructions in 6 steps; recorded in 0.25 s" in text


def test_reasons_are_capped() -> None:
    reasons = tuple(Reason("slice", f"reason {number}") for number in range(5))
    text = render(explanation(ranking=(row(1, reasons=reasons),)))
    assert "reason 2" in text
    assert "reason 3" not in text
    assert "2 more reasons; --verbose shows them" in text


def test_values_stand_beside_the_underline_where_there_is_room() -> None:
    value = explanation(ranking=(row(1, extra={"values": "x became -1 (was 1)"}),))
    assert "     │         ^~~~~~~~~~ x became -1 (was 1)\n" in render(value, width=80)
    assert "     │         ^~~~~~~~~~\n     = x became -1 (was 1)\n" in render(value, width=40)


def test_further_causes_show_the_reason_that_says_most() -> None:
    reasons = (
        Reason("cascade", "level 3", Evidence.PROVED),
        Reason("slice", "x became 2", Evidence.HEURISTIC),
        Reason("butfor", "had x been 3"),
    )
    text = render(explanation(ranking=(row(1), row(2, reasons=reasons))))
    assert "   assignment · in main · heuristic · 3 reasons\n   butfor: had x been 3\n" in text
    assert "level 3" not in text
    assert "level 3" in render(explanation(ranking=(row(1), row(2, reasons=reasons))), verbose=True)


FIX = {
    "file": "prog.c",
    "line": 7,
    "before": "        x = x - 2;",
    "after": "        x = x - 1;",
    "diff": "--- a/prog.c\n+++ b/prog.c\n@@ -7 +7 @@\n-        x = x - 2;\n+        x = x - 1;\n",
    "failing_fixed": 1,
    "failing_total": 1,
    "passing_kept": 3,
    "passing_total": 3,
}


def test_a_fix_is_a_block_of_its_own() -> None:
    text = render(explanation(methods={"repair": {"repairs": [FIX, {**FIX, "passing_kept": 2}]}}))
    assert (
        "\n\nfix: 1 of 1 failing runs no longer fail; 3 of 3 passing tests still pass\n"
        "  --- a/prog.c\n  +++ b/prog.c\n  @@ -7 +7 @@\n"
        "  -        x = x - 2;\n  +        x = x - 1;\n1 more fix; --verbose shows it\n\n"
    ) in text
    assert "partial fix: 1 of 1 failing runs no longer fail; 2 of 3" in render(
        explanation(methods={"repair": {"repairs": [{**FIX, "passing_kept": 2}]}})
    )


def test_partial_result_is_labelled() -> None:
    assert "causes, most likely first (partial: a limit was reached):" in render(explanation(status=Status.PARTIAL))


def test_failure_without_causes() -> None:
    text = render(explanation(ranking=()))
    assert "causes: none found\n" in text
    assert text.endswith("\nprog.c:8: failure: assertion failed: x >= 0 [no cause found]\n")


def test_failure_without_place_and_message() -> None:
    text = render(
        explanation(
            failure=failure(
                kind=FailureKind.EXIT_STATUS, file="", line=0, column=0, function="", message="", details={}
            )
        )
    )
    assert text.startswith("unexpected exit status\n\ncauses")


@pytest.mark.parametrize("kind", list(FailureKind))
def test_every_kind_has_words(kind: FailureKind) -> None:
    assert render(explanation(failure=failure(kind=kind, message=""))).startswith("prog.c:8:5: ")


def test_difference_of_output_is_shown_with_its_line_ends() -> None:
    text = render(
        explanation(failure=failure(kind=FailureKind.OUTPUT, details={"expected": b"7\n", "actual": b"8\xff\n"}))
    )
    assert '  = expected "7\\n"\n' in text
    assert '  = got "8\\xff\\n"\n' in text


def test_survived_memory_errors() -> None:
    errors = tuple(failure(kind=FailureKind.MEMORY, line=n, message="read past the end of a") for n in range(1, 6))
    text = render(explanation(memory_errors=errors))
    assert "memory errors that the run survived:\n  prog.c:1:5: read past the end of a\n" in text
    assert "  2 more memory errors; --verbose shows them\n" in text


HOSTILE = "\x1b[31mred\x1b]0;title\x07\r\u202e\u200b\x9b1m\udcff"


def test_control_characters_are_inert_everywhere() -> None:
    bad = failure(
        message=HOSTILE, function=HOSTILE, file=HOSTILE, details={"values": {HOSTILE: HOSTILE}, "expected": HOSTILE}
    )
    rows = (row(1, text=HOSTILE, role=HOSTILE, function=HOSTILE, file=HOSTILE, reasons=(Reason(HOSTILE, HOSTILE),)),)
    text = render(explanation(failure=bad, ranking=rows, notes=(HOSTILE,), sources={HOSTILE: "\n" * 7 + HOSTILE}))
    assert all(char == "\n" or char.isprintable() for char in text)
    assert "\\x1b[31mred" in text
    assert "\\u202e\\u200b\\x9b1m\\xff" in text


def test_ascii_report_is_ascii() -> None:
    text = render(explanation(notes=("größer",), ranking=(row(1, text='puts("日本");'),)), encoding="ascii")
    assert text.isascii()
    assert "gr\\xf6\\xdfer" in text


def test_unknown_encoding_is_ascii() -> None:
    assert render(explanation(), encoding="no-such-encoding").isascii()


@pytest.mark.parametrize("width", [24, 40, 79])
@pytest.mark.parametrize("text", ["x" * 300, "if (a && b) " * 30, "日本語" * 60])
def test_no_line_but_the_summary_is_wider_than_the_page(width: int, text: str) -> None:
    rows = (row(1, text=text, role=text, function=text, reasons=(Reason("slice", text),)),)
    source = "\n" * 7 + "    " + text
    report = render(
        explanation(
            failure=failure(message=text, function=text), ranking=rows, notes=(text,), sources={"prog.c": source}
        ),
        width=width,
    )
    *lines, summary = report.rstrip("\n").split("\n")
    assert max(cell_len(line) for line in lines) <= width
    assert summary.startswith("prog.c:7: cause: ")


def test_summary_is_one_short_line() -> None:
    text = render(explanation(ranking=(row(1, text="f(a,\n\t  b);" + "y" * 500),)), width=40)
    summary = text.rstrip("\n").split("\n")[-1]
    assert summary.startswith("prog.c:7: cause: f(a, b);yyy")
    assert summary.endswith("… [slice]")
    assert len(summary) < 200


@pytest.mark.parametrize(
    ("evidence", "reasons", "method"),
    [
        (Evidence.PROVED, (("slice", Evidence.HEURISTIC), ("cascade", Evidence.PROVED)), "cascade"),
        (
            Evidence.REPLAYED,
            (("slice", Evidence.HEURISTIC), ("cascade", Evidence.PROVED), ("butfor", Evidence.REPLAYED)),
            "butfor",
        ),
        (Evidence.HEURISTIC, (("slice", Evidence.HEURISTIC), ("spectrum", Evidence.HEURISTIC)), "slice"),
        (Evidence.PROVED, (("slice", None), ("other", None)), "slice"),
        (Evidence.PROVED, (), "proved"),
    ],
)
def test_summary_names_the_method_with_the_best_evidence(
    evidence: Evidence, reasons: tuple[tuple[str, Evidence | None], ...], method: str
) -> None:
    best = row(1, evidence=evidence, reasons=tuple(Reason(name, "text", known) for name, known in reasons))
    assert render(explanation(ranking=(best,))).rstrip("\n").endswith(f"x = x - 2; [{method}]")
