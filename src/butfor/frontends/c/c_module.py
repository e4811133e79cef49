"""A C program's module together with its debug information: what a recording is read through."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from butfor.frontends.c.llvm.debug_metadata import DebugInfo
from butfor.frontends.c.llvm.module_text import Module
from butfor.ir.debug_types import Location, Variable
from butfor.ir.instructions import Function, Instr
from butfor.ir.machine_types import Type
from butfor.ir.program import ProgramSource
from butfor.ir.recording_segments import static_allocas

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

    def function_location(self, name: str) -> Location | None:
        """Where a function is defined."""
        return self.debug.subprogram(self.subprogram(name))

    def variables(self, fn: Function) -> dict[int, Variable]:
        """The local variables of a function by the slot that holds their address."""
        known = self._locals.get(fn.name)
        if known is None:
            slots = self.slot_names(fn.name)
            known = {slots[reg]: v for reg, v in self.debug.variables(fn.name).items() if reg in slots}
            self._locals[fn.name] = known
        return known

    def global_type(self, name: str) -> Type | None:
        """The type of a global variable, None where there is none of that name."""
        found = self.globals.get(name)
        return None if found is None else found.type

    def scopes(self, fn: Function) -> tuple[dict[int, int], dict[int, frozenset[int]]]:
        """The block of source of each local variable, by slot, and the blocks around each position of a function."""
        slots = self.slot_names(fn.name)
        blocks = {slots[reg]: block for reg, block in self.debug.variable_blocks(fn.name).items() if reg in slots}
        found = {instr.loc: self.debug.enclosing_blocks(instr.loc) for instr in fn.instrs}
        known = {loc: around for loc, around in found.items() if around is not None}
        return blocks | self._blocks_of_literals(fn, known), known

    def _blocks_of_literals(self, fn: Function, known: Mapping[int, frozenset[int]]) -> dict[int, int]:
        """The blocks of compound literals and other unnamed variables, by slot: the innermost around all uses."""
        named = self.variables(fn)
        unnamed = {i.slot for i in static_allocas(fn) if i.slot not in named}
        around: dict[int, frozenset[int]] = {}
        for instr in fn.instrs:
            for slot in unnamed.intersection(a for a in instr.args if isinstance(a, int)):
                here = known.get(instr.loc, frozenset())
                around[slot] = around[slot] & here if slot in around else here
        blocks = {slot: self.debug.innermost_block(common) for slot, common in around.items()}
        return {slot: block for slot, block in blocks.items() if block is not None}

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
