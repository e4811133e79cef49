"""Which writes may touch some bytes of an abstract object, and through which calls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from butfor.ir.instructions import Const, Function, Instr, Operand
from butfor.ir.machine_types import Kind, Type
from butfor.ir.points_to.function_facts import CallNodes, FunctionFacts, ParameterPath, Write
from butfor.ir.points_to.inclusion_solver import NO_NODE
from butfor.ir.points_to.instruction_constraints import PointsToAnalysis
from butfor.ir.points_to.memory_places import ObjectKey
from butfor.ir.points_to.object_shapes import ANYWHERE, OffsetPath

MAX_BYTES_PER_CELL = 64  # larger accesses are copies of whole objects; their first bytes stand for the rest
_MAX_PATH_STEPS = 4  # moves from a parameter to what is written; recursion makes longer ones, without end
StructField = tuple[Type, int]
ParameterWrite = tuple[ParameterPath, int, bool]
"""What a function writes through a parameter: where, how many bytes, whether just the item that begins there."""
FunctionWrite = tuple[FunctionFacts, Write]


@dataclass(frozen=True, slots=True)
class AbstractCell:
    """Some bytes of an abstract object."""

    key: ObjectKey
    offset: int = 0
    size: int = 0
    is_exact: bool = True  # the offset is that of the bytes themselves, not of the element that represents an array
    field: StructField | None = None  # the member that is named there; used only if points-to was given up


class ProgramWrites:
    """The writes of all functions that were analysed."""

    def __init__(self, found: PointsToAnalysis) -> None:
        self._found = found
        self._solution = found.solution
        self._precise = found.solution.complete
        self._touching: dict[int, list[tuple[int, int, bool, list[FunctionWrite]]]] = {}
        self._ends: dict[tuple[int, tuple[OffsetPath, ...]], int] = {}
        self._masks: dict[tuple[ObjectKey, int, int, int, bool], int] = {}

    # --- calls ----------------------------------------------------------------------------------------------

    def callers(
        self, facts: FunctionFacts, reach: ParameterWrite | None, cell: AbstractCell
    ) -> Iterator[tuple[FunctionFacts, Instr, Operand | None, ParameterWrite | None]]:
        """The calls through which a function comes to write a cell, and what callers write through their parameters.

        The operand is the argument through which the function writes; calls whose argument cannot lead to the cell are
        left out.
        """
        for site in facts.sites:
            if reach is None or not self._precise:
                yield site.facts, site.instr, None, None
            elif self._fits(site, reach, cell):
                (k, paths), size, item = reach
                op = site.instr.args[k]
                via = self._found.via(site.facts, op)
                if via is not None and len(via[1]) + len(paths) <= _MAX_PATH_STEPS:
                    yield site.facts, site.instr, op, ((via[0], via[1] + paths), size, item)
                else:
                    yield site.facts, site.instr, op, None
        for caller, instr in self._indirect_calls(facts.fn.name):
            yield caller, instr, None, None

    def _fits(self, site: CallNodes, reach: ParameterWrite, cell: AbstractCell) -> bool:
        (k, paths), size, item = reach
        if k >= len(site.args) or site.args[k] == NO_NODE:
            return False
        places = self._ends.get((site.args[k], paths))
        if places is None:
            places = self._solution.bits_of(site.args[k])
            for path in paths:
                places = self._solution.along(places, path)
            self._ends[site.args[k], paths] = places
        return bool(places & self._mask(cell, size, item))

    def _indirect_calls(self, name: str) -> Iterator[tuple[FunctionFacts, Instr]]:
        """The calls of a function that are not by its name; all calls through pointers when those are unresolved."""
        yield from self._resolved_calls.get(name, ())
        number = self._solution.number(("function", name))
        if number is None:
            return
        if self._solution.objects[number].escaped:
            yield from self._resolved_calls.get(None, ())
        if not self._precise:
            yield from ((facts, instr) for facts in self._found.facts.values() for instr in facts.pointers)

    @cached_property
    def _resolved_calls(self) -> dict[str | None, list[tuple[FunctionFacts, Instr]]]:
        """The calls through pointers by the function that is called; None: any function whose address got outside."""
        found: dict[str | None, list[tuple[FunctionFacts, Instr]]] = {}
        for facts in self._found.facts.values():
            for (_, name), instr in facts.calls.items():
                found.setdefault(name, []).append((facts, instr))
        return found

    # --- writes ---------------------------------------------------------------------------------------------

    @cached_property
    def _named(self) -> dict[ObjectKey, list[FunctionWrite]]:
        """The writes to variables by name."""
        found: dict[ObjectKey, list[FunctionWrite]] = {}
        for facts in self._found.facts.values():
            for w in facts.writes:
                if w.exact is not None:
                    found.setdefault(w.exact[0], []).append((facts, w))
        return found

    @cached_property
    def _pointed(self) -> list[tuple[int, int, bool, list[FunctionWrite]]]:
        """The writes through pointers, grouped by where they may write, how many bytes, whether just the item there."""
        found: dict[tuple[int, int, bool], list[FunctionWrite]] = {}
        for facts in self._found.facts.values():
            for w in facts.writes:
                if w.exact is None:
                    found.setdefault((self._solution.find(w.node), w.size, w.item), []).append((facts, w))
        return [(self._solution.bits_of(node), size, item, rows) for (node, size, item), rows in found.items()]

    def by_name(self, cell: AbstractCell) -> Iterator[FunctionWrite]:
        """The writes to the variable itself that touch a cell of it."""
        number = self._solution.number(cell.key)
        for facts, w in self._named.get(cell.key, ()):
            assert w.exact is not None
            start = w.exact[1]
            end = (
                self._solution.objects[number].shape.end_of_item(start)
                if w.item and number is not None
                else start + w.size
            )
            if not cell.is_exact or (start < cell.offset + cell.size and cell.offset < end):
                yield facts, w

    def by_pointer(self, cell: AbstractCell) -> Iterator[FunctionWrite]:
        """The writes through pointers that may touch a cell."""
        number = self._solution.number(cell.key)
        if number is None and cell.key[0] == "local":  # nothing points to it
            return
        if not self._precise:
            yield from (
                (facts, w) for _, _, _, rows in self._pointed for facts, w in rows if _may_be(cell, facts.fn, w)
            )
        elif number is not None:
            groups = self._touching.get(number)
            if groups is None:
                whole = sum(1 << p for p in self._solution.objects[number].places)
                groups = self._touching[number] = [g for g in self._pointed if g[0] & whole]
            for bits, size, item, rows in groups:
                if bits & self._mask(cell, size, item):
                    yield from rows

    def _mask(self, cell: AbstractCell, size: int, item: bool) -> int:
        """The places from which a write of so many bytes touches a cell."""
        key = (cell.key, cell.offset, cell.size, size, item)
        bits, number = self._masks.get(key), self._solution.number(cell.key)
        if bits is None and number is not None:
            o = self._solution.objects[number]
            touched = {o.shape.cell(cell.offset + k) for k in range(min(max(cell.size, 1), MAX_BYTES_PER_CELL))}
            bits = 0
            for p in o.places:
                at = self._solution.place_offset[p]
                length = o.shape.end_of_item(at) - at if item and at != ANYWHERE else size
                if cell.offset == ANYWHERE or any(o.shape.covers(at, length, byte) for byte in touched):
                    bits |= 1 << p
            self._masks[key] = bits
        return bits or 0


def field_of(fn: Function, op: Operand) -> StructField | None:
    """The member of a struct that an address is computed for."""
    if isinstance(op, Const):
        if op.kind != "expr" or op.value[0] != "gep":
            return None
        source, args = op.value[1][0], op.value[2]
    else:
        instr = fn.definition(op)
        if instr is None or instr.op != "gep":
            return None
        source, args = instr.detail[0], instr.args
    if source.kind is not Kind.STRUCT or len(args) < 3 or not isinstance(args[2], Const):
        return None
    return source, args[2].value or 0


def _may_be(cell: AbstractCell, fn: Function, w: Write) -> bool:
    """Whether a write through a pointer may touch a cell, by the members that are named and by size."""
    field = None if w.address is None else field_of(fn, w.address)
    if field is not None and cell.field is not None:
        return field == cell.field
    return w.item or w.size >= min(cell.size, 16) or w.address is None
