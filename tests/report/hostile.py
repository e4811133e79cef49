"""An explanation in which every text tries to do something."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from butfor.explanation import Also, Explanation, Reason
from tests.report.pages import FIX, TREE, story, whole
from tests.report.sample import failure, row

HOSTILE = (
    "</script><script>window.pwned=1</script><img src=x onerror=window.pwned=1><b class=pwned>`]](evil) | @user "
    "\x1b[31mred\x1b]0;t\x07\r\u202e\u200b\x9b1m\udcff"
)
FILE = "a,b:c%\"'</script>\x1b[2J\udcfe.c"
LONG = "x" * 10_000


def hostile() -> Explanation:
    """The explanation."""
    tree = [
        {
            **c,
            "condition": None if c["condition"] is None else {"file": FILE, "line": 6, "text": HOSTILE},
            "outcome": HOSTILE,
            "statements": _bad(),
        }
        for c in TREE
    ]
    steps = tuple(
        replace(s, file=FILE, text=HOSTILE, function=HOSTILE, target=HOSTILE, after=HOSTILE, uses=((HOSTILE, HOSTILE),))
        for s in story().steps
    )
    objects = tuple(replace(o, name=HOSTILE, allocated_at=HOSTILE) for o in story().objects)
    told = replace(story(), steps=steps, objects=objects, stops=tuple(replace(s, file=FILE) for s in story().stops))
    rows = tuple(
        row(
            k,
            file=FILE,
            line=6 + k % 2,
            text=HOSTILE,
            role=HOSTILE,
            function=HOSTILE,
            reasons=(Reason(HOSTILE, HOSTILE), Reason("slice", HOSTILE)),
            also=(Also(FILE, 2, HOSTILE),),
            extra={"values": HOSTILE, "counterfactual": {"text": HOSTILE, "with": HOSTILE}},
        )
        for k in (1, 2)
    )
    bad = failure(
        file=FILE,
        function=HOSTILE,
        message=HOSTILE,
        details={"values": {HOSTILE: HOSTILE}, "expected": HOSTILE, "text": HOSTILE},
    )
    methods: dict[str, Any] = {
        "cascade": {"causes": tree},
        "repair": {
            "repairs": [
                {
                    **FIX,
                    "file": FILE,
                    "after": HOSTILE,
                    "diff": f"--- a/{FILE}\n+++ b\n@@ -7 +7 @@\n-{HOSTILE}\n+{HOSTILE}\n",
                }
            ]
        },
        "error-invariants": {
            "abstract_trace": [{"kind": "invariant", "formula": HOSTILE}, {"kind": "statement", **_bad()[0]}]
        },
    }
    source = "\n".join(["", "/*", HOSTILE, LONG, "\x0c", HOSTILE, '"' + HOSTILE, HOSTILE])
    return whole(
        failure=bad,
        ranking=rows,
        methods=methods,
        notes=(HOSTILE,),
        sources={FILE: source},
        story=told,
        extra={"again": HOSTILE},
    )


def _bad() -> list[dict[str, Any]]:
    return [{"file": FILE, "line": 7, "text": HOSTILE, "instances": 1, "values": HOSTILE}]
