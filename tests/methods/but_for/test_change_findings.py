"""Every counterfactual that is shown can be seen again: by its text, and by the command of the report."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

import butfor.api
from tests.commands import run_in
from tests.families import some_of
from tests.seeded_corpus import Fault, faults, load, options, smallest_failing

CHOSEN = [f for f in faults() if f.kind in ("operator", "variable", "constant", "index", "initial", "call")][::14]


@pytest.mark.parametrize("fault", some_of(CHOSEN, lambda k, _: k % 3 == 0, lambda f: f.id))
def test_shown_changes_avoid_the_failure_again(fault: Fault) -> None:
    seeded = load(fault)
    asked = options(seeded, smallest_failing(seeded), methods=("butfor",))
    answer = butfor.api.explain(asked)
    for row in answer.ranking[:5]:
        change = row.extra["counterfactual"]["with"]
        assert butfor.api.changed(asked, [change]).avoids, change


def test_the_command_of_the_report(work: Path) -> None:
    (work / "prog.c").write_text(
        "#include <stdio.h>\n#include <stdlib.h>\nint main(int c, char **v) {\n  int n = atoi(v[1]);\n  if (n < 4)\n"
        '    puts("few");\n  else\n    puts("many");\n  return 0;\n}\n'
    )
    (work / "right.txt").write_text("few\n")
    done = run_in(work, "explain", "prog.c", "--expect-stdout", "right.txt", "--", "4")
    (line,) = [text for text in done.stdout.splitlines() if text.startswith("see the changed run: ")]
    words = shlex.split(line.partition(": ")[2])
    assert words[:3] == ["butfor", "replay", "prog.c"]
    assert "flip when equal" in words[words.index("--with") + 1]
    again = run_in(work, *words[1:])
    assert (again.code, "the failure is avoided" in again.stdout) == (0, True)
