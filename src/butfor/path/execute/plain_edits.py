"""Edits of single instances that are worth a run: other values of what they assign, the other arm of a branch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from butfor.logic.sorts import Value, is_map
from butfor.path.changed_runs import KEPT, PathEdit
from butfor.path.execute.any_value import plain_values, pointer_values
from butfor.path.path_model import Cell, Kind, Path

MAX_CELLS_EDITED = 3  # of one instance


def plain_edits(path: Path, positions: Iterable[int]) -> Iterator[tuple[PathEdit, Cell | None]]:
    """Edits of the instances at some positions, each with the cell that gets another value."""
    for position in positions:
        instance = path.instances[position]
        if instance.kind is Kind.BRANCH:
            yield PathEdit.other_arm(position), None
            continue
        for cell, _ in instance.writes[:MAX_CELLS_EDITED]:
            recorded = instance.recorded.get(cell.name)
            if recorded is not None and not is_map(cell.sort):
                for value in _values(path, cell, recorded):
                    yield PathEdit(position, cell.name, value), cell


def _values(path: Path, cell: Cell, recorded: Value) -> Iterator[Value]:
    if cell.is_pointer:
        yield KEPT
        yield from (v for v in pointer_values(path, cell) if v != recorded)
    else:
        yield from plain_values(recorded, cell.sort)
