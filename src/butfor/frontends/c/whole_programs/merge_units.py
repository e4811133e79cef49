"""One module of all units of a program, through which its recordings are read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from butfor.errors import CompileError
from butfor.frontends.c.whole_programs.twin_names import UnitNames
from butfor.frontends.c.whole_programs.unit_summary import unit_module

if TYPE_CHECKING:
    import llvmlite.binding as llvm

_MODULES_LINKED_AT_ONCE = 24  # each takes time that grows with the module it is added to


def merged_module(parts: Sequence[Sequence[tuple[Path, UnitNames]]]) -> llvm.ModuleRef:
    """One module of the units of all parts, in which each name is that of the program."""
    whole: llvm.ModuleRef | None = None
    for part in parts:
        names = {new for _, named in part for name, new in named.of.items() if name in named.hidden}
        found = _linked([_renamed(path, named) for path, named in part])
        if found is None:
            continue
        for value in (*found.functions, *found.global_variables):
            if value.name in names and not value.is_declaration:
                value.linkage = "internal"
        whole = found if whole is None else _added(whole, found)
    assert whole is not None
    return whole


def _renamed(bitcode: Path, names: UnitNames) -> llvm.ModuleRef:
    """The module of a unit with the names that it has in the program; what another part defines gives way."""
    module = unit_module(bitcode)
    renamed = []
    for value in (*module.functions, *module.global_variables):
        new = names.of.get(value.name, value.name)
        if value.name in names.others.yielding:
            value.linkage = "available_externally"
        if new != value.name:
            renamed.append((value, new))
            value.name = f"butfor.{len(renamed)}"  # the new name may be one that another value is about to lose
    for value, new in renamed:
        value.name = new
    return module


def _linked(modules: Sequence[llvm.ModuleRef]) -> llvm.ModuleRef | None:
    if len(modules) > _MODULES_LINKED_AT_ONCE:
        step = _MODULES_LINKED_AT_ONCE
        groups = [_linked(modules[k : k + step]) for k in range(0, len(modules), step)]
        return _linked([group for group in groups if group is not None])
    whole = None
    for module in modules:
        whole = module if whole is None else _added(whole, module)
    return whole


def _added(whole: llvm.ModuleRef, module: llvm.ModuleRef) -> llvm.ModuleRef:
    try:
        whole.link_in(module)
    except RuntimeError as e:
        raise CompileError("the units do not link", stderr=str(e)) from e
    return whole
