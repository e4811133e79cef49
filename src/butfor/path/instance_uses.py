"""What the instances of a path read, who wrote it, and which branches kept others from writing it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from butfor.logic.sorts import Value
from butfor.logic.terms import Term, variables
from butfor.path.path_model import Instance, Kind, Path

Read = tuple[str, int]
"""A cell that was read, and the position of the instance that wrote it; -1 for what it held at the start."""


@dataclass(frozen=True, slots=True)
class PathUses:
    """For each instance, and last for the check, what it read and which branches kept that from being assigned again.

    `omitted` are the branches since the write of each cell whose other arms may assign it.
    """

    reads: tuple[tuple[Read, ...], ...]
    omitted: tuple[tuple[int, ...], ...]


def uses_of(path: Path) -> PathUses:
    """The reads of a path."""
    writers: dict[str, int] = {}
    framed: dict[str, list[int]] = {}
    reads: list[tuple[Read, ...]] = []
    omitted: list[tuple[int, ...]] = []

    def read(terms: Iterable[Term]) -> None:
        names = [str(v.data) for v in variables(terms)]
        reads.append(tuple((n, writers.get(n, -1)) for n in names))
        omitted.append(tuple(sorted({p for n in names for p in framed.get(n, ())})))

    for position, instance in enumerate(path.instances):
        read(terms_of(instance))
        for cell, _ in instance.writes:
            writers[cell.name] = position
            framed.pop(cell.name, None)
        if instance.kind is Kind.BRANCH:
            for cell in instance.frames:
                framed.setdefault(cell.name, []).append(position)
    read((path.check,))
    return PathUses(tuple(reads), tuple(omitted))


def terms_of(instance: Instance) -> list[Term]:
    """The terms that an instance evaluates."""
    return [instance.condition, *(t for _, t in instance.writes if t is not None)]


def values_before(path: Path) -> list[dict[str, Value]]:
    """The values of all cells before each instance, and last before the check."""
    states = [{**path.start, **path.initial}]
    for instance in path.instances:
        states.append({**states[-1], **instance.recorded} if instance.recorded else states[-1])
    return states
