"""The method `proofs`: checks with their places and verdicts, and one sentence."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema

import butfor
from butfor.explanation import Explanation

SCHEMA = Path(__file__).parents[3] / "docs" / "report.schema.json"
TOTAL = """\
#include <assert.h>
int sum(int *a, int n)
{
    int s = 0;
    for (int i = 0; i <= n; ++i)
        s += a[i];
    return s;
}
int main(int argc, char **argv)
{
    int a[10] = {0};
    int k = argc % 3;
    assert(k < 3);
    return sum(a, 10) / (k + 1);
}
"""


def explained(tmp_path: Path, text: str) -> Explanation:
    """The answer of the method."""
    path = tmp_path / "total.c"
    path.write_text(text)
    return butfor.explain(path, methods=["proofs"])


def test_checks_have_places_and_verdicts(tmp_path: Path) -> None:
    found = explained(tmp_path, TOTAL)
    data = found.to_dict()["methods"]["proofs"]
    rows = {(row["line"], row["kind"]): (row["text"], row["verdict"]) for row in data["checks"]}
    assert rows[6, "bounds-low"] == ("a[i]", "proved")
    assert rows[6, "bounds-high"] == ("a[i]", "open")
    assert rows[6, "null"] == ("a[i]", "proved")
    assert rows[13, "assertion"][1] == "proved"
    assert rows[14, "division"][1] == "proved"
    assert data["counts"] == {"proved": 4, "unreachable": 0, "open": 1}
    assert data["complete"]
    assert not found.to_dict()["ranking"]
    assert (
        "bounds, NULL, division and assertion checks: 4 of 5 hold in every run; open: line 6 a[i] (upper bound)"
        in found.notes
    )


def test_the_report_follows_the_schema(tmp_path: Path) -> None:
    report = json.loads(json.dumps(explained(tmp_path, TOTAL).to_dict()))
    jsonschema.validate(report, json.loads(SCHEMA.read_text("utf-8")))


def test_what_was_given_up_is_said(tmp_path: Path) -> None:
    text = (
        "int f(int n) { int a[2] = {0}; return n > 0 ? a[n & 1] + f(n - 1) : 1 / n; }\n"
        "int main(int argc, char **argv) { return f(3); }\n"
    )
    found = explained(tmp_path, text)
    assert not found.to_dict()["methods"]["proofs"]["complete"]
    assert any("f calls itself" in note for note in found.notes)


def test_an_assertion_whose_last_operand_is_never_evaluated_is_reached_all_the_same(tmp_path: Path) -> None:
    found = explained(
        tmp_path,
        """\
#include <assert.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    unsigned n = argc & 1;
    assert(n < 2 || argc > 9);
    if (n > 5)
        abort();
    assert(argc > 100);
}
""",
    )
    rows = {row["line"]: row["verdict"] for row in found.to_dict()["methods"]["proofs"]["checks"]}
    assert rows[6] == "proved"
    assert rows[9] == "open"
