"""Other variables of the same type that are in scope at a site."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from butfor.intervene.rules import Op, Rule
from butfor.intervene.sites import Site
from butfor.program.debug import CType, Variable
from butfor.program.model import Const, Function, Instr, Operand
from butfor.program.program import Program

_MOST = 8


class Variables:
    """Rules that read another variable."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.source: Any = program.source  # it also knows positions and variables
        self._globals: list[tuple[int, str, Variable]] | None = None

    def instead(self, site: Site, fn: Function, instr: Instr, address: Operand | None, *, right: bool = False) -> Iterator[Rule]:
        """Rules that read another variable at a site; `address` is that of the variable read now. `right`: it replaces the right side."""
        local, other = (Op.RIGHT_LOCAL, Op.RIGHT_GLOBAL) if right else (Op.LOCAL, Op.GLOBAL)
        where = self.source.location(instr)
        line = where.line if where is not None else 1 << 30
        frame = self.program.layout(fn.name).frame
        found = 0
        for slot, v in sorted(self.source.variables(fn).items(), key=lambda item: -item[1].line):
            if slot == address or slot not in frame or v.line > line or not _fits(site, v.type) or found >= _MOST:
                continue
            found += 1
            yield Rule(site.number, local, frame[slot], size=v.type.size, name=v.name)
        for number, name, v in self._known_globals():
            if (isinstance(address, Const) and address.value == name) or not _fits(site, v.type) or found >= 2 * _MOST:
                continue
            found += 1
            yield Rule(site.number, other, number, 0, size=v.type.size, name=v.name)

    def _known_globals(self) -> list[tuple[int, str, Variable]]:
        if self._globals is None:
            rows = ((k, name, self.source.global_variable(name)) for k, (name, size) in enumerate(self.program.global_table) if size)
            self._globals = [(k, name, v) for k, name, v in rows if v is not None]
        return self._globals


def _fits(site: Site, t: CType) -> bool:
    """Whether a variable of this type can stand in for the value of a site."""
    if site.is_pointer:
        return t.kind == "pointer"
    if site.is_real:
        return t.kind == "float" and t.size in (4, 8)
    return t.kind in ("signed", "unsigned", "char", "uchar", "bool", "enum") and t.size * 8 == site.bits
