"""Other variables of the same type that are in scope at a site."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from butfor.counterfactual.change_rules import Op, Rule
from butfor.ir.change_sites import Site
from butfor.ir.debug_types import CType, Variable
from butfor.ir.instructions import Const, Function, Instr, Operand
from butfor.ir.program import Program
from butfor.libc.library import TEXT_VARIABLES
from butfor.trace.view.declared_types import DeclaredTypes

# The slot of a local variable or the name of a global one, the variable, the rule that uses it.
VariableRule = tuple[int | str, Variable, Rule]

MAX_LOCALS_PER_SITE = 8  # the nearest ones: others are rarely confused with what is read
MAX_VARIABLES_PER_SITE = 16  # local and global
_NO_LINE = 1 << 30  # of an instruction without a position: all variables are declared before


class VariablesInScope:
    """Rules that use another variable of the right type."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.source = program.source
        self.types = DeclaredTypes(program)
        self._globals: list[tuple[int, str, Variable]] | None = None

    def replacements(
        self, site: Site, fn: Function, instr: Instr, address: Operand | None, *, right: bool = False
    ) -> Iterator[Rule]:
        """Rules that read another variable than the one at `address`; `right` replaces the right side only."""
        found = 0
        pointer = self._pointer_type(site, fn, instr, address) if site.is_pointer else None
        is_text = isinstance(address, Const) and address.value in TEXT_VARIABLES
        for where, v, rule in self.readable(site, fn, instr, right=right):
            is_read_now = where == (address.value if isinstance(address, Const) else address)
            is_alike = (is_text and _is_text(v.type)) or (pointer is not None and _points_alike(v.type, pointer))
            if site.is_pointer and not is_alike:
                continue  # it would lead to an object of another kind
            if not is_read_now and found < (MAX_LOCALS_PER_SITE if isinstance(where, int) else MAX_VARIABLES_PER_SITE):
                found += 1
                yield rule

    def _pointer_type(self, site: Site, fn: Function, instr: Instr, address: Operand | None) -> CType | None:
        """The type of the pointer at a site: read from or stored at an address, or passed to a function."""
        if address is not None:
            return self.types.pointer(fn, address)
        if instr.op == "ret" or instr.callee is None or not self.program.defines(instr.callee):
            return None
        parameters = [v for v in self.source.variables(self.program.function(instr.callee)).values() if v.is_parameter]
        found = parameters[site.operand].type if 0 <= site.operand < len(parameters) else None
        return found if found is not None and found.kind == "pointer" else None

    def readable(self, site: Site, fn: Function, instr: Instr, *, right: bool = False) -> Iterator[VariableRule]:
        """All variables whose value fits a site, the nearest first."""
        local, other = (Op.RIGHT_LOCAL, Op.RIGHT_GLOBAL) if right else (Op.LOCAL, Op.GLOBAL)
        where = self.source.location(instr)
        line = where.line if where is not None else _NO_LINE
        frame = self.program.layout(fn.name).frame
        for slot, v in sorted(self.source.variables(fn).items(), key=lambda item: -item[1].line):
            if slot in frame and v.line <= line and _fits(site, v.type):
                yield slot, v, Rule(site.number, local, frame[slot], size=v.type.size, name=v.name)
        for number, name, v in self._global_variables():
            if _fits(site, v.type):
                yield name, v, Rule(site.number, other, number, size=v.type.size, name=v.name)

    def additions(
        self, site: Site, fn: Function, instr: Instr, scale: int = 1, limit: int = MAX_LOCALS_PER_SITE
    ) -> Iterator[Rule]:
        """Rules that add another variable in scope, multiplied by `scale`, to a value or an address."""
        for slot, _, rule in islice(self.addable(site, fn, instr, scale), limit):
            if slot not in instr.args:
                yield rule

    def addable(self, site: Site, fn: Function, instr: Instr, scale: int) -> Iterator[VariableRule]:
        """All local variables that can be added, the nearest first: floats to floats, integers to all else."""
        kinds = ("float",) if site.is_real else ("signed", "unsigned")
        frame = self.program.layout(fn.name).frame
        where = self.source.location(instr)
        for slot, v in sorted(self.source.variables(fn).items(), key=lambda item: -item[1].line):
            if (
                slot in frame
                and v.type.kind in kinds
                and v.type.size in (4, 8)
                and where is not None
                and v.line <= where.line
            ):
                yield slot, v, Rule(site.number, Op.PLUS_LOCAL, frame[slot], scale, size=v.type.size, name=v.name)

    def other_addresses(self, site: Site, fn: Function, instr: Instr) -> Iterator[Rule]:
        """Rules that pass the address of another variable of the same type."""
        operand = instr.args[site.operand]
        for where, _, rule in self.addressable(site, fn, instr):
            if where != (operand.value if isinstance(operand, Const) else operand):
                yield rule

    def addressable(self, site: Site, fn: Function, instr: Instr) -> Iterator[VariableRule]:
        """All variables of the same type as the one whose address is passed."""
        operand = instr.args[site.operand]
        here = self.source.variables(fn)
        frame = self.program.layout(fn.name).frame
        if isinstance(operand, int):
            mine = here.get(operand)
        else:
            mine = self.source.global_declaration(operand.value) if operand.kind == "global" else None
        if mine is None:
            return
        for slot, v in here.items():
            if slot in frame and _is_same_type(v.type, mine.type):
                yield slot, v, Rule(site.number, Op.ADDRESS_LOCAL, frame[slot], size=v.type.size, name=v.name)
        for number, name, v in self._global_variables():
            if _is_same_type(v.type, mine.type):
                yield name, v, Rule(site.number, Op.ADDRESS_GLOBAL, number, name=v.name)

    def _global_variables(self) -> list[tuple[int, str, Variable]]:
        if self._globals is None:
            rows = (
                (k, name, self.source.global_declaration(name))
                for k, (name, size) in enumerate(self.program.global_table)
                if size
            )
            self._globals = [(k, name, v) for k, name, v in rows if v is not None]
        return self._globals


def _is_same_type(a: CType, b: CType) -> bool:
    return (a.kind, a.name, a.size) == (b.kind, b.name, b.size)


def _points_alike(a: CType, b: CType) -> bool:
    """Whether two pointers point to the same type; what a `void *` points to may be anything."""
    x, y = a.pointee, b.pointee
    if x is None or y is None or "void" in (x.kind, y.kind):
        return True
    return _is_same_type(x, y) and (x.kind != "pointer" or _points_alike(x, y))


def _is_text(t: CType) -> bool:
    return t.pointee is not None and t.pointee.kind == "char"


def _fits(site: Site, t: CType) -> bool:
    """Whether a variable of this type can replace the value of a site."""
    if site.is_pointer:
        return t.kind == "pointer"
    if site.is_real:
        return t.kind == "float" and t.size in (4, 8)
    return t.kind in ("signed", "unsigned", "char", "uchar", "bool", "enum") and t.size * 8 == site.bits
