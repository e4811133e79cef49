"""Cells in the words of the source."""

from __future__ import annotations

from dataclasses import replace

from butfor.ir.debug_types import CType, Variable
from butfor.path.path_model import Cell, ObjectLife
from butfor.trace.recording import Recording
from butfor.trace.view.object_parts import smallest_part

UNKNOWN = "unknown"  # the type of a cell whose value nothing says
_UNSIGNED = frozenset(("unsigned", "uchar", "bool", "pointer"))


class CellNames:
    """Names cells; each name is given once."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self._written: dict[tuple[int, int], str] = {}
        self._pointers: set[tuple[int, int]] = set()
        self._taken: set[str] = set()

    def note(self, address: int, size: int, text: str | None, *, is_pointer: bool = False) -> None:
        """Remember how the source writes some bytes that have no variable's name, `p->next`; are they a pointer?"""
        if is_pointer:
            self._pointers.add((address, size))
        if text is not None:
            self._written.setdefault((address, size), text)

    def unique(self, name: str) -> str:
        """The name, with a number where it is taken."""
        found, number = name, 1
        while found in self._taken:
            number += 1
            found = f"{name}#{number}"
        self._taken.add(found)
        return found

    def memory(self, home: ObjectLife, address: int, size: int, number: int) -> Cell:
        """The cell of some bytes of memory."""
        variable, function = self._variable(home)
        offset = address - home.start
        if variable is not None:
            path, t, rest = smallest_part(variable.type, offset, size)
            shown = variable.name + path + (f"+{rest}" if rest or size < t.size else "")
            return self._cell(shown, size, t if not rest and t.size == size else None, function)
        written = self._written.get((address, size))
        cell = self._cell(written or self._nameless(home, offset), size, None, function)
        return replace(cell, type="void *", signed=False) if (address, size) in self._pointers else cell

    def is_variable(self, home: ObjectLife) -> bool:
        """Whether an object is a variable that the source names."""
        return self._variable(home)[0] is not None

    def _variable(self, home: ObjectLife) -> tuple[Variable | None, str]:
        source, program = self.recording.source, self.recording.program
        match home.key:
            case ("local" | "byval", str(fn), int(slot)):
                return source.variables(program.function(fn)).get(slot), fn
            case ("global", str(name)):
                return source.global_declaration(name), ""
        return None, ""

    def _nameless(self, home: ObjectLife, offset: int) -> str:
        kind = home.key[0]
        match home.key:
            case ("local", str(fn), int(slot)) if offset == 0 and self._is_result(fn, slot):
                return f"{fn}()"
        if kind == "heap":
            return f"block[{offset}]"
        return (
            f"{kind}[{offset:#x}]"
            if kind == "nowhere"
            else f"temporary+{offset}"
            if kind == "local"
            else f"data+{offset}"
        )

    def _is_result(self, name: str, slot: int) -> bool:
        """Whether a temporary holds what a function with several returns will return."""
        fn = self.recording.program.function(name)
        loads = {i.slot for i in fn.instrs if i.op == "load" and i.args[0] == slot}
        return any(i.op == "ret" and i.args and i.args[0] in loads for i in fn.instrs)

    def _cell(self, shown: str, size: int, t: CType | None, function: str) -> Cell:
        name = self.unique(f"{function}::{shown}" if function else shown)
        kind = t.kind if t is not None else ""
        return Cell(name, 8 * size, shown, type_name(t), kind not in _UNSIGNED, function)

    def result(self, function: str, width: int, caller: str, t: str = "") -> Cell:
        """The cell of what a function returns, on its way to the caller."""
        return Cell(self.unique(f"{function}()"), width, f"{function}()", t, True, caller)

    def text(self, what: str, says: str) -> Cell:
        """The cell that tells whether an argument, or what a library call left in memory, is as recorded."""
        return Cell(self.unique(f"{what} text"), 0, f"{what} {says}", "bool", False)

    def earlier(self, shown: str, width: int, function: str) -> Cell:
        """A cell that keeps a value while what it was read from changes."""
        return Cell(self.unique(f"{shown}'"), width, shown, "", True, function)

    def unknown(self, shown: str, width: int) -> Cell:
        """A cell whose value nothing says."""
        return Cell(self.unique(f"?{shown}"), width, f"unknown {shown}", UNKNOWN, True, "")


def type_name(t: CType | None, deep: int = 0) -> str:
    """A type as C writes it; "" where there is none."""
    if t is None:
        return ""
    if t.kind == "pointer":
        inner = type_name(t.pointee, deep + 1) if deep < 4 else "void"
        return f"{inner or 'void'} *".replace("* *", "**")
    return t.name or t.kind
