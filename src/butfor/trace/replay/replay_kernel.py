"""The full replay by the kernel, for runs whose values agree; `full_replay.py` is its specification and the judge."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from butfor.ir.instructions import Const, Function, Instr, Operand
from butfor.ir.machine_types import Kind, Type, alloc_size, struct_layout
from butfor.ir.recording_segments import Layout
from butfor.trace.kernel.kernel_run import KernelRun, kernels
from butfor.trace.kernel.structures import REPLAY_OPERATIONS, ReplayFunctionTable, ReplayTable
from butfor.trace.replay.replay_state import ReplayResult
from butfor.trace.semantics.integers import signed
from butfor.trace.semantics.register_values import SemanticsError
from butfor.trace.trace import Trace

_NUMBER = {name: number for number, name in enumerate(REPLAY_OPERATIONS)}
_INT_OPERATIONS = frozenset("add sub mul udiv sdiv urem srem shl lshr ashr and or xor".split())
_FLOAT_OPERATIONS = frozenset(("fadd", "fsub", "fmul", "fdiv", "fneg"))
_CONVERSIONS = frozenset(("fptosi", "fptoui", "sitofp", "uitofp", "fptrunc", "fpext"))
_NO_EFFECT = frozenset(("ret", "unreachable", "fence", "indirectbr"))
_UNORDERED, _LESS, _EQUAL, _GREATER = 1, 2, 4, 8
_RELATION = {"eq": _EQUAL, "gt": _GREATER, "ge": _GREATER | _EQUAL, "lt": _LESS, "le": _LESS | _EQUAL}
_RELATION |= {"ne": _LESS | _GREATER, "rd": _LESS | _EQUAL | _GREATER, "no": _UNORDERED}
_MAX_COMPUTED_BITS = 64

Step = tuple[str, int, int, Sequence[Operand], Sequence[int]]  # operation, bits, bits of operands, operands, extra


class _Unknown(Exception):
    """An instruction that only Python executes."""


def replayed(trace: Trace) -> ReplayResult | None:
    """What was compared, if nothing differed; None where Python has to find out."""
    if kernels() is None or not len(trace.log):
        return None
    run = KernelRun(trace, lambda instr, guard: (0, 0, 0), {}, lambda node: [], lambda node: [])
    made: list[_MadeProgram] = []
    functions = np.zeros(len(trace.program.names) + 1, np.uint64)

    def read(number: int) -> int:
        made.append(_MadeProgram(trace, run.function(number)))
        functions[number] = ctypes.addressof(made[-1].structure)
        return 0

    callback = ctypes.CFUNCTYPE(None, ctypes.c_int32)(run.guarded(read))
    table = ReplayTable(functions=functions.ctypes.data, end_loads=trace.log.end.loads, end_stores=trace.log.end.stores)
    table.read_replay = ctypes.cast(callback, ctypes.c_void_p)
    if not run.call("bf_replay", ctypes.byref(table)):
        return None
    result = ReplayResult()
    for name in ("instructions", "loads", "stores", "branches", "from_outside"):
        setattr(result, name, int(getattr(table, name)))
    return result


class _MadeProgram:
    """The instructions of one function as columns, kept alive together with the structure that points to them."""

    def __init__(self, trace: Trace, fn: Function) -> None:
        layout = trace.program.layout(fn.name)
        constants: list[int] = []
        args, extra, arg_first, extra_first = list[int](), list[int](), [0], [0]
        ops, bits, sources = list[int](), list[int](), list[int]()
        for instr in fn.instrs:
            try:
                op, width, source, operands, more = _step(trace, fn, layout, instr)
                places = [a if isinstance(a, int) else ~_place(trace, a, constants) for a in operands]
            except (_Unknown, SemanticsError, KeyError):
                op, width, source, places, more = "give_up", 0, 0, [], ()
            ops.append(_NUMBER[op])
            bits.append(width)
            sources.append(source)
            args += places
            extra += more
            arg_first.append(len(args))
            extra_first.append(len(extra))
        self._columns: dict[str, Any] = {
            "op": np.array(ops, np.uint8),
            "bits": np.array(bits, np.uint8),
            "from": np.array(sources, np.uint8),
            "slot": np.array([i.slot for i in fn.instrs], np.int32),
            "arg_first": np.array(arg_first, np.int32),
            "args": np.array(args, np.int32),
            "constants": np.array(constants, np.uint64),
            "extra_first": np.array(extra_first, np.int32),
            "extra": np.array([_as_signed(x) for x in extra], np.int64),
            "block_start": np.array([b.start for b in fn.blocks], np.int32),
            "store_byte": np.array(_store_bytes(layout), np.int32),
        }
        self.structure = ReplayFunctionTable(
            slots=len(fn.definer), frame_size=layout.frame_size, gives_up=any(fn.byval)
        )
        for name, column in self._columns.items():
            setattr(self.structure, name, column.ctypes.data)


def _as_signed(x: int) -> int:
    return x - 2**64 if x >= 2**63 else x


def _store_bytes(layout: Layout) -> list[int]:
    """Where in the bytes that its segment stores each store begins."""
    found = []
    for seg in layout.segments:
        at = 0
        for n in range(seg.start, seg.end):
            effects = layout.effects.get(n)
            for size in effects.stores if effects is not None else ():
                found.append(at)
                at += size
    return found


def _place(trace: Trace, c: Const, constants: list[int]) -> int:
    """The place of a constant among the constants."""
    value = trace.constant(c)
    if not isinstance(value, int) or value >> 64:
        raise _Unknown
    constants.append(value)
    return len(constants) - 1


def _is_int(t: Type) -> bool:
    return t.kind in (Kind.INT, Kind.PTR) and t.bits <= _MAX_COMPUTED_BITS


def _is_float(t: Type) -> bool:
    return t.kind is Kind.FLOAT and t.bits in (32, 64)


def _require(condition: bool) -> None:
    if not condition:
        raise _Unknown


def _step(trace: Trace, fn: Function, layout: Layout, instr: Instr) -> Step:
    """What the kernel does for an instruction."""
    op, t, args = instr.op, instr.type, instr.args
    match op:
        case "alloca" if instr.slot in layout.frame:
            return "static_alloca", 64, 0, (), (layout.frame[instr.slot],)
        case "alloca":
            return "alloca", 64, 0, (), ()
        case "load":
            _require((_is_int(t) and t.bits % 8 == 0) or _is_float(t))
            return "load", t.bits, 0, args, layout.effects[instr.index].loads
        case "store":
            t = instr.detail
            _require((_is_int(t) and t.bits % 8 == 0) or _is_float(t))
            e = layout.effects[instr.index]
            extra = (int(e.address), len(e.stores), sum(e.stores), t.bits if t.kind is Kind.FLOAT else 0)
            return "store", t.bits, 0, args, extra
        case "br":
            return ("br", 1, 0, args, instr.detail) if args else ("skip", 0, 0, (), ())
        case "switch":
            default, cases, kind = instr.detail
            _require(_is_int(kind))
            return "switch", kind.bits, 0, args, [default, *(x for case in cases for x in case)]
        case "phi":
            _require(_is_int(t) or _is_float(t))
            return "phi", t.bits, 0, args, instr.detail
        case "call":
            return _call(layout, instr)
        case "gep":
            return _gep(trace, instr)
        case "ret":  # the operand is what the call is given
            return "skip", 0, 0, args if not args or _is_scalar(fn, args[0]) else _refuse(), ()
        case _ if op in _NO_EFFECT:
            return "skip", 0, 0, (), ()
        case _:
            return _computed(instr)


def _is_scalar(fn: Function, op: Operand) -> bool:
    t = fn.operand_type(op)
    return _is_int(t) or _is_float(t)


def _refuse() -> Sequence[Operand]:
    raise _Unknown


def _computed(instr: Instr) -> Step:
    op, t, args = instr.op, instr.type, instr.args
    if op in _INT_OPERATIONS and _is_int(t):
        return op, t.bits, 0, args, ()
    if op == "icmp" and _is_int(instr.detail[1]):
        return instr.detail[0], 1, instr.detail[1].bits, args, ()
    if op == "fcmp" and _is_float(instr.detail[1]):
        return "fcmp", 1, instr.detail[1].bits, args, (_relation(instr.detail[0]),)
    if op in _FLOAT_OPERATIONS and _is_float(t):
        return op, t.bits, 0, args, ()
    _require(_is_int(t) or _is_float(t))
    if op == "select":
        return "select", t.bits, 0, args, ()
    if op == "freeze":
        return "copy", t.bits, 0, args, ()
    source = instr.detail
    _require(isinstance(source, Type) and (_is_int(source) or _is_float(source)))
    if op in ("bitcast", "zext", "ptrtoint", "inttoptr", "trunc"):
        return "trunc", t.bits, 0, args, ()
    if op == "sext" or op in _CONVERSIONS:
        return op, t.bits, source.bits, args, ()
    raise _Unknown


def _relation(predicate: str) -> int:
    """The outcomes of a comparison of floats for which a predicate holds, as bits."""
    if predicate in ("true", "false"):
        return 15 if predicate == "true" else 0
    return _RELATION[predicate[1:]] | (_UNORDERED if predicate[0] == "u" else 0)


def _gep(trace: Trace, instr: Instr) -> Step:
    element, index_types = instr.detail
    _require(instr.type.kind is Kind.PTR)
    constant, t, operands, extra = 0, Type(Kind.ARRAY, elems=(element,)), [instr.args[0]], list[int]()
    for operand, kind in zip(instr.args[1:], index_types, strict=True):
        fixed = None if isinstance(operand, int) else trace.constant(operand)
        _require(kind.kind is Kind.INT and (fixed is None or isinstance(fixed, int)))
        if t.kind is Kind.STRUCT:
            if fixed is None:
                raise _Unknown
            constant += struct_layout(t)[0][fixed]
            t = t.elems[fixed]
            continue
        _require(t.kind in (Kind.ARRAY, Kind.VECTOR))
        t = t.elem
        if fixed is not None:
            constant += signed(fixed, kind.bits) * alloc_size(t)
        else:
            operands.append(operand)
            extra += (min(kind.bits, 64), alloc_size(t))
    return "gep", 64, 0, operands, [constant % 2**64, *extra]


def _call(layout: Layout, instr: Instr) -> Step:
    kind, t = layout.kinds[instr.index], instr.type
    bits = t.bits if _is_int(t) or _is_float(t) else 0
    _require(bool(bits) or instr.slot < 0)
    name = instr.detail.callee or ""
    if kind == "internal":
        return "call", bits, 0, instr.args, ()
    if kind == "indirect":
        return "call_indirect", bits, 0, instr.args, ()
    if kind == "external":
        return "call_library", bits, 0, (), ()
    if kind == "memory":
        return "call_memory", bits, 0, (), ()
    if kind in ("opaque", "asm"):
        return ("call_logged", bits, 0, (), ()) if instr.slot >= 0 else ("skip", 0, 0, (), ())
    if kind == "pure":
        return _pure(name, instr)
    return "skip", 0, 0, (), ()


def _pure(name: str, instr: Instr) -> Step:
    """Those intrinsics that clang emits all the time."""
    t = instr.type
    if name.startswith("llvm.expect."):
        return "copy", t.bits, 0, instr.args[:1], ()
    _require(_is_float(t))
    if name.startswith("llvm.fmuladd."):
        return "fmuladd", t.bits, 0, instr.args[:3], ()
    if name.startswith("llvm.fabs."):
        return "fabs", t.bits, 0, instr.args[:1], ()
    raise _Unknown
