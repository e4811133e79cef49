"""Whether inputs control the failure of a path: what the program does with other input values.

An input controls the failure if its value leads to the failure whatever inputs follow, and another value need not. Both
are questions about the program, not about the path: a value that merely leaves the path may fail elsewhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from butfor.path.path_model import Cell, Input, Path
from butfor.path.path_words import value_text
from butfor.path.searched_program import BEFORE_FIRST, Answer, SearchedProgram, inputs_of

MAX_REPORTED_INPUTS = 6  # one shows that inputs control the failure; more show which ones
SECONDS_PER_INPUT = 2.0  # for each of the two questions
MAX_SECONDS = 10.0  # for all of them


def security_of_path(path: Path, program: SearchedProgram | None, is_over: Callable[[], bool]) -> dict[str, Any]:
    """The verdict: which inputs control the failure, with a value that fails and one that does not."""
    if program is None or not program.fails(path):
        return {"verdict": "unknown", "inputs": [], "why": "the program could not be run with these inputs"}
    end = time.monotonic() + MAX_SECONDS
    rows: list[dict[str, Any]] = []
    cells = {c.name: c for c in path.cells}
    inputs = inputs_of(path)
    always_fails, is_proved = not inputs, True
    for chosen in reversed(inputs):
        if is_over() or time.monotonic() >= end or len(rows) >= MAX_REPORTED_INPUTS:
            break
        other = program.alternative(path, chosen, SECONDS_PER_INPUT)
        if other.exists is not Answer.YES:
            always_fails = chosen == inputs[0] and other.exists is Answer.NO  # with any inputs, since none is before it
            continue
        leads = program.always_fails(path, chosen, SECONDS_PER_INPUT)
        if leads is not Answer.NO:
            is_proved &= leads is Answer.YES
            cell = cells[chosen.cell]
            fails, passes = value_text(cell, chosen.recorded(path)), value_text(cell, other.value)
            rows.append(_row(path, chosen.position, cell, fails, passes))
    if rows:
        return {"verdict": "input-controlled", "inputs": rows, "evidence": "proved" if is_proved else "replayed"}
    if always_fails:
        return {"verdict": "not-input-controlled", "inputs": [], "evidence": "proved"}
    return {"verdict": "unknown", "inputs": []}


def _row(path: Path, position: int, cell: Cell, fails: str, passes: str) -> dict[str, Any]:
    if position == BEFORE_FIRST:
        source, line = path.inputs[cell.name], 0
    else:
        instance = path.instances[position]
        source, line = instance.inputs.get(cell.name, Input("havoc", cell.shown)), instance.place.line
    return {
        "source": source.source,
        "name": source.name or cell.shown,
        "start": source.start,
        "end": source.end,
        "line": line,
        "fails": fails,
        "passes": passes,
    }
