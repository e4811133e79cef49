"""How the units of a program and of its shared libraries fit together: which definition each name stands for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from butfor.frontends.c.instrument.unit_text import OtherUnits
from butfor.frontends.c.llvm.assembly_tokens import TOKEN, Cursor
from butfor.frontends.c.whole_programs.unit_summary import Linkage, UnitSummary
from butfor.ir.machine_types import alloc_size

_PRECEDENCE = (Linkage.STRONG, Linkage.COMMON, Linkage.WEAK)


@dataclass(frozen=True, slots=True)
class NamedPart:
    """The program or one of its shared libraries: the summaries of its units, and for a library what others see."""

    units: tuple[UnitSummary, ...]
    visible: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class UnitNames:
    """What the names of one unit are in the program: `of` has those that are defined in some unit of it.

    `hidden` ones are seen by their part alone, `replaced` are definitions that do not count.
    """

    of: Mapping[str, str]
    others: OtherUnits
    hidden: frozenset[str]
    replaced: frozenset[str]


@dataclass(slots=True)
class _Definition:
    """All definitions of one name that may take each other's place: the first part that has one defines it."""

    part: int
    name: str = ""  # in the program
    is_function: bool = False
    rank: int = len(_PRECEDENCE)  # of the definition that counts
    unit: UnitSummary | None = None  # with this definition
    type: str = ""


@dataclass(slots=True)
class _Table:
    everywhere: dict[str, _Definition] = field(default_factory=dict)
    in_part: dict[tuple[int, str], _Definition] = field(default_factory=dict)

    def find(self, part: int, name: str) -> _Definition | None:
        """What a name stands for in a part of the program."""
        return self.in_part.get((part, name)) or self.everywhere.get(name)


def names_of_units(parts: Sequence[NamedPart]) -> list[list[UnitNames]]:
    """The names of each unit of each part.

    Local names that several units have are numbered. A definition that several parts make visible is that of the first.
    """
    table = _Table()
    for k, part in enumerate(parts):
        for unit in part.units:
            for name, kind in unit.definitions:
                if kind is not Linkage.LOCAL:
                    _add(table, k, part, unit, name, kind)
    taken = set(table.everywhere)
    for part in parts:
        for unit in part.units:
            taken.update(unit.declared_functions, unit.declared_variables, unit.aliases)
    fresh = _FreshNames(taken)
    for name, definition in table.everywhere.items():
        definition.name = name
    for (_, name), definition in table.in_part.items():
        definition.name = fresh(name)
    aliases = frozenset(name for part in parts for unit in part.units for name in unit.aliases)
    return [[_names_of(table, k, unit, fresh, aliases) for unit in part.units] for k, part in enumerate(parts)]


def _add(table: _Table, k: int, part: NamedPart, unit: UnitSummary, name: str, kind: Linkage) -> None:
    if part.visible is None or name in part.visible:
        found = table.everywhere.setdefault(name, _Definition(k))
    else:
        found = table.in_part.setdefault((k, name), _Definition(k))
    rank = _PRECEDENCE.index(kind)
    if found.part != k or found.rank < rank:
        return
    text = unit.types.get(name, "")
    if found.rank == rank and not (kind is Linkage.COMMON and _is_larger(text, found.type)):
        return
    found.rank, found.unit, found.is_function, found.type = rank, unit, name in unit.functions, text


def _is_larger(text: str, than: str) -> bool:
    """Whether a common variable of one type takes the place of another one."""
    size, other = (alloc_size(Cursor(TOKEN.findall(t), {}).type()) for t in (text, than))
    return size > other


class _FreshNames:
    """Gives each name to the first that asks for it, and the same name with a number to the others."""

    def __init__(self, taken: set[str]) -> None:
        self.taken = taken
        self.last: dict[str, int] = {}

    def __call__(self, name: str) -> str:
        new, count = name, self.last.get(name, 0)
        while new in self.taken:
            count += 1
            new = f"{name}.{count}"
        self.last[name] = count
        self.taken.add(new)
        return new


def _names_of(table: _Table, part: int, unit: UnitSummary, fresh: _FreshNames, aliases: frozenset[str]) -> UnitNames:
    names: dict[str, str] = {}
    types: dict[str, str] = {}
    functions, yielding, hidden, replaced = set(), set(), set(), set()
    for name, kind in unit.definitions:
        if kind is Linkage.LOCAL:
            names[name] = fresh(name)
            continue
        found = table.find(part, name)
        assert found is not None
        names[name] = found.name
        if found.part != part:
            yielding.add(name)
        if found.unit is not unit:
            replaced.add(name)
        if (part, name) in table.in_part:
            hidden.add(name)
        if name in unit.variables and found.type and found.type != unit.types.get(name):
            types[name] = found.type
    for name in (*unit.declared_functions, *unit.declared_variables):
        found = table.find(part, name)
        if found is None:
            continue
        names[name] = found.name
        if found.is_function:
            functions.add(name)
        elif found.type and name in unit.declared_variables:
            types[name] = found.type
    called = aliases.intersection(unit.declared_functions)
    others = OtherUnits(frozenset(functions), types, frozenset(yielding), called)
    return UnitNames(names, others, frozenset(hidden), frozenset(replaced))


def undefined_functions(units: Sequence[UnitSummary]) -> Iterator[str]:
    """Functions that are declared in some unit, and defined in none."""
    defined = {name for unit in units for name in unit.functions}
    for unit in units:
        yield from (name for name in unit.declared_functions if name not in defined)
