"""Which decisions could have led to an assignment of a variable: the static half of potential dependence.

Cells are named by how the program writes them: a local, a global, a field of a struct type, an element behind a pointer variable. Two names that
are equal may be the same cell; different names are taken to be different cells, which misses some aliases.
"""

from __future__ import annotations

from dataclasses import dataclass

from butfor.program.graphs import control_dependence, successors
from butfor.program.model import Const, Function, Instr, Operand
from butfor.program.program import Program
from butfor.program.types import Kind, Type

Key = tuple[object, ...]
OUTPUT: Key = ("output",)  # standard output as a cell that printing functions assign
PRINTING = frozenset(
    "printf puts putchar putc fputc fputs fwrite fprintf vprintf vfprintf write putchar_unlocked putc_unlocked _IO_putc perror".split()
)
_WRITING = (
    "llvm.mem",
    "strcpy",
    "strncpy",
    "memcpy",
    "memmove",
    "memset",
    "sprintf",
    "snprintf",
    "strcat",
    "strncat",
    "fgets",
    "sscanf",
    "scanf",
    "fscanf",
)


@dataclass(frozen=True, slots=True, order=True)
class Arm:
    """One way out of a branch: the function, the block that ends in the branch, and the successor's place among its successors."""

    function: str
    block: int
    successor: int


def cell_key(fn: Function, op: Operand, frame: dict[int, int]) -> Key | None:
    """The name of the cell at an address, or None when it cannot be named."""
    steps: list[object] = []
    for _ in range(64):
        if isinstance(op, Const):
            if op.kind == "global":
                return ("global", op.value, *steps)
            if op.kind == "expr" and op.value[0] == "gep":
                _, detail, args = op.value
                field = _field(detail[0], args[1:])
                if field is not None:
                    return field
                op = args[0]
                continue
            return None
        if op in frame:
            return ("local", fn.name, op, *steps)
        d = fn.definer[op]
        if d < 0:
            return ("local", fn.name, ("param", op), *steps)
        instr = fn.instrs[d]
        if instr.op == "gep":
            field = _field(instr.detail[0], instr.args[1:])
            if field is not None:
                return field
            op = instr.args[0]
        elif instr.op == "load":
            steps.append("*")
            op = instr.args[0]
        elif instr.op in ("bitcast", "freeze"):
            op = instr.args[0]
        else:
            return None
    return None


def _field(source: Type, indices: tuple[Operand, ...]) -> Key | None:
    if source.kind is not Kind.STRUCT or len(indices) < 2:
        return None
    place = indices[1]
    return ("field", source, place.value or 0) if isinstance(place, Const) else None


class MayDefine:
    """For each cell name the arms under which some statement assigns it. Sets of cells are bit sets: `_bits` has the bit of each."""

    def __init__(self, program: Program, functions: tuple[str, ...]) -> None:
        self.program = program
        self._defined = frozenset(program.source.function_names())
        self._bits: dict[Key, int] = {}
        self._arms: dict[Key, tuple[Arm, ...]] = {}
        self._locals = 0
        self._blocks: dict[str, list[tuple[int, set[str]]]] = {}  # for each block: cells assigned there, functions called
        self._summaries = self._summarise(functions)
        self._executed = [(name, k, self._all(cells, calls)) for name in functions for k, (cells, calls) in enumerate(self._blocks[name])]

    def arms(self, key: Key) -> tuple[Arm, ...]:
        """The arms under which the cell may be assigned."""
        found = self._arms.get(key)
        if found is None:
            bit = self._bits.get(key, 0)
            places: dict[str, list[int]] = {}
            for name, block, cells in self._executed:
                if cells & bit:
                    places.setdefault(name, []).append(block)
            found = tuple(arm for name, blocks in places.items() for arm in sorted(self._arms_over(name, blocks)))
            self._arms[key] = found
        return found

    def _all(self, cells: int, calls: set[str]) -> int:
        for callee in calls:
            cells |= self._summaries[callee]
        return cells

    def _arms_over(self, name: str, blocks: list[int]) -> set[Arm]:
        """All arms that one of the blocks lies under, inner and outer."""
        deps = control_dependence(successors(self.program.function(name)))
        found: set[Arm] = set()
        work, seen = list(blocks), set(blocks)
        while work:
            for branch, successor in deps[work.pop()]:
                found.add(Arm(name, branch, successor))
                if branch not in seen:
                    seen.add(branch)
                    work.append(branch)
        return found

    def _summarise(self, functions: tuple[str, ...]) -> dict[str, int]:
        """Globals and fields that each function, or what it calls, may assign."""
        cells: dict[str, int] = {}
        callers: dict[str, list[str]] = {}
        work = list(functions)
        while work:
            name = work.pop()
            if name in cells:
                continue
            self._blocks[name] = self._scan(name)
            cells[name] = 0
            for assigned, calls in self._blocks[name]:
                cells[name] |= assigned
                for callee in calls:
                    callers.setdefault(callee, []).append(name)
                work.extend(calls)
            cells[name] &= ~self._locals
        work = list(cells)
        while work:
            name = work.pop()
            for caller in callers.get(name, ()):
                if cells[name] & ~cells[caller]:
                    cells[caller] |= cells[name]
                    work.append(caller)
        return cells

    def _scan(self, name: str) -> list[tuple[int, set[str]]]:
        fn, frame = self.program.function(name), self.program.layout(name).frame
        rows = []
        for block in fn.blocks:
            cells, calls = 0, set()
            for instr in fn.instrs[block.start : block.end]:
                for key in self._stored(fn, instr, frame):
                    cells |= self._bit(key)
                if instr.op == "call" and instr.detail.callee in self._defined:
                    calls.add(instr.detail.callee)
            rows.append((cells, calls))
        return rows

    def _bit(self, key: Key) -> int:
        bit = self._bits.get(key)
        if bit is None:
            bit = self._bits[key] = 1 << len(self._bits)
            if key[0] == "local":
                self._locals |= bit
        return bit

    def _stored(self, fn: Function, instr: Instr, frame: dict[int, int]) -> set[Key]:
        """The cells that an instruction may assign."""
        key = self._target(fn, instr, frame)
        if key is None:
            return set()
        return {key} | (_pointees(fn, key, frame) if key[-1] == "*" and len(key) == 4 else set())

    def _target(self, fn: Function, instr: Instr, frame: dict[int, int]) -> Key | None:
        if instr.op == "store":
            return cell_key(fn, instr.args[1], frame)
        callee = instr.detail.callee if instr.op == "call" else None
        if callee in PRINTING:
            return OUTPUT
        if callee is not None and callee.startswith(_WRITING) and instr.args:
            return cell_key(fn, instr.args[0], frame)
        return None


def _pointees(fn: Function, key: Key, frame: dict[int, int]) -> set[Key]:
    """What a local pointer variable was made to point to in its function."""
    found: set[Key] = set()
    for instr in fn.instrs:
        if instr.op == "store" and instr.detail.kind is Kind.PTR and instr.args[1] == key[2]:
            target = cell_key(fn, instr.args[0], frame)
            if target is not None and target != key:
                found.add(target)
    return found
