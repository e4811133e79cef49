"""The variables to which the pointers of a path could point instead."""

from __future__ import annotations

from collections.abc import Iterator

from butfor.ir.debug_types import CType
from butfor.path.lift.cell_names import type_name
from butfor.path.lift.chosen_effects import LiftableRun
from butfor.path.path_model import NamedVariable, Path

MAX_FRAMES = 40  # calls whose variables are listed, the latest: pointers of more calls get no other values


def named_variables(run: LiftableRun, path: Path) -> tuple[NamedVariable, ...]:
    """The variables of the calls in which the path assigns pointers, and the global ones, each once for its type."""
    assigning = {i.frame for i in path.instances if any(cell.is_pointer for cell, _ in i.writes)}
    if not assigning:
        return ()
    known = len(run.recording.trace.log.frame["base"])
    latest = sorted(frame for frame in assigning if 0 <= frame < known)[-MAX_FRAMES:]
    return tuple(dict.fromkeys((*_global_variables(run), *(v for frame in latest for v in _locals(run, frame)))))


def _locals(run: LiftableRun, frame: int) -> Iterator[NamedVariable]:
    trace = run.recording.trace
    rows = trace.log.frame
    s = trace.at(int(rows["entry"][frame]))
    base = int(rows["base"][frame])
    for slot, variable in trace.program.source.variables(s.fn).items():
        offset = s.layout.frame.get(slot)
        if offset is not None:
            yield from _of_types(s.fn.name, variable.type, base + offset)


def _global_variables(run: LiftableRun) -> Iterator[NamedVariable]:
    declared = run.recording.trace.program.source.global_declarations()
    for name, start in run.objects.globals:
        if name in declared:
            yield from _of_types("", declared[name].type, start)


def _of_types(function: str, type: CType, start: int) -> Iterator[NamedVariable]:
    """The variable itself, and of an array its first element."""
    whole: CType | None = type
    while whole is not None and whole.kind == "array":
        whole = whole.element
    if whole is not None:
        yield NamedVariable(function, type_name(whole), start)
