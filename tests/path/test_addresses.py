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
    ("text", "argument", "lines"), [(POINTER, "7", {6, 7, 8}), (INDEX, "3", {5, 6, 7})], ids=["pointer", "index"]
)
def test_the_story_says_how_the_address_came_about(text: str, argument: str, lines: set[int], tmp_path: Path) -> None:
    assert proved(explained(text, tmp_path, "error-invariants", args=(argument,))) == lines


@pytest.mark.parametrize("method", ["relevance", "diagnoses"])
@pytest.mark.parametrize(("text", "lines"), [(ZEROS, {3, 7}), (TWO_ELEMENTS, {5})], ids=["zeros", "two elements"])
def test_that_an_access_goes_elsewhere_proves_nothing(text: str, lines: set[int], method: str, tmp_path: Path) -> None:
    assert proved(explained(text, tmp_path, method)) == lines
