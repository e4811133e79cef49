"""What a person reads at once of a program: a line, or one of the statements that stand on the same line."""

from __future__ import annotations

from collections.abc import Iterable

from butfor.source.source_model import Role
from butfor.trace.view.source_places import Place

ReadingUnit = tuple[str, int, int]  # path, line, and the column of a statement beside others; 0 for the line itself
_READ_WITH_THE_LINE = (Role.CONDITION, Role.FOR_INIT, Role.FOR_UPDATE, Role.INITIALIZER, Role.DECLARATION, Role.CASE)


def reading_units(places: Iterable[Place]) -> set[ReadingUnit]:
    """What is read of these statements.

    A condition and the statement that it decides are two, also where they share a line: another layout of the same
    program must not give another tree. The parts of a loop's head and the entries of a table are read together.
    """
    return {(p.path, p.line, 0 if p.role in _READ_WITH_THE_LINE else p.column) for p in places}
