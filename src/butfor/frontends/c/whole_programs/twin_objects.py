"""The objects of a twin: those of its units with the numbers of this program, and one with tables of all addresses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from butfor.errors import UnsupportedError
from butfor.frontends.c import object_files
from butfor.frontends.c.build import object_code
from butfor.frontends.c.c_module import CModule
from butfor.frontends.c.instrument.hooked_module import MAIN, checked_models, hook_tables, object_table
from butfor.frontends.c.instrument.inlined_hooks import TABLE, UNIT_TABLE, hook_table
from butfor.frontends.c.instrument.recording_module import LABELS, address_tables, quoted
from butfor.frontends.c.instrument.unit_text import CHECK, FIRST_SITE, OBJECT, OWN, SEGMENT
from butfor.frontends.c.whole_programs.twin_units import NamedUnit
from butfor.ir.program import Program
from butfor.libc import library

_PLAIN = re.compile(r"[-\w.$]+")


def segment_table(units: Sequence[NamedUnit], program: Program) -> NDArray[np.int32]:
    """The segments of a program, in the order of its functions."""
    rows = _rows_by_function(units)
    parts = []
    for k, name in enumerate(program.names):
        if name not in rows:
            raise UnsupportedError(f"no unit defines {name}")
        part = rows[name].copy()
        part[:, -1] = k
        parts.append(part)
    return np.concatenate(parts) if parts else np.zeros((0, 7), np.int32)


def _rows_by_function(units: Sequence[NamedUnit]) -> dict[str, NDArray[np.int32]]:
    """The rows of each function, from the unit whose definition counts."""
    found: dict[str, NDArray[np.int32]] = {}
    for unit in units:
        table = unit.made.table
        starts = np.searchsorted(table[:, -1], np.arange(len(unit.made.functions) + 1))
        for k, name in enumerate(unit.made.functions):
            if name not in unit.replaced:
                found[unit.names.get(name, name)] = table[starts[k] : starts[k + 1]]
    return found


def write_recording_objects(
    units: Sequence[NamedUnit], program: Program, table: NDArray[np.int32], folder: Path
) -> list[Path]:
    """The objects of the twin that records itself, written into this folder."""
    starts = np.searchsorted(table[:, -1], np.arange(len(program.names)))
    first = {name: int(start) for name, start in zip(program.names, starts, strict=True)}
    models = {name: f"__bf_w_{name}" for name in library.modelled_functions()}
    addresses = _Addresses(program, models, "main")
    labels = {
        (unit.names.get(function, function), label): (f"{LABELS}.{k}", at)
        for k, unit in enumerate(units)
        for (function, label), at in unit.made.labels.items()
        if function not in unit.replaced
    }
    places = [labels[label] for label in program.label_table]
    tables = address_tables(addresses.variables, addresses.functions, places)
    text = "\n".join((addresses.declarations([table for table, _ in places]), tables))
    numbers = [_segment_numbers(unit, first) | _object_numbers(unit, program) for unit in units]
    return _written(units, numbers, {LABELS: LABELS}, text, folder)


def _segment_numbers(unit: NamedUnit, first: Mapping[str, int]) -> dict[str, int]:
    """The numbers of a unit's segments in a program where this is the first of each function."""
    own = unit.made.table[:, -1]
    functions = unit.made.functions
    own_first = np.searchsorted(own, np.arange(len(functions)))
    in_program = np.array([first.get(unit.names.get(name, name), 0) for name in functions], dtype=np.int64)
    numbers = (in_program - own_first)[own] + np.arange(len(own)) if len(own) else own
    return {f"{SEGMENT}{row}": int(number) for row, number in enumerate(numbers)}


def _object_numbers(unit: NamedUnit, program: Program) -> dict[str, int]:
    """The numbers of the variables of a unit."""
    numbers = program.object_numbers
    return {f"{OBJECT}{k}": numbers.get(unit.names.get(name, name), 0) for k, name in enumerate(unit.made.objects)}


@dataclass(frozen=True, slots=True)
class HookedProgram:
    """The objects of a twin that can be changed, the rows of its sites and the instructions of its checks."""

    objects: list[Path]
    sites: list[list[object]]
    checks: list[tuple[str, int]]


def write_hooked_objects(
    units: Sequence[NamedUnit], program: Program, folder: Path, *, is_checked: bool
) -> HookedProgram:
    """The objects of the twin that can be changed, written into this folder."""
    modelled = checked_models() if is_checked else frozenset()
    wrapped = {name: f"__cf_w_{name}" for name in library.replaced_functions()}
    addresses = _Addresses(program, wrapped | {name: f"__bf_w_{name}" for name in modelled}, MAIN)
    sites: list[list[object]] = []
    checks: list[tuple[str, int]] = []
    numbers, parts = [], []
    for k, unit in enumerate(units):
        mine = {FIRST_SITE: len(sites)}
        mine |= {f"{CHECK}{n}": len(checks) + n for n in range(len(unit.made.checks) + 1)}
        numbers.append(mine | _object_numbers(unit, program))
        parts.append(f"@{UNIT_TABLE}.{k} = hidden alias i8, getelementptr (i8, ptr @{TABLE}, i64 {len(sites)})")
        sites += [[_function_of(unit, str(row[0])), *row[1:]] for row in unit.made.sites]
        checks += [(_function_of(unit, function), instr) for function, instr in unit.made.checks]
    tables = [hook_table(len(sites)), *parts]
    tables.append(hook_tables([name for name, _ in addresses.variables], addresses.functions, len(sites)))
    if is_checked:
        tables.append(object_table(addresses.variables, len(checks)))
    text = "\n".join((addresses.declarations(()), *tables))
    return HookedProgram(_written(units, numbers, {UNIT_TABLE: UNIT_TABLE}, text, folder), sites, checks)


def _function_of(unit: NamedUnit, name: str) -> str:
    """What a function is called in the program, empty where another one takes its place."""
    return "" if name in unit.replaced else unit.names.get(name, name)


def _written(
    units: Sequence[NamedUnit],
    numbers: Sequence[Mapping[str, int]],
    tables: Mapping[str, str],
    text: str,
    folder: Path,
) -> list[Path]:
    """The objects of the units with their numbers and names in the program, and one of this text.

    `tables` are names of which each unit has its own, with its number behind them.
    """
    files = []
    for k, (unit, mine) in enumerate(zip(units, numbers, strict=True)):
        symbols = {f"{OWN}{name}": f"{OWN}{new}" for name, new in unit.names.items() if name != new}
        symbols |= {name: f"{new}.{k}" for name, new in tables.items()}
        files.append(folder / f"unit-{k}.o")
        files[-1].write_bytes(object_files.renamed(object_files.numbered(unit.made.code, mine), symbols))
    files.append(folder / "tables.o")
    files[-1].write_bytes(object_code(text))
    return files


class _Addresses:
    """What the tables of a program name: its variables with their sizes, and its functions, as its objects call them.

    `runtime` are the functions of the runtime that take the place of library functions.
    """

    def __init__(self, program: Program, runtime: Mapping[str, str], main: str) -> None:
        module = program.source
        assert isinstance(module, CModule)
        self.module = module
        self.runtime = runtime
        self.main = main
        self.defined = set(module.functions) | {v.name for v in module.globals.values() if v.init is not None}
        self.variables = [(self._symbol(name), size) for name, size in program.global_table]
        self.functions = [self._symbol(name) for name in program.function_table]

    def _symbol(self, name: str) -> str:
        if name == "main":
            return self.main
        if name in self.defined:
            return OWN + name if _PLAIN.fullmatch(name) else name
        return self.runtime.get(name, name) if name in self.module.declared else name

    def declarations(self, tables: Iterable[str]) -> str:
        """The declarations of all of them, and of these tables."""
        lines = [*self.module.declared.values(), *(v.line for v in self.module.globals.values())]
        weak = {name for line in lines if (name := _weakly_needed(self.module.lines[line]))}
        variables = dict.fromkeys((*(name for name, _ in self.variables), *tables))
        declared = [
            f"@{quoted(name)} = {'extern_weak' if name in weak else 'external'} global i8" for name in variables
        ]
        declared += [
            f"declare {'extern_weak ' if name in weak else ''}void @{quoted(name)}()"
            for name in dict.fromkeys(self.functions)
        ]
        return "\n".join(declared)


def _weakly_needed(line: str) -> str:
    """The name in a declaration of what need not exist; empty where it is another line."""
    if "extern_weak" not in line.partition("(")[0]:
        return ""
    return line.partition("@")[2].partition("(")[0].partition(" =")[0].strip('"')
