"""What the instances of a path did, in words with values."""

from __future__ import annotations

from butfor.path.cell_values import shown_in
from butfor.path.instance_uses import uses_of, values_before
from butfor.path.path_model import Kind, Path


class Words:
    """The words of one path."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.cells = {c.name: c for c in path.cells}
        self.uses = uses_of(path)
        self.states = values_before(path)

    def seen(self, position: int) -> dict[str, str]:
        """What an instance read, by names as written; behind the last instance stands the check."""
        before = self.states[position]
        return {self.cells[n].shown: shown_in(self.cells[n], before[n]) for n, _ in self.uses.reads[position]}

    def wrote(self, position: int) -> dict[str, str]:
        """What an instance wrote, by names as written."""
        instance = self.path.instances[position]
        return {c.shown: shown_in(c, instance.recorded[c.name]) for c, _ in instance.writes}

    def told(self, position: int) -> str:
        """What an instance did."""
        instance = self.path.instances[position]
        if instance.kind in (Kind.ASSIGN, Kind.HAVOC):
            return ", ".join(f"{name} became {value}" for name, value in self.wrote(position).items())
        seen = ", ".join(f"{name} = {value}" for name, value in self.seen(position).items())
        outcome = ("true " if instance.held else "false ") if instance.kind is Kind.BRANCH else ""
        return f"{outcome}{'with ' + seen if seen else ''}".strip()
