"""Whether inputs control the failure of a path: what the program does with other input values.

An input controls the failure if its value leads to the failure whatever inputs follow, and another value need not. Both
are questions about the program, not about the path: a value that merely leaves the path may fail elsewhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from butfor.path.instance_uses import values_before
from butfor.path.path_model import Cell, Input, Kind, Path
from butfor.path.path_words import value_text
from butfor.path.searched_program import BEFORE_FIRST, Answer, SearchedProgram

MAX_REPORTED_INPUTS = 6  # one shows that inputs control the failure; more show which ones
SECONDS_PER_INPUT = 2.0  # for each of the two questions
MAX_SECONDS = 10.0  # for all of them


def security_of_path(path: Path, program: SearchedProgram | None, is_over: Callable[[], bool]) -> dict[str, Any]:
    """The verdict: which inputs control the failure, with a value that fails and one that does not."""
    if program is None or not program.fails(path):
        return {"verdict": "unknown", "inputs": [], "why": "the program could not be run with these inputs"}
    end = time.monotonic() + MAX_SECONDS
    rows: list[dict[str, Any]] = []
    states = values_before(path)
    is_certain, is_proved = True, True
    for position, cell in _inputs(path):
        if is_over() or time.monotonic() >= end or len(rows) >= MAX_REPORTED_INPUTS:
            is_certain = False
            break
        other = program.alternative(path, position, cell.name, SECONDS_PER_INPUT)
        if other.exists is not Answer.YES:
            is_certain &= other.exists is Answer.NO
            continue
        leads = program.always_fails(path, position, SECONDS_PER_INPUT)
        if leads is Answer.NO:
            is_certain = False
            continue
        is_proved &= leads is Answer.YES
        now = states[position + 1][cell.name]
        rows.append(_row(path, position, cell, value_text(cell, now), value_text(cell, other.value)))
    if rows:
        return {"verdict": "input-controlled", "inputs": rows, "evidence": "proved" if is_proved else "replayed"}
    if is_certain:
        return {"verdict": "not-input-controlled", "inputs": [], "evidence": "proved"}
    return {"verdict": "unknown", "inputs": []}


def _inputs(path: Path) -> Iterator[tuple[int, Cell]]:
    """The inputs of the path with their positions, the latest first."""
    for k in range(len(path.instances) - 1, BEFORE_FIRST, -1):
        if path.instances[k].kind is Kind.HAVOC:
            yield from ((k, cell) for cell, _ in path.instances[k].writes)
    cells = {c.name: c for c in path.cells}
    yield from ((BEFORE_FIRST, cells[name]) for name in path.inputs if name in cells)


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
