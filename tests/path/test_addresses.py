"""Accesses through computed addresses: they are explained, and a change that moves one is no proof of anything."""

from __future__ import annotations

from pathlib import Path

import pytest

import butfor
from butfor.explanation import Explanation

POINTER = """#include <assert.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int x = 5, y = 6;
    int *p = &y;
    if (atoi(argv[1]) > 3)
        p = &x;
    *p = 0;
    assert(x != 0);
    return y;
}
"""
INDEX = """#include <assert.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int t[4] = {1, 2, 3, 4};
    int k = atoi(argv[1]);
    k = k - 1;
    t[k] = 0;
    assert(t[2] != 0);
    return 0;
}
"""
CONDITION = """#include <assert.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    int t[4] = {9, 9, 9, 0};
    int x = 1;
    if (t[n] <= 3)
        x = 0;
    assert(x != 0);
    return 0;
}
"""
ZEROS = """#include <assert.h>
int main(void) {
    int a[4] = {0, 0, 0, 0};
    int k = 1;
    int x;
    k = k + 1;
    x = a[k & 3];
    assert(x != 0);
    return 0;
}
"""
TWO_ELEMENTS = """#include <assert.h>
int main(void) {
    int t[4] = {1, 1, 1, 1};
    int k = 2;
    t[k] = 0;
    assert(t[0] != 0 && t[2] != 0);
    return 0;
}
"""


def explained(text: str, folder: Path, *methods: str, args: tuple[str, ...] = ()) -> Explanation:
    """What these methods say about the program."""
    path = folder / "p.c"
    path.write_text(text)
    return butfor.explain(path, args=args, methods=list(methods))


def proved(found: Explanation) -> set[int]:
    """The lines of the statements of which something is proved."""
    return {row.line for row in found.ranking if row.evidence == "proved"}


@pytest.mark.parametrize(
    ("text", "argument", "lines"),
    [(POINTER, "7", {6, 7, 8}), (INDEX, "3", {5, 6, 7}), (CONDITION, "3", {4, 5, 7, 8})],
    ids=["pointer", "index", "index in a condition"],
)
def test_the_story_says_how_the_address_came_about(text: str, argument: str, lines: set[int], tmp_path: Path) -> None:
    assert proved(explained(text, tmp_path, "error-invariants", args=(argument,))) == lines


ONE_OTHER = ZEROS.replace("{0, 0, 0, 0}", "{0, 0, 0, 5}")
MEMBERS = """#include <assert.h>
struct pair { int low, high; };
int main(void) {
    struct pair t[3] = {{0, 0}, {0, 0}, {0, 0}};
    struct pair *p = t;
    int k = 1;
    p = p + k;
    int x = p->high;
    assert(x != 0);
    return 0;
}
"""
TWO_LEVELS = """#include <assert.h>
static int order[3] = {2, 0, 1};
static int value[3] = {4, 7, 9};
static int pick(int i) { return value[order[i]]; }
int main(void) {
    int i = 0;
    i = i + 1;
    int x = pick(i);
    assert(x != 4);
    return 0;
}
"""


@pytest.mark.parametrize("method", ["relevance", "diagnoses"])
@pytest.mark.parametrize(
    ("text", "argument", "lines"),
    [
        (ZEROS, (), {3, 7}),
        (ONE_OTHER, (), {3, 4, 6, 7}),
        (TWO_ELEMENTS, (), {4, 5}),
        (POINTER.replace("return y", "return 0"), ("7",), {6, 7, 8}),
        (INDEX, ("3",), {5, 6, 7}),
        (MEMBERS, (), {4, 8}),
    ],
    ids=["zeros", "one other", "two elements", "pointer", "index", "members"],
)
def test_that_an_access_goes_elsewhere_is_tried(
    text: str, argument: tuple[str, ...], lines: set[int], method: str, tmp_path: Path
) -> None:
    found = explained(text, tmp_path, method, args=argument)
    assert {row.line for row in found.ranking if row.evidence == "replayed"} == lines
    assert not proved(found)


@pytest.mark.parametrize("method", ["relevance", "diagnoses"])
def test_what_holds_an_index_can_avoid_the_failure(method: str, tmp_path: Path) -> None:
    found = explained(TWO_LEVELS, tmp_path, method)
    assert {4, 6, 7, 8} <= {row.line for row in found.ranking if row.evidence == "replayed"}
    assert not proved(found)


def test_no_raw_address_is_offered(tmp_path: Path) -> None:
    for text, args in ((POINTER, ("7",)), (MEMBERS, ())):
        rows = explained(text, tmp_path, "relevance", args=args).to_dict()["methods"]["relevance"]["statements"]
        assert not any("0x" in (row["counterfactual"] or "") for row in rows)
