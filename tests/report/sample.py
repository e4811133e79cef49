"""Explanations made by hand, shared by the tests of reports and of the command line."""

from __future__ import annotations

from typing import Any

from butfor.explanation import (
    Also,
    Evidence,
    Explanation,
    Failure,
    FailureKind,
    RankedStatement,
    Reason,
    RunInfo,
    Status,
)

SOURCE = """\
#include <assert.h>
#define LIMIT 4
int main(int argc, char **argv)
{
    int x = argc;
    if (x < LIMIT)
        x = x - 2;
    assert(x >= 0);
    return 0;
}
"""


def failure(**changes: Any) -> Failure:
    """A failed assertion in line 8 of SOURCE."""
    values: dict[str, Any] = {
        "kind": FailureKind.ASSERTION,
        "file": "prog.c",
        "line": 8,
        "column": 5,
        "function": "main",
        "message": "assertion failed: x >= 0",
        "details": {"values": {"x": "-1"}},
    }
    return Failure(**{**values, **changes})


def row(rank: int, **changes: Any) -> RankedStatement:
    """A row of the ranking; by default the subtraction of SOURCE."""
    values: dict[str, Any] = {
        "rank": rank,
        "file": "prog.c",
        "line": 7,
        "column": 9,
        "function": "main",
        "text": "x = x - 2;",
        "role": "assignment",
        "score": 1.0 / rank,
        "evidence": Evidence.HEURISTIC,
        "reasons": (Reason("slice", "wrote the value of x that the assertion read"),),
    }
    return RankedStatement(**{**values, **changes})


def explanation(**changes: Any) -> Explanation:
    """The explanation of a run of SOURCE without arguments."""
    values: dict[str, Any] = {
        "status": Status.EXPLAINED,
        "run": RunInfo(
            args=(),
            instructions=1234,
            steps=6,
            record_seconds=0.25,
            analyse_seconds=0.125,
            exit_status=None,
            signal="SIGABRT",
        ),
        "failure": failure(),
        "ranking": (
            row(1),
            row(
                2,
                line=6,
                column=9,
                text="x < LIMIT",
                role="condition",
                evidence=Evidence.PROVED,
                reasons=(Reason("slice", "decided that line 7 ran"),),
                also=(Also("prog.c", 2, "the macro LIMIT"),),
            ),
        ),
        "notes": ("inputs were held at their recorded values",),
        "sources": {"prog.c": SOURCE},
    }
    return Explanation(**{**values, **changes})


def many(count: int) -> Explanation:
    """An explanation with `count` rows of the same score."""
    return explanation(ranking=tuple(row(number + 1, line=100 + number, score=0.5) for number in range(count)))
