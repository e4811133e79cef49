"""The static side of one function as columns for the kernels: operands, costs, segments, control dependence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from butfor.ir.flow_graphs import control_dependence, immediate_dominators, immediate_postdominators, successors
from butfor.ir.instructions import Function, Instr
from butfor.ir.recording_segments import AFTER, ENTRY, Layout, Segment
from butfor.libc.library import is_setjmp
from butfor.trace.kernel.structures import CALLEE_INDIRECT, INSTRUCTION_KINDS, FunctionTable
from butfor.trace.log.static_segments import StaticTable

_KIND = {name: number for number, name in enumerate(INSTRUCTION_KINDS)}
_CALL_KIND = {"internal": "call_internal", "external": "call_library", "indirect": "call_indirect"}
_ASKED_OF_PYTHON = frozenset(("select", "atomicrmw", "cmpxchg"))  # rare, and they need values
_NO_FUNCTION = -1
_IN_FRAME = -1  # instead of a defining segment: it is there from the entry of the frame on
# Of an instruction as the target of an edge of each kind: data, address, control.
Costs = Callable[[Instr, bool], tuple[int, int, int]]


class MadeTable:
    """The columns of one function, kept alive together with the structure that points to them."""

    def __init__(self, static: StaticTable, fn: Function, address: int | None, costs: Costs, located: Any) -> None:
        layout = static.program.layout(fn.name)
        columns = {
            **_instructions(static, fn, layout, costs, located),
            **_slots(static, fn, layout),
            **_blocks(static, fn),
            **_segments(fn, layout),
        }
        self._columns = {name: np.ascontiguousarray(column) for name, column in columns.items()}
        self.structure = FunctionTable(
            index=fn.index,
            instrs=len(fn.instrs),
            params=len(fn.params),
            variadic=fn.variadic,
            first_segment=static.first_segment(fn),
            segments=len(layout.segments),
            has_address=address is not None,
            address=address or 0,
        )
        for name, column in self._columns.items():
            setattr(self.structure, name, column.ctypes.data)


def _kind(instr: Instr, layout: Layout) -> str:
    """How the kernel finds the dependences of an instruction."""
    if instr.op in _ASKED_OF_PYTHON:
        return "python"
    if instr.op in ("load", "store", "phi"):
        return instr.op
    if instr.op == "alloca" and instr.slot in layout.frame:
        return "nothing"
    if instr.op == "call":
        if is_setjmp(instr.callee):
            return "python"
        return _CALL_KIND.get(layout.kinds[instr.index], "call_other")
    return "plain"


def _instructions(
    static: StaticTable, fn: Function, layout: Layout, costs: Costs, located: Callable[[Instr], bool]
) -> Mapping[str, NDArray[Any]]:
    guards = _guards(fn)
    args, blocks, arg_first = list[int](), list[int](), [0]
    parts, part_first = list[int](), [0]
    at = np.zeros((3, len(fn.instrs)), np.int32)
    cost = np.zeros((3, len(fn.instrs)), np.uint16)
    callee, arg_types = np.full(len(fn.instrs), _NO_FUNCTION, np.int32), np.zeros(len(fn.instrs), np.int32)
    numbers = static.function_numbers
    for seg in range(len(layout.segments)):
        for n, counts in static[static.first_segment(fn) + seg].offsets.items():
            at[:, n] = counts.loads, counts.stores, counts.words
    for instr in fn.instrs:
        n = instr.index
        args += (a if isinstance(a, int) else -1 for a in instr.args)
        blocks += instr.detail if instr.op == "phi" else [-1] * len(instr.args)
        arg_first.append(len(args))
        effects = layout.effects.get(n)
        parts += effects.loads if effects is not None else ()
        part_first.append(len(parts))
        cost[:, n] = costs(instr, n in guards)
        if instr.op == "call":
            name = instr.detail.callee
            callee[n] = CALLEE_INDIRECT if name is None else numbers.get(name, _NO_FUNCTION)
            arg_types[n] = len(instr.detail.arg_types)
    return {
        "kind": np.array([_KIND[_kind(i, layout)] for i in fn.instrs], np.uint8),
        "by_caller": np.array([not located(i) for i in fn.instrs], np.uint8),
        "data_cost": cost[0],
        "address_cost": cost[1],
        "control_cost": cost[2],
        "arg_first": np.array(arg_first, np.int32),
        "args": np.array(args, np.int32),
        "arg_block": np.array(blocks, np.int32),
        "part_first": np.array(part_first, np.int32),
        "part_size": np.array(parts, np.uint8),
        "loads_at": at[0],
        "stores_at": at[1],
        "words_at": at[2],
        "callee": callee,
        "arg_types": arg_types,
    }


def _guards(fn: Function) -> set[int]:
    """The branches one of whose arms leads straight to the end of the function."""
    after = immediate_postdominators(successors(fn))
    found = set()
    for block in fn.blocks:
        join = after[block.index]
        if fn.terminator(block.index).op == "br" and (join >= len(fn.blocks) or fn.terminator(join).op == "ret"):
            found.add(block.end - 1)
    return found


def _slots(static: StaticTable, fn: Function, layout: Layout) -> Mapping[str, NDArray[Any]]:
    where = [
        _IN_FRAME if d < 0 or slot in layout.frame else static.defining_segment(fn, d)
        for slot, d in enumerate(fn.definer)
    ]
    return {"slot_definer": np.array(fn.definer, np.int32), "slot_segment": np.array(where, np.int32)}


def _blocks(static: StaticTable, fn: Function) -> Mapping[str, NDArray[Any]]:
    graph = successors(fn)
    segments, first, classes = list[int](), [0], list[int]()
    known: dict[tuple[int, ...], int] = {}
    for deps in control_dependence(graph):
        numbers = tuple(sorted({static.last_of_block(fn, b) for b, _ in deps}))
        segments += numbers
        first.append(len(segments))
        classes.append(known.setdefault(numbers, len(known)))
    return {
        "dominator": np.array(immediate_dominators(graph), np.int32),
        "successors": np.array([len(s) for s in graph], np.int32),
        "control_first": np.array(first, np.int32),
        "control_segment": np.array(segments, np.int32),
        "control_class": np.array(classes, np.int32),
    }


def _cells_before(fn: Function, s: Segment) -> int:
    """How many cells of a segment instance come before those of its instructions, in a walk of the kernel."""
    return 1 + (len(fn.params) if s.flags & ENTRY else 0) + bool(s.flags & AFTER)


def _segments(fn: Function, layout: Layout) -> Mapping[str, NDArray[Any]]:
    stores, first = list[int](), [0]
    for seg in layout.segments:
        for n in range(seg.start, seg.end):
            effects = layout.effects.get(n)
            stores += [n] * len(effects.stores) if effects is not None else ()
        first.append(len(stores))
    return {
        "total_row": np.zeros(2 * len(fn.instrs), np.uint32),  # the kernel's own, for results and for instructions
        "reached": np.zeros(2 * len(fn.instrs) + len(fn.params), np.uint32),
        "fold_frame": np.zeros(len(layout.segments), np.uint32),
        "fold_first": np.zeros(len(layout.segments), np.uint32),
        "fold_to": np.zeros(len(layout.segments), np.uint32),
        "seg_cells": np.array([_cells_before(fn, s) for s in layout.segments], np.int32),
        "seg_after": np.array([bool(s.flags & AFTER) for s in layout.segments], np.uint8),
        "seg_start": np.array([s.start for s in layout.segments], np.int32),
        "seg_end": np.array([s.end for s in layout.segments], np.int32),
        "seg_block": np.array([s.block for s in layout.segments], np.int32),
        "store_first": np.array(first, np.int32),
        "store_instr": np.array(stores, np.int32),
    }
