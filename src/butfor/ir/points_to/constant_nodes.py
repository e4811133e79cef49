"""Constants and initial values as nodes of the points-to analysis."""

from __future__ import annotations

from butfor.ir.instructions import Const, Operand
from butfor.ir.machine_types import Kind, struct_layout
from butfor.ir.points_to.inclusion_solver import NO_NODE
from butfor.ir.points_to.memory_places import ObjectKey
from butfor.ir.points_to.object_shapes import ObjectShape, gep_path
from butfor.ir.points_to.points_to_sets import PointsToSets
from butfor.ir.program import Program
from butfor.libc.library import VARIABLES

LITERALS: ObjectKey = ("literals",)  # all string literals: nothing is ever assigned to them


class ConstantNodes:
    """Nodes of constants; the objects of global variables are created when they are first used."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.solution = PointsToSets()
        self.defined = frozenset(program.names)
        self.variables = program.source.global_variables()
        self._pointers: dict[int, int] = {}  # place -> node that points to just this

    def point_at(self, node: int, number: int) -> None:
        """Let a node point to the start of an object."""
        if node != NO_NODE:
            self.solution.add(node, 1 << self.solution.place(number, 0))

    def flow(self, a: int, b: int) -> None:
        """Let b point to whatever a may point to."""
        if a != NO_NODE and b != NO_NODE:
            self.solution.copy(a, b)

    def join(self, nodes: list[int]) -> int:
        """The node that may point to whatever any of these may."""
        held = sorted({n for n in nodes if n != NO_NODE})
        if len(held) <= 1:
            return held[0] if held else NO_NODE
        joint = self.solution.node()
        for n in held:
            self.solution.copy(n, joint)
        return joint

    def arguments(self) -> int:
        """The object of the program's command-line arguments."""
        given = self.solution.object(("arguments",), ObjectShape(flat=True))
        self.point_at(self.solution.word(given, 0), given)
        return given

    def pointer(self, number: int, offset: int = 0) -> int:
        """The node that points to just one place."""
        place = self.solution.place(number, offset)
        node = self._pointers.get(place)
        if node is None:
            node = self._pointers[place] = self.solution.node()
            self.solution.add(node, 1 << place)
        return node

    def constant(self, c: Const) -> int:
        """The node of a constant."""
        if c.kind == "global":
            return self.pointer(self._global(c.value))
        if c.kind == "agg":
            return self.join([self.constant(e) for e in c.value])
        if c.kind != "expr":
            return NO_NODE
        op, detail, args = c.value
        if op == "gep":
            base = self.constant(args[0])
            return base if base == NO_NODE else self.solution.shifted(base, gep_path(detail[0], args[1:]))
        return self.join([self.constant(a) for a in args])

    def _global(self, name: str) -> int:
        s = self.solution
        variable = self.variables.get(name)
        if variable is None:
            return s.object(("function", name), bare=True)
        if name.startswith(".str") and variable.init is not None:
            return s.object(LITERALS, ObjectShape(flat=True), bare=True)
        number = s.number(("global", name))
        if number is None:
            number = s.object(
                ("global", name),
                ObjectShape(variable.type) if variable.type.kind is not Kind.OTHER else ObjectShape(flat=True),
            )
            if variable.init is None:
                self._external(name, number)
            else:
                self._fill(number, variable.init, 0)
        return number

    def _external(self, name: str, number: int) -> None:
        """Initialise a variable that is defined elsewhere: it holds something of the library, or is unknown."""
        if name in VARIABLES:
            held = (
                self.arguments()
                if name == "optarg"
                else self.solution.object(("library", name), ObjectShape(flat=True))
            )
            self.point_at(self.solution.word(number, 0), held)
        else:
            self.point_at(self.solution.unknown, number)

    def literal(self, op: Operand) -> bytes:
        """The text of a string literal; empty for all else."""
        variable = self.variables.get(op.value) if isinstance(op, Const) and op.kind == "global" else None
        return (
            variable.init.value
            if variable is not None and variable.init is not None and variable.init.kind == "bytes"
            else b""
        )

    def _fill(self, number: int, c: Const, offset: int) -> None:
        """Store the pointers of an initial value in an object."""
        if c.kind == "agg":
            if c.type.kind is Kind.STRUCT:
                offsets = struct_layout(c.type)[0]
            elif c.type.elem.kind in (Kind.INT, Kind.FLOAT):
                return
            else:
                offsets = (0,) * len(c.value)  # all elements are one
            for at, e in zip(offsets, c.value, strict=True):
                self._fill(number, e, offset + at)
        elif c.kind in ("global", "expr"):
            node = self.constant(c)
            if node != NO_NODE:
                self.solution.store(self.pointer(number, offset), node, 8)
