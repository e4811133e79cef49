"""What one unit defines and needs, by name: enough to know how the units of a program fit together."""

from __future__ import annotations

import enum
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from butfor.errors import CompileError
from butfor.frontends.c.c_module import CModule
from butfor.frontends.c.instrument.call_text import type_text
from butfor.frontends.c.llvm.assembly_tokens import unescaped
from butfor.frontends.c.llvm.idle_assembly import with_idle_assembly_as_copies
from butfor.ir.machine_types import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    import llvmlite.binding as llvm

_SOURCE_TEXT = re.compile(r', source: "([^"]*)"')
_ALIAS = re.compile(r"^@([-\w.$]+) = (?!internal|private).*\b(?:alias|ifunc)\b")
_LINKAGE = re.compile(
    r"(?:define |@(?:\"[^\"]*\"|[-\w.$]+) = )"
    r"(internal|private|weak_odr|weak|linkonce_odr|linkonce|common|available_externally|appending)?\b"
)


class Linkage(enum.StrEnum):
    """How a definition meets others of its name."""

    LOCAL = "local"
    STRONG = "strong"
    WEAK = "weak"
    COMMON = "common"


_KINDS = {"internal": Linkage.LOCAL, "private": Linkage.LOCAL, "common": Linkage.COMMON, "": Linkage.STRONG}


@dataclass(frozen=True, slots=True)
class UnitSummary:
    """The names of a unit: functions and variables that it defines, with their linkage, and those it only declares.

    `types` are those of the variables with a size, in LLVM syntax.
    """

    functions: Mapping[str, Linkage]
    variables: Mapping[str, Linkage]
    types: Mapping[str, str]
    declared_functions: tuple[str, ...]
    declared_variables: tuple[str, ...]
    aliases: tuple[str, ...]

    @property
    def definitions(self) -> Iterator[tuple[str, Linkage]]:
        """All definitions."""
        yield from self.functions.items()
        yield from self.variables.items()

    def to_json(self) -> str:
        """The summary as text."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> UnitSummary:
        """The summary that was written as this text."""
        row = json.loads(text)
        return cls(
            {name: Linkage(kind) for name, kind in row["functions"].items()},
            {name: Linkage(kind) for name, kind in row["variables"].items()},
            row["types"],
            tuple(row["declared_functions"]),
            tuple(row["declared_variables"]),
            tuple(row["aliases"]),
        )


def unit_module(bitcode: Path) -> llvm.ModuleRef:
    """The module of a unit; what has no name in it is named."""
    import llvmlite.binding as llvm  # late: heavy, and a program that was built before needs none of it

    try:
        module = llvm.parse_bitcode(bitcode.read_bytes())
    except RuntimeError as e:
        raise CompileError(f"{bitcode} is not valid LLVM IR", stderr=str(e)) from e
    for k, value in enumerate((*module.global_variables, *module.functions)):
        if not value.name:
            value.name = f"unnamed.{k}"
    return module


def normal_text(module: llvm.ModuleRef) -> tuple[str, dict[int, bytes]]:
    """The module as it is instrumented and read, and the texts of its sources by the number of their node."""
    return _without_sources(with_idle_assembly_as_copies(str(module)))


def summary_of(module: CModule) -> UnitSummary:
    """The summary of a unit."""
    defined = {v.name: _linkage(module.lines[v.line]) for v in module.globals.values() if v.init is not None}
    return UnitSummary(
        {f.name: _linkage(module.lines[f.start]) for f in module.functions.values()},
        {name: kind for name, kind in defined.items() if not name.startswith("llvm.")},
        {v.name: type_text(v.type) for v in module.globals.values() if v.type.kind is not Kind.OTHER},
        module.declared_names(),
        tuple(v.name for v in module.globals.values() if v.init is None),
        tuple(found[1] for line in module.lines if line[:1] == "@" and (found := _ALIAS.match(line)) is not None),
    )


def _linkage(line: str) -> Linkage:
    found = _LINKAGE.match(line)
    return _KINDS.get(found[1] or "" if found is not None else "", Linkage.WEAK)


def _without_sources(text: str) -> tuple[str, dict[int, bytes]]:
    """The module without the texts of its sources, and these by the number of their node."""
    texts: dict[int, bytes] = {}
    lines = text.split("\n")
    for k, line in enumerate(lines):
        if line[:1] == "!" and "!DIFile(" in line:
            found = _SOURCE_TEXT.search(line)
            if found is not None:
                texts[int(line[1 : line.index(" ")])] = unescaped(found[1])
                lines[k] = line[: found.start()] + line[found.end() :]
    return "\n".join(lines), texts
