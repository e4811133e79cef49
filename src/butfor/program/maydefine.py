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


@dataclass(frozen=True, slots=True)
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
    """For each cell name the arms under which some statement assigns it."""

    def __init__(self, program: Program, functions: tuple[str, ...]) -> None:
        self.program = program
        self.arms: dict[Key, set[Arm]] = {}
        self._summaries: dict[str, frozenset[Key]] = {}
        for name in functions:
            self._collect(name)

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

    def _summary(self, name: str) -> frozenset[Key]:
        """Globals and fields that a function or what it calls may assign."""
        done = self._summaries.get(name)
        if done is not None:
            return done
        seen: dict[str, set[Key]] = {}
        calls: dict[str, set[str]] = {}
        work = [name]
        while work:
            current = work.pop()
            if current in seen or current not in self.program.source.function_names():
                continue
            fn, frame = self.program.function(current), self.program.layout(current).frame
            keys: set[Key] = set()
            callees: set[str] = set()
            for instr in fn.instrs:
                keys |= {key for key in self._stored(fn, instr, frame) if key[0] != "local"}
                if instr.op == "call" and instr.detail.callee is not None:
                    callees.add(instr.detail.callee)
            seen[current], calls[current] = keys, callees
            work.extend(callees)
        result = frozenset(k for keys in seen.values() for k in keys)
        self._summaries[name] = result
        return result

    def _collect(self, name: str) -> None:
        fn, frame = self.program.function(name), self.program.layout(name).frame
        deps = control_dependence(successors(fn))
        for block in fn.blocks:
            keys: set[Key] = set()
            for instr in fn.instrs[block.start : block.end]:
                keys |= self._stored(fn, instr, frame)
                if instr.op == "call" and instr.detail.callee in self.program.source.function_names():
                    keys |= self._summary(instr.detail.callee)
            if not keys:
                continue
            for arm in _arms_over(name, block.index, deps):
                for key in keys:
                    self.arms.setdefault(key, set()).add(arm)


def _pointees(fn: Function, key: Key, frame: dict[int, int]) -> set[Key]:
    """What a local pointer variable was made to point to in its function."""
    found: set[Key] = set()
    for instr in fn.instrs:
        if instr.op == "store" and instr.detail.kind is Kind.PTR and instr.args[1] == key[2]:
            target = cell_key(fn, instr.args[0], frame)
            if target is not None and target != key:
                found.add(target)
    return found


def _arms_over(name: str, block: int, deps: tuple[tuple[tuple[int, int], ...], ...]) -> set[Arm]:
    """All arms that a block lies under, inner and outer."""
    found: set[Arm] = set()
    work = [block]
    seen = {block}
    while work:
        for branch, successor in deps[work.pop()]:
            found.add(Arm(name, branch, successor))
            if branch not in seen:
                seen.add(branch)
                work.append(branch)
    return found
