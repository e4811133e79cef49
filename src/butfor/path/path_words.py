"""What the instances of a path did, in words, and the values of its cells as the source writes them."""

from __future__ import annotations

import struct
from collections.abc import Callable
from fractions import Fraction

from butfor.logic.sorts import REAL, Sort, Value, is_map
from butfor.path.instance_uses import uses_of, values_before
from butfor.path.path_model import Cell, Kind, Path

MAX_MAP_ELEMENTS_SHOWN = 8  # the others are counted
_CHARS = frozenset(("char", "signed char", "unsigned char"))
_FLOATS = {("float", 32): "<f", ("double", 64): "<d"}


class PathWords:
    """The words of one path."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.cells = {c.name: c for c in path.cells}
        self.uses = uses_of(path)
        self.states = values_before(path)

    def read_values(self, position: int) -> dict[str, str]:
        """What an instance read, by names as written; behind the last instance stands the check."""
        before = self.states[position]
        return {self.cells[n].shown: cell_text(self.cells[n], before[n]) for n, _ in self.uses.reads[position]}

    def written_values(self, position: int) -> dict[str, str]:
        """What an instance wrote, by names as written."""
        instance = self.path.instances[position]
        return {c.shown: cell_text(c, instance.recorded[c.name]) for c, _ in instance.writes}

    def input_values(self) -> dict[str, str]:
        """The values from outside, by names as written; of a variable that gets several, the last one."""
        found = {self.cells[n].shown: cell_text(self.cells[n], self.path.start[n]) for n in self.path.inputs}
        for position, instance in enumerate(self.path.instances):
            found |= self.written_values(position) if instance.kind is Kind.HAVOC else {}
        return found

    def summary(self, position: int) -> str:
        """What an instance did."""
        instance = self.path.instances[position]
        if instance.kind in (Kind.ASSIGN, Kind.HAVOC):
            return ", ".join(f"{name} became {value}" for name, value in self.written_values(position).items())
        seen = ", ".join(f"{name} = {value}" for name, value in self.read_values(position).items())
        outcome = ("true " if instance.held else "false ") if instance.kind is Kind.BRANCH else ""
        return f"{outcome}{'with ' + seen if seen else ''}".strip()


def boogie_text(value: Value, sort: Sort) -> str:
    """A value in the way Boogie writes it; a map by its elements."""
    if is_map(sort):
        known = sorted(value.others.items(), key=lambda pair: pair[0])
        words = [
            f"{boogie_text(k, sort.index)}: {boogie_text(v, sort.value)}" for k, v in known[:MAX_MAP_ELEMENTS_SHOWN]
        ]
        more = [f"{len(known) - MAX_MAP_ELEMENTS_SHOWN} more"] if len(known) > MAX_MAP_ELEMENTS_SHOWN else []
        return f"[{', '.join((*words, *more, f'else {boogie_text(value.default, sort.value)}'))}]"
    if sort > 0:
        return f"{value}bv{sort}"
    if sort == 0:
        return "true" if value else "false"
    return _real(value) if sort == REAL else str(value)


def _real(value: Fraction) -> str:
    """A decimal number where that is exact."""
    below = value.denominator
    for prime in (2, 5):
        while below % prime == 0:
            below //= prime
    if below != 1:
        return str(value)
    digits = 0
    while (value * 10**digits).denominator != 1:
        digits += 1
    whole = abs(int(value * 10**digits))
    sign = "-" if value < 0 else ""
    return f"{sign}{whole // 10**digits}.{str(whole % 10**digits).zfill(digits) if digits else 0}"


def cell_text(cell: Cell, value: Value) -> str:
    """The value of a cell."""
    return boogie_text(value, cell.sort)


def value_text(cell: Cell, value: Value, sort: int | None = None, address: Callable[[int], str] = hex) -> str:
    """A value of a cell as its language writes it; `address` writes pointers."""
    width = cell.sort if sort is None else sort
    if width <= 0 or cell.type.startswith(("bv", "[")):
        return boogie_text(value, width)
    code = _FLOATS.get((cell.type, width))
    if code is not None:
        return repr(struct.unpack(code, int(value).to_bytes(width // 8, "little"))[0])
    if cell.type in _CHARS and 32 <= value < 127:
        return repr(chr(value)) if chr(value) != "'" else r"'\''"
    if cell.type.endswith("*"):
        return address(value) if value else "NULL"
    return str(value - (1 << width) if cell.signed and value >> width - 1 else value)
