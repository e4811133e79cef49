"""Which arms of branches could have led to an assignment of a cell: static potential dependence.

A cell is some bytes of an abstract object: a variable, a parameter passed by value, the blocks that one call allocates.
Which cells a write may assign comes from the points-to analysis; a write through a parameter counts for a call only if
the argument may point to the cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from butfor.ir.call_reachability import CallReachability
from butfor.ir.flow_graphs import control_dependence, successors
from butfor.ir.instructions import Function, Instr, Operand
from butfor.ir.machine_types import store_size
from butfor.ir.points_to.constant_nodes import LITERALS
from butfor.ir.points_to.function_facts import FunctionFacts, Write
from butfor.ir.points_to.inclusion_solver import NO_NODE, set_bits
from butfor.ir.points_to.instruction_constraints import analyse_points_to
from butfor.ir.points_to.may_write import (
    MAX_BYTES_PER_CELL,
    AbstractCell,
    FunctionWrite,
    ParameterWrite,
    ProgramWrites,
    StructField,
    field_of,
)
from butfor.ir.points_to.memory_places import ObjectKey
from butfor.ir.points_to.object_shapes import UNBOUNDED
from butfor.ir.program import Program
from butfor.libc.library import control_of, prints
from butfor.libc.record import Control

OUTPUT = AbstractCell(("output",))  # standard output as a cell that printing functions assign
_ENDING = frozenset((Control.EXIT, Control.FAILURE))
_MAX_REASONS_PER_ARM = 8  # with more, checking each address of the run costs more than it rules out
_MAX_TRACED_WRITES_PER_CELL = 400  # with more, tracing each back through its callers takes seconds
Block = tuple[str, int]


@dataclass(frozen=True, slots=True, order=True)
class Arm:
    """One outgoing edge of a branch."""

    function: str
    block: int  # the block that ends in the branch
    successor: int  # index among its successors


@dataclass(frozen=True, slots=True)
class WriteReason:
    """Why a block may assign a cell: it writes at an address, or passes it to a function that writes to that object."""

    instr: Instr
    address: Operand | None = None  # None when it cannot be named
    size: int = 0  # 0 for an address that is passed


@dataclass(frozen=True, slots=True, eq=False)
class DefiningArms:
    """The arms under which a cell may be assigned, by their numbers."""

    own: tuple[int, ...]  # by name, so only in the frame of the variable
    explained: tuple[tuple[int, tuple[WriteReason, ...]], ...]  # with everything that may assign it there
    unexplained: int  # a bit set of all others: the address cannot be named, or there are too many reasons


Blocks = dict[Block, list[WriteReason]]


@dataclass(frozen=True, slots=True, eq=False)
class _CellWriters:
    """What may assign a cell."""

    own: Blocks  # blocks in the frame of the variable
    free: Blocks  # blocks in any frame
    calls: int  # a bit set of calls that lead to some of these
    arms: int  # a bit set of the arms that those calls are under


class MayDefine:
    """For each cell the arms under which some statement assigns it; `precise` is False if points-to was given up."""

    def __init__(
        self, program: Program, functions: tuple[str, ...], is_over: Callable[[], bool] = lambda: False
    ) -> None:
        self.program = program
        self._found = analyse_points_to(program, functions, is_over)
        self._solution = self._found.solution
        self.precise = self._solution.complete
        self._writes = ProgramWrites(self._found)
        self._executed = frozenset(functions)
        self._dependences: dict[str, tuple[tuple[tuple[int, int], ...], ...]] = {}
        self._quiet: dict[str, bool] = {}
        self.arms: list[Arm] = []
        self._numbers: dict[Arm, int] = {}
        self._arms: dict[Block, int] = {}
        self._defining: dict[tuple[AbstractCell, tuple[FunctionWrite, ...]], DefiningArms] = {}
        self._known: dict[tuple[AbstractCell, tuple[FunctionWrite, ...]], _CellWriters] = {}

    @property
    def left_out(self) -> int:
        """How many functions are too far from those that ran to be looked into."""
        return len(self._found.near.left_out)

    # --- cells ----------------------------------------------------------------------------------------------

    def named_writers(self, cell: AbstractCell) -> list[tuple[Function, Instr]]:
        """The writes of executed functions to the variable itself that touch a cell of it."""
        return [(facts.fn, w.instr) for facts, w in self._writes.by_name(cell) if facts.fn.name in self._executed]

    def computed_writers(self, cell: AbstractCell) -> list[tuple[Function, Instr]]:
        """The writes of executed functions through computed addresses that may touch a cell."""
        writes = [(facts.fn, w.instr) for facts, w in self._writes.by_pointer(cell)]
        return [(fn, instr) for fn, instr in writes if fn.name in self._executed]

    def writers_of_any_length(self, cell: AbstractCell) -> list[tuple[Function, Instr]]:
        """The calls in executed functions that may write a cell, and of which the call says how much they write."""
        writes = [*self._writes.by_name(cell), *self._writes.by_pointer(cell)]
        return [
            (facts.fn, w.instr)
            for facts, w in writes
            if w.size == UNBOUNDED and w.instr.op == "call" and facts.fn.name in self._executed
        ]

    def global_key(self, name: str) -> ObjectKey:
        """The key of a global variable."""
        return LITERALS if name.startswith(".str") else ("global", name)

    def field(self, fn: Function, load: Instr) -> StructField | None:
        """The member that a load reads by name; only needed where points-to sets are unknown."""
        return None if self.precise else field_of(fn, load.args[0])

    def block_key(self, calls: Iterator[tuple[str, Instr]]) -> ObjectKey:
        """The key of a heap block, from the call that allocated it and the calls that led there.

        `calls` are functions and instructions, innermost first.
        """
        allocators = self._found.allocators
        name, call = next(calls)
        while call.index in allocators.of(name).calls:
            outer = next(calls, None)
            if outer is None or not allocators.called_by(*outer).calls:
                return ("heap", name, -1)
            name, call = outer
        return ("heap", name, call.index)

    def plain(self, fn: Function) -> frozenset[int]:
        """The local variables of a function that are accessed only by name."""
        return self._found.allocators.uses(fn).plain

    def parameter(self, fn: Function, slot: int) -> int:
        """The parameter that a local variable holds and never changes, or -1."""
        return self._found.allocators.uses(fn).parameters.get(slot, -1)

    def is_quiet(self, name: str) -> bool:
        """Whether a function of the program only computes a value, without side effects short of failing."""
        if name not in self._quiet:
            self._quiet[name] = name in self._found.facts and self._looks_quiet(self.program.function(name))
        return self._quiet[name]

    def _looks_quiet(self, fn: Function) -> bool:
        for instr in fn.instrs:
            if instr.op == "store" and instr.args[1] not in self.plain(fn):
                return False
            if instr.op in ("atomicrmw", "cmpxchg") or (instr.op == "call" and control_of(instr.callee) not in _ENDING):
                return False
        return [len(instr.args) for instr in fn.instrs if instr.op == "ret"] == [1]

    def cells_of(self, fn: Function, load: Instr) -> tuple[AbstractCell, ...]:
        """The cells that a load may read, as far as that is known statically."""
        facts, op, size = self._found.facts[fn.name], load.args[0], store_size(load.type)
        exact = self._found.exact(facts, op)
        if op in self.plain(fn):
            exact = ("local", fn.name, op), 0
        if exact is not None:
            return (AbstractCell(*exact, size),)
        s, field = self._solution, self.field(fn, load)
        node = self._found.value(facts, op)
        return tuple(
            AbstractCell(s.objects[s.place_object[p]].key, s.place_offset[p], size, False, field)
            for p in s.places_of(node)
        )

    # --- arms -----------------------------------------------------------------------------------------------

    def defining_arms(self, cell: AbstractCell) -> DefiningArms:
        """The arms under which the cell may be assigned."""
        alike, named = self._alike(cell)
        found = self._defining.get((alike, named))
        if found is None:
            found = self._defining[alike, named] = self._arms_over(self._writing(cell))
        return found

    def writers(self, cell: AbstractCell, function: str, block: int) -> Iterator[Instr]:
        """The instructions of a block that may assign a cell, themselves or by a call."""
        writing = self._writing(cell)
        for blocks in (writing.own, writing.free):
            yield from (reason.instr for reason in blocks.get((function, block), ()))
        yield from self._call_reachability.in_block(writing.calls, function, block)

    def _alike(self, cell: AbstractCell) -> tuple[AbstractCell, tuple[FunctionWrite, ...]]:
        """The cell that represents all elements of an array, and the writes to just this element by name.

        Cells for which both are equal have the same answers.
        """
        number = self._solution.number(cell.key)
        named = tuple(self._writes.by_name(cell))
        if not self.precise and (number is not None or cell.key[0] != "local"):
            return AbstractCell(("pointed",), 0, cell.size, False, cell.field), named
        if number is None or self._solution.objects[number].shape.flat:
            return AbstractCell(cell.key, 0, 1, False, cell.field), named
        return AbstractCell(
            cell.key, self._solution.objects[number].shape.cell(cell.offset), cell.size, False, cell.field
        ), named

    def named(self, cell: AbstractCell) -> Iterator[tuple[Function, Write]]:
        """The writes that assign a cell, or a part of it, by the name of its variable."""
        yield from ((facts.fn, w) for facts, w in self._writes.by_name(cell))

    def _arms_over(self, writing: _CellWriters) -> DefiningArms:
        """All arms of executed functions that writing blocks are under, at any depth, with the known reasons."""
        own = 0
        for place in writing.own:
            own |= self._around(*place)
        unexplained = writing.arms
        for place, reasons in writing.free.items():
            if any(reason.address is None for reason in reasons):
                unexplained |= self._around(*place)
        explained: dict[int, dict[WriteReason, None]] = {}
        for place, reasons in writing.free.items():
            for arm in set_bits(self._around(*place) & ~unexplained):
                explained.setdefault(arm, {}).update(dict.fromkeys(reasons))
        for arm in [arm for arm, reasons in explained.items() if len(reasons) > _MAX_REASONS_PER_ARM]:
            unexplained |= 1 << arm
            del explained[arm]
        return DefiningArms(
            set_bits(own), tuple((arm, tuple(reasons)) for arm, reasons in explained.items()), unexplained
        )

    def _around(self, name: str, block: int) -> int:
        """The arms that a block is control dependent on, transitively; none in a function that was not executed."""
        found = self._arms.get((name, block))
        if found is None:
            found = self._arms[name, block] = self._look_around(name, block) if name in self._executed else 0
        return found

    def _look_around(self, name: str, block: int) -> int:
        deps = self._dependences.get(name)
        if deps is None:
            deps = self._dependences[name] = control_dependence(successors(self.program.function(name)))
        arms = 0
        work, seen = [block], {block}
        while work:
            for branch, successor in deps[work.pop()]:
                arms |= 1 << self._number(Arm(name, branch, successor))
                if branch not in seen:
                    seen.add(branch)
                    work.append(branch)
        return arms

    def _number(self, arm: Arm) -> int:
        known = self._numbers.get(arm)
        if known is None:
            known = self._numbers[arm] = len(self.arms)
            self.arms.append(arm)
        return known

    @cached_property
    def _call_reachability(self) -> CallReachability:
        return CallReachability(self._calls_of, self._found.facts, self._around)

    def _calls_of(self, name: str) -> Iterator[tuple[str, Instr]]:
        yield from (
            (caller.fn.name, call) for caller, call, _, _ in self._writes.callers(self._found.facts[name], None, OUTPUT)
        )

    def _writing(self, cell: AbstractCell) -> _CellWriters:
        """What may assign a cell, itself or by a call."""
        alike, named = self._alike(cell)
        known = self._known.get((alike, named))
        if known is None:
            rows = self._printed if cell == OUTPUT else [*named, *self._writes.by_pointer(alike)]
            known = self._known[alike, named] = self._reached(rows, alike)
        return known

    def _reached(self, writes: list[FunctionWrite], cell: AbstractCell) -> _CellWriters:
        own: Blocks = {}
        free: Blocks = {}
        anyhow: set[str] = set()  # functions that write to the cell whatever their arguments are
        work: list[tuple[FunctionFacts, ParameterWrite]] = []
        for facts, w in writes:
            reason = (
                WriteReason(w.instr, w.address, w.size)
                if w.size < MAX_BYTES_PER_CELL and not w.item
                else WriteReason(w.instr, w.address)
            )
            is_own = w.exact is not None and w.exact[0][0] == "local"
            (own if is_own else free).setdefault((facts.fn.name, w.instr.block), []).append(reason)
            if is_own:
                continue
            if w.via is None or not self.precise or len(writes) > _MAX_TRACED_WRITES_PER_CELL:
                anyhow.add(facts.fn.name)
            else:
                work.append((facts, (w.via, w.size, w.item)))
        seen = set()
        while work:
            facts, reach = item = work.pop()
            if item in seen or facts.fn.name in anyhow:
                continue
            seen.add(item)
            for caller, call, argument, upper in self._writes.callers(facts, reach, cell):
                free.setdefault((caller.fn.name, call.block), []).append(WriteReason(call, argument))
                if upper is None:
                    anyhow.add(caller.fn.name)
                else:
                    work.append((caller, upper))
        calls = arms = 0
        for name in anyhow:
            calls |= self._call_reachability.calls_to(name)
            arms |= self._call_reachability.arms_to(name)
        return _CellWriters(own, free, calls, arms)

    @cached_property
    def _printed(self) -> list[FunctionWrite]:
        return [
            (facts, Write(instr, None, NO_NODE, 0))
            for facts in self._found.facts.values()
            for instr in facts.fn.instrs
            if prints(instr.callee)
        ]
