"""Loops with many iterations: the one in which something else happened is in the cause tree."""

from __future__ import annotations

from pathlib import Path

import pytest

import butfor

PROGRAM = """#include <assert.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    int s = 0;
    for (int i = 0; i < n; i++) {
        if (i == 5)
            s = 100000;
        s = s + 1;
    }
    assert(s == n);
    return 0;
}
"""


@pytest.mark.parametrize("n", [20, 105, 106, 10_000])
def test_an_exceptional_iteration_is_in_the_tree(n: int, tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text(PROGRAM)
    causes = butfor.explain(path, args=[str(n)], methods=["cascade"]).methods["cascade"]["causes"]
    assert any(s["line"] == 8 for cause in causes if cause["level"] == 0 for s in cause["statements"])
    assert any(
        c["condition"] and c["condition"]["line"] == 7 and c["outcome"].startswith("true with i = 5") for c in causes
    )


SKIPPED = """#include <assert.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    int k = atoi(argv[2]);
    int s = 0;
    for (int i = 0; i < n; i++) {
        if (i != k)
            s = s + 1;
    }
    assert(s == n);
    return 0;
}
"""


@pytest.mark.parametrize(("n", "k"), [(105, 5), (106, 60), (3_000, 1)])
def test_the_iteration_in_which_nothing_was_assigned_is_in_the_tree(n: int, k: int, tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text(SKIPPED)
    causes = butfor.explain(path, args=[str(n), str(k)], methods=["cascade"]).methods["cascade"]["causes"]
    outcomes = [c["outcome"] for c in causes if c["condition"] and c["condition"]["line"] == 8]
    assert any(outcome.startswith(f"false with i = {k}") for outcome in outcomes)
