"""The examples of the methods as Boogie programs: the second line of each says which path must be found."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontends.boogie.helpers import explored, shape

EXAMPLES = sorted((Path(__file__).parent / "examples").glob("*.bpl"))
ESCAPES = {"s2_control": (0, 1), "s1_abs": (1,), "s1_unconditional": (1,)}
FRAMES = {
    "s1_locking": {3: ("level",), 6: ("level", "locked"), 7: ("level", "locked")},
    "s1_abs": {2: ("sign",), 4: ("out",)},
    "s1_unrelated_branch": {2: ("rest",)},
    "s2_flow_nested": {2: ("b",)},
}


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda f: f.stem)
def test_the_failing_path(file: Path) -> None:
    found = explored(file.read_text())
    wanted = file.read_text().splitlines()[1].removeprefix("// path: ")
    assert [shape(f.path) for f in found.failures] == [wanted]
    path = found.failures[0].path
    assert tuple(k for k, i in enumerate(path.instances) if i.escapes) == ESCAPES.get(file.stem, ())
    assert {k: tuple(c.shown for c in i.frames) for k, i in enumerate(path.instances) if i.frames} == FRAMES.get(
        file.stem, {}
    )


def test_all_examples_are_there() -> None:
    assert len(EXAMPLES) == 19
