"""What the instances of a path read, who wrote it, and which branches kept others from writing it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import overload

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


class RecordedValues(Sequence[Mapping[str, Value]]):
    """The values of all cells before each instance, and last before the check.

    They are views of one table: a copy for each position would take memory quadratic in the length of the path.
    """

    def __init__(self, path: Path) -> None:
        self._length = len(path.instances) + 1
        self.positions: dict[str, list[int]] = {}  # of each cell: from which on it has the value beside it
        self.values: dict[str, list[Value]] = {}
        for name, value in {**path.start, **path.initial}.items():
            self._add(name, 0, value)
        for k, instance in enumerate(path.instances, start=1):
            for name, value in instance.recorded.items():
                self._add(name, k, value)

    def _add(self, name: str, position: int, value: Value) -> None:
        self.positions.setdefault(name, []).append(position)
        self.values.setdefault(name, []).append(value)

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Mapping[str, Value]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Mapping[str, Value]]: ...
    def __getitem__(self, index: int | slice) -> Mapping[str, Value] | Sequence[Mapping[str, Value]]:
        position = range(self._length)[index]
        return _ValuesAt(self, position) if isinstance(position, int) else [_ValuesAt(self, p) for p in position]


@dataclass(frozen=True, slots=True, eq=False)
class _ValuesAt(Mapping[str, Value]):
    known: RecordedValues
    position: int

    def __getitem__(self, name: str) -> Value:
        latest = bisect_right(self.known.positions[name], self.position) - 1
        if latest < 0:
            raise KeyError(name)
        return self.known.values[name][latest]

    def __iter__(self) -> Iterator[str]:
        return (name for name, positions in self.known.positions.items() if positions[0] <= self.position)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def values_before(path: Path) -> RecordedValues:
    """The values of all cells before each instance, and last before the check."""
    return RecordedValues(path)
