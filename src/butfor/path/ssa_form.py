"""A path in static single assignment form: conditions and assignments over versions of its cells.

`cell@k` is a version of a cell: k is the position behind the instance that assigned it, 0 for its value at the start.
`cell@k?` is what something outside of the path left in it before the instance at position k: it may be anything.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from butfor.logic.sorts import Value
from butfor.logic.substitute import Substitution
from butfor.logic.terms import Term, equal, has_value, variable
from butfor.path.path_model import Cell, Instance, Kind, Path


class CellVersions:
    """The versions of each cell, with the positions from which on they are valid."""

    def __init__(self, cells: Iterable[Cell]) -> None:
        self.positions: dict[str, list[int]] = {}
        self.versions: dict[str, list[Term]] = {}
        for cell in cells:
            self.add(cell, 0)

    def add(self, cell: Cell, position: int) -> Term:
        """The version of a cell that the instance before a position assigned."""
        return self._add(cell, 2 * position, f"{cell.name}@{position}")

    def overwrite(self, cell: Cell, position: int) -> None:
        """Make a version of a cell that something outside of the path left before the instance at a position."""
        self._add(cell, 2 * position + 1, f"{cell.name}@{position}?")

    def _add(self, cell: Cell, key: int, name: str) -> Term:
        new = variable(name, cell.sort)
        self.positions.setdefault(cell.name, []).append(key)
        self.versions.setdefault(cell.name, []).append(new)
        return new

    def at(self, position: int) -> Mapping[str, Term]:
        """The version of each cell before the instance at a position."""
        return _VersionsAt(self, 2 * position + 1)

    def left_at(self, position: int) -> Mapping[str, Term]:
        """The version of each cell that the instance before a position left."""
        return _VersionsAt(self, 2 * position)


@dataclass(frozen=True, slots=True, eq=False)
class _VersionsAt(Mapping[str, Term]):
    """A view, since a copy for each position would take memory quadratic in the length of the path."""

    known: CellVersions
    position: int

    def __getitem__(self, name: str) -> Term:
        latest = bisect_right(self.known.positions[name], self.position) - 1
        if latest < 0:
            raise KeyError(name)
        return self.known.versions[name][latest]

    def __iter__(self) -> Iterator[str]:
        return (name for name, positions in self.known.positions.items() if positions[0] <= self.position)

    def __len__(self) -> int:
        return sum(1 for _ in self)


@dataclass(frozen=True, slots=True)
class SsaInstance:
    """One instance over versions.

    `assigned` are the equations of its assignments; of a branch with frames, `kept` are the equations that leave the
    cells of its frames as they were.
    """

    before: Mapping[str, Term]
    after: Mapping[str, Term]
    condition: Term
    assigned: tuple[Term, ...] = ()
    kept: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class SsaPath:
    """A path over versions. `end` are the versions that the check speaks of."""

    path: Path
    instances: tuple[SsaInstance, ...]
    pre: Term
    check: Term
    start: Mapping[str, Term]
    end: Mapping[str, Term]

    def starts_with(self, values: Mapping[str, Value]) -> tuple[Term, ...]:
        """That cells of the path started with these values."""
        return tuple(has_value(self.start[name], value) for name, value in values.items() if name in self.start)

    def recorded_inputs(self, position: int) -> tuple[Term, ...]:
        """That an instance got from outside what was recorded."""
        instance, after = self.path.instances[position], self.instances[position].after
        return tuple(
            has_value(after[cell.name], instance.recorded[cell.name])
            for cell, value in instance.writes
            if value is None
        )


def ssa_form(path: Path, with_frames: bool = False) -> SsaPath:
    """The path over versions; with frames, a branch makes new versions of what its other arms might have assigned."""
    versions = CellVersions(path.cells)
    start, end = versions.left_at(0), versions.at(len(path.instances))
    pre = Substitution(start)(path.pre)
    cells = {cell.name: cell for cell in path.cells}
    outside: dict[int, list[Cell]] = {}
    for name, positions in path.overwritten.items():
        for position in positions if name in cells else ():
            outside.setdefault(position, []).append(cells[name])
    instances = []
    for k, instance in enumerate(path.instances):
        for cell in outside.get(k, ()):
            versions.overwrite(cell, k)
        make = _framed_branch if with_frames and instance.kind is Kind.BRANCH else _assignment
        instances.append(make(instance, k, versions))
    for cell in outside.get(len(path.instances), ()):
        versions.overwrite(cell, len(path.instances))
    return SsaPath(path, tuple(instances), pre, Substitution(end)(path.check), start, end)


def _assignment(instance: Instance, k: int, versions: CellVersions) -> SsaInstance:
    before = versions.at(k)
    over_versions = Substitution(before)
    condition = over_versions(instance.condition)
    new = [(versions.add(cell, k + 1), value) for cell, value in instance.writes]
    assigned = tuple(equal(version, over_versions(value)) for version, value in new if value is not None)
    return SsaInstance(before, versions.left_at(k + 1), condition, assigned)


def _framed_branch(branch: Instance, k: int, versions: CellVersions) -> SsaInstance:
    before = versions.at(k)
    condition = Substitution(before)(branch.condition)
    kept = tuple(equal(versions.add(cell, k + 1), before[cell.name]) for cell in branch.frames)
    return SsaInstance(before, versions.left_at(k + 1), condition, kept=kept)
