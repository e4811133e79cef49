"""Explanations with a story, made by hand: a short one with everything a page can show, and long ones."""

from __future__ import annotations

from typing import Any

from butfor.explanation import Evidence, Explanation, Reason
from butfor.run_story import (
    CallFrame,
    CellChange,
    DebuggerStop,
    LoopIteration,
    MemoryObject,
    RunInput,
    StepReason,
    Story,
    StoryStep,
)
from tests.report.sample import SOURCE, explanation, row

FIX: dict[str, Any] = {
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
TREE: list[dict[str, Any]] = [
    {
        "id": 0,
        "parent": None,
        "level": 0,
        "via": "failure",
        "condition": None,
        "outcome": "",
        "proved": True,
        "shared_with": [],
        "rounds": 0,
        "statements": [
            {"file": "prog.c", "line": 7, "text": "x = x - 2;", "instances": 1, "values": "x became -1 (was 1)"}
        ],
    },
    {
        "id": 1,
        "parent": 0,
        "level": 1,
        "via": "control",
        "condition": {"file": "prog.c", "line": 6, "text": "x < LIMIT"},
        "outcome": "true with x = 1",
        "proved": True,
        "shared_with": [],
        "rounds": 1,
        "statements": [
            {"file": "prog.c", "line": 6, "text": "x < LIMIT", "instances": 1, "values": "true with x = 1"},
            {"file": "prog.c", "line": 5, "text": "int x = argc;", "instances": 1, "values": "x became 1"},
        ],
    },
    {
        "id": 2,
        "parent": 1,
        "level": 2,
        "via": "potential",
        "condition": {"file": "util.c", "line": 2, "text": "n > 0"},
        "outcome": "false with n = 0",
        "proved": False,
        "shared_with": [0],
        "rounds": 1,
        "statements": [],
    },
]
UTIL = "int helper(int n)\n{ if (n > 0) return 1;\n  return 0; }\n"


def told(number: int, line: int, text: str, kind: str, **more: Any) -> StoryStep:
    """A step of prog.c."""
    values: dict[str, Any] = {
        "skipped": 0,
        "file": "prog.c",
        "column": SOURCE.split("\n")[line - 1].find(text) + 1,
        "function": "main",
        "target": None,
        "before": None,
        "after": None,
        "outcome": None,
        "uses": (),
        "frame": 0,
        "depth": 0,
        "iterations": (),
        "is_relevant": True,
    }
    return StoryStep(number=number, line=line, text=text, kind=kind, **{**values, **more})


def story() -> Story:
    """The run of SOURCE: four steps."""
    steps = (
        told(
            1,
            5,
            "int x = argc;",
            "assign",
            target="x",
            after="1",
            uses=(("argc", "1"),),
            changes=(CellChange(0, "", "1"), CellChange(1, "", "1")),
        ),
        told(
            2,
            6,
            "x < LIMIT",
            "branch",
            outcome="true",
            uses=(("x", "1"),),
            reasons=(StepReason("data", "x", 0, "prog.c", 5),),
        ),
        told(
            3,
            7,
            "x = x - 2;",
            "assign",
            target="x",
            before="1",
            after="-1",
            uses=(("x", "1"),),
            reasons=(StepReason("data", "x", 0, "prog.c", 5), StepReason("control", "", 1, "prog.c", 6)),
            changes=(CellChange(1, "", "-1"), CellChange(2, ".next", "&(heap block of 16 bytes)", 3)),
        ),
        told(4, 8, "assert(x >= 0);", "call", uses=(("x", "-1"),), reasons=(StepReason("data", "x", 2, "prog.c", 7),)),
    )
    objects = (
        MemoryObject("argc", "stack", 0, 4),
        MemoryObject("x", "stack", 0, 4),
        MemoryObject("head", "global", -1, 16),
        MemoryObject("16 bytes", "heap", -1, 16, "prog.c:5", 3),
    )
    inputs = (RunInput("argv[1]", b"-5 \x1b[31m", ((0, 2),)),)
    return Story(
        steps,
        4,
        3,
        {0: CallFrame("main", -1)},
        objects,
        inputs,
        (DebuggerStop("prog.c", 7, 7, 3, 5), DebuggerStop("prog.c", 6, 7, 1, 1)),
    )


def whole(**changes: Any) -> Explanation:
    """An explanation with all that a page can show."""
    rows = (
        row(
            1,
            evidence=Evidence.REPLAYED,
            reasons=(
                Reason("slice", "its value reaches the failure: x became -1 (was 1)", Evidence.HEURISTIC),
                Reason("butfor", "had `x` been 1 more, the run would not have failed", Evidence.REPLAYED),
            ),
            extra={
                "values": "x became -1 (was 1)",
                "counterfactual": {"text": "had `x` been 1 more", "with": "prog.c:7:9 add 1"},
            },
        ),
        *explanation().ranking[1:],
        *(row(k, line=5, column=5, text="int x = argc;", role="declaration") for k in range(3, 10)),
    )
    methods = {
        "slice": {"relevant": {"lines": [["prog.c", 5], ["prog.c", 6], ["prog.c", 7]]}},
        "cascade": {"causes": TREE},
        "repair": {"repairs": [FIX]},
        "error-invariants": {
            "flow_sensitive": True,
            "abstract_trace": [
                {"kind": "invariant", "formula": "x <= 1"},
                {"kind": "statement", "file": "prog.c", "line": 7, "text": "x = x - 2;", "frame": 0},
                {"kind": "invariant", "formula": "x <= -1"},
            ],
        },
        "relevance": {
            "statements": [
                {"file": "prog.c", "line": 7, "text": "x = x - 2;", "verdict": "enforcing", "counterfactual": None}
            ],
            "security": {"verdict": "input-controlled", "inputs": [{"name": "argv[1]", "values": "-5"}]},
        },
        "diagnoses": {"sets": [{"statements": [{"file": "prog.c", "line": 7, "text": "x = x - 2;"}], "proved": True}]},
    }
    values: dict[str, Any] = {
        "ranking": rows,
        "methods": methods,
        "story": story(),
        "sources": {"prog.c": SOURCE, "util.c": UTIL},
        "extra": {"again": "butfor replay prog.c --with CHANGE"},
    }
    return explanation(**{**values, **changes})


def long_run(count: int) -> Explanation:
    """An explanation of a run of so many steps, all in one loop."""
    rounds = count // 2
    steps = tuple(
        told(
            k + 1,
            7 if k % 2 else 6,
            "x = x - 2;" if k % 2 else "x < LIMIT",
            "assign" if k % 2 else "branch",
            target="x" if k % 2 else None,
            after=str(-k) if k % 2 else None,
            outcome=None if k % 2 else "true",
            uses=(("x", str(1 - k)),),
            iterations=(LoopIteration(6, 1, k // 2 + 1, rounds),),
            is_relevant=k % 10 < 2 or k >= count - 4,
            reasons=(StepReason("data", "x", k - 1, "prog.c", 7),) if k else (),
            changes=(CellChange(0, "", str(-k)),) if k % 2 else (),
        )
        for k in range(count)
    )
    return whole(story=Story(steps, count, count - 1, {0: CallFrame("main", -1)}, (MemoryObject("x", "stack", 0, 4),)))
