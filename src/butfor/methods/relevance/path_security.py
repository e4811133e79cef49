"""Whether inputs control the failure of a path: what the program does with other input values.

An input controls the failure if its value leads to the failure whatever inputs follow, and another value need not. Both
are questions about the program, not about the path: a value that merely leaves the path may fail elsewhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from butfor.logic.sorts import Value
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
    always_fails, is_proved, is_complete = not inputs, True, True
    for chosen in reversed(inputs):
        if is_over() or time.monotonic() >= end or len(rows) >= MAX_REPORTED_INPUTS:
            is_complete = False
            break
        other = program.alternative(path, chosen, SECONDS_PER_INPUT)
        if other.exists is not Answer.YES:
            always_fails = chosen == inputs[0] and other.exists is Answer.NO  # with any inputs, since none is before it
            is_complete &= other.exists is Answer.NO
            continue
        failing = chosen.recorded(path)
        leads = program.always_fails(path, chosen, SECONDS_PER_INPUT)
        if leads is Answer.NO:
            tries = (
                v
                for v in _other_values(cells[chosen.cell], failing, other.value)
                if not is_over() and time.monotonic() < end
            )
            sure = (v for v in tries if program.always_fails(path, chosen, SECONDS_PER_INPUT, v) is Answer.YES)
            failing = next(sure, None)
            if failing is None:
                is_complete = False  # there may be a value that was not tried
                continue
            leads = Answer.YES
        is_proved &= leads is Answer.YES
        cell = cells[chosen.cell]
        rows.append(_row(path, chosen.position, cell, value_text(cell, failing), value_text(cell, other.value)))
    if rows:
        how = "proved" if is_proved else "tried"
        return {"verdict": "input-controlled", "inputs": rows, "evidence": how, "complete": is_complete}
    if always_fails:
        return {"verdict": "not-input-controlled", "inputs": [], "evidence": "proved", "complete": True}
    return {"verdict": "unknown", "inputs": [], "complete": False}


def _other_values(cell: Cell, recorded: Value, passing: Value) -> Iterator[Value]:
    """Other numbers that may lead to the failure whatever follows: small ones and neighbours."""
    if cell.sort == 0 or not isinstance(recorded, int) or not isinstance(passing, int):
        return
    near: Iterable[int] = (0, 1, -1, passing - 1, passing + 1, recorded - 1, recorded + 1)
    if cell.sort > 0:
        near = (v % (1 << cell.sort) for v in near)
    yield from dict.fromkeys(v for v in near if v not in (recorded, passing))


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
