"""A C program's module together with its debug information: what a recording is read through."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from butfor.frontends.c.llvm.debug_metadata import DebugInfo
from butfor.frontends.c.llvm.module_text import Module
from butfor.ir.debug_types import Location, Variable
from butfor.ir.instructions import Function, Instr
from butfor.ir.program import ProgramSource

_SYSTEM_FOLDERS = ("/usr/include/", "/usr/lib/", "/site-packages/ziglang/", "/lib/zig/")


def is_system_file(path: str) -> bool:
    """Whether a file belongs to the C library or the compiler."""
    return path.startswith(("/usr/", "<")) or any(part in path for part in _SYSTEM_FOLDERS)


def module_of(source: ProgramSource) -> CModule:
    """The module behind the program of a recording; only programs of this front end have one."""
    assert isinstance(source, CModule), "the program was not compiled from C"
    return source


class CModule(Module):
    """A module that knows where in the sources things are."""

    @cached_property
    def debug(self) -> DebugInfo:
        """The debug information."""
        return DebugInfo(self)

    def location(self, instr: Instr) -> Location | None:
        """The source position of an instruction."""
        return self.debug.location(instr.loc)

    def scope_of(self, loc: int) -> int:
        """The number of the block of source that a position is in; two branches of one condition share it."""
        return self.debug.scope(loc)

    def function_location(self, fn: Function) -> Location | None:
        """Where a function is defined."""
        return self.debug.subprogram(fn.subprogram)

    def variables(self, fn: Function) -> dict[int, Variable]:
        """The local variables of a function by the slot that holds their address."""
        known = self._locals.get(fn.name)
        if known is None:
            slots = self.slot_names(fn.name)
            known = {slots[reg]: v for reg, v in self.debug.variables(fn.name).items() if reg in slots}
            self._locals[fn.name] = known
        return known

    @cached_property
    def _locals(self) -> dict[str, dict[int, Variable]]:
        return {}

    def global_declaration(self, name: str) -> Variable | None:
        """A global variable as the source declares it."""
        return self.debug.globals.get(name)

    def global_declarations(self) -> Mapping[str, Variable]:
        """All global variables that the source declares, by their name in the program."""
        return self.debug.globals

    def user_files(self) -> tuple[str, ...]:
        """The source files of the program that are not the system's."""
        files = []
        for i in self.metadata.values():
            line = self.lines[i]
            if "!DIFile(" in line:
                number = int(line[1 : line.index(" ")])
                path = self.debug.file(number)
                if path and not is_system_file(path):
                    files.append(path)
        return tuple(dict.fromkeys(files))
