"""The structures that Python and the kernels share: written once, as C, and read from there."""

from __future__ import annotations

import ctypes
import re
from typing import Any

import numpy as np

from butfor.trace.log.record_layout import (
    DTYPES,
    ESCAPED,
    FIRST_EVENT_ID,
    FIRST_READ_ID,
    NO_FRAME,
    NO_SEGMENT,
    NO_SITE,
    WINDOW,
    EventKind,
    ReadFlag,
)

EDGE_KINDS = ("data", "address", "control", "call", "potential", "initial", "uninit")
_CALL_KINDS = ("call_internal", "call_library", "call_indirect", "call_other")
INSTRUCTION_KINDS = ("nothing", "plain", "load", "store", "phi", "python", *_CALL_KINDS)
NO_EDGE = 7  # how a root was reached
CALLEE_INDIRECT = -2

_FUNCTION = """
i32 index; i32 instrs; i32 params; i32 variadic; i32 first_segment; i32 segments; i32 has_address; u64 address;
const u8 *kind; const u8 *by_caller; const u16 *data_cost; const u16 *address_cost; const u16 *control_cost;
const i32 *arg_first; const i32 *args; const i32 *arg_block;
const i32 *part_first; const u8 *part_size; const i32 *loads_at; const i32 *stores_at; const i32 *words_at;
const i32 *callee; const i32 *arg_types;
const i32 *slot_definer; const i32 *slot_segment;
const i32 *dominator; const i32 *successors;
const i32 *control_first; const i32 *control_segment; const i32 *control_class;
u32 *total_row; u32 *reached; u32 *fold_frame; u32 *fold_to; u32 *fold_first; const i32 *seg_cells; const u8 *seg_after;
const i32 *seg_start; const i32 *seg_end; const i32 *seg_block; const i32 *store_first; const i32 *store_instr;
"""
_RUN = """
const void *seg; u64 seg_count; i32 wide; i32 damaged; const i32 *table; u64 table_rows;
const u8 *load; u64 load_count; const u32 *escape; u64 escape_count; const u64 *word; u64 word_count;
const u8 *value; u64 value_count; const u64 *address; u64 address_count;
const struct frame_rec *frame; u64 frame_count; const struct read_rec *read; u64 read_count;
const struct event_rec *event; u64 event_count; const struct run_rec *run; u64 run_count;
const struct check_rec *check; u64 check_count;
const u32 *event_segment; const i64 *event_order;
const u64 *global_start; const u64 *global_end; u64 globals; const u64 *unchanging; u64 unchanging_count;
struct window *windows; u64 windows_kept; u32 **parents; u64 bytes_used;
struct function **functions; u64 function_count;
u64 cost_data; u64 cost_address; u64 cost_control; u64 cost_call; u64 cost_potential;
const u32 *answer_kind; const i64 *answer_i; const i32 *answer_n;
void (*read_function)(i32); void (*order_events)(void); u64 (*python_edges)(i64, i32);
u64 (*python_potential)(i64, i32); i32 (*is_stopped)(void);
"""
# The full replay: what each instruction does. Operands are slots, or complements of places among the constants; `extra`
# has what the operation needs besides, see replay/replay_kernel.py.
REPLAY_OPERATIONS = (
    *("give_up", "skip", "static_alloca", "alloca", "load", "store", "br", "switch", "phi", "copy", "select", "gep"),
    *("add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor"),
    *("eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle", "trunc", "sext"),
    *("fadd", "fsub", "fmul", "fdiv", "fneg", "fabs", "fmuladd", "fcmp", "fptosi", "fptoui", "sitofp", "uitofp"),
    *("fptrunc", "fpext", "call", "call_indirect", "call_library", "call_memory", "call_logged"),
)
_REPLAY_FUNCTION = """
i32 slots; i32 frame_size; i32 gives_up; i32 pad; const u8 *op; const u8 *bits; const u8 *from; const i32 *slot;
const i32 *arg_first; const i32 *args; const u64 *constants; const i32 *extra_first; const i64 *extra;
const i32 *bytes_at; const i32 *addresses_at; const i32 *block_start; const i32 *store_byte;
"""
_REPLAY = """
struct replay_function **functions; void (*read_replay)(i32);
u64 end_loads; u64 end_stores; u64 instructions; u64 loads; u64 stores; u64 branches; u64 from_outside;
"""
_TOTAL = "u32 segment; i32 n; u32 caller; u32 first; u64 count; u32 distance; u32 how;"
_BYTE_ROW = "u64 address; u32 i; i32 n; u32 distance; u32 pad;"
_BYTE_ROWS = "struct byte_row *rows; u64 count; u64 room;"
_SLICE = """
const i64 *root_i; const i32 *root_n; const u32 *root_cost; u64 roots; i64 anchor_i; i32 anchor_n;
i32 with_control; i32 with_potential; u64 limit; u64 max_bytes; u64 instances_per_stop_check;
u64 max_listed; u64 max_per_instruction; u64 max_asked; u64 max_asked_per_instruction;
u64 max_followed_per_instruction;
u32 *listed_i; i32 *listed_n; u32 *listed_cost; u8 *listed_how; u64 listed; u64 size;
i32 followed_all; i32 listed_all; i32 asked_all;
struct total *totals; u64 total_count; u64 total_room; u32 *total_index; u64 total_index_room;
struct byte_rows initial; struct byte_rows uninit;
"""
_STRUCTURES = {
    "function": _FUNCTION,
    "run": _RUN,
    "total": _TOTAL,
    "byte_row": _BYTE_ROW,
    "byte_rows": _BYTE_ROWS,
    "slice": _SLICE,
    "replay_function": _REPLAY_FUNCTION,
    "replay": _REPLAY,
}
_NUMBERS: dict[str, Any] = {
    "u8": ctypes.c_uint8,
    "u16": ctypes.c_uint16,
    "u32": ctypes.c_uint32,
    "u64": ctypes.c_uint64,
    "i32": ctypes.c_int32,
    "i64": ctypes.c_int64,
}
_MEMBER = re.compile(r"(?P<function>\w+ \(\*(?P<called>\w+)\)\([^)]*\))|(?P<type>[\w ]+?(?: \**)?)(?P<name>\w+)\Z")


def _members(text: str) -> list[tuple[str, Any]]:
    """The names and ctypes of the members of a structure."""
    found: list[tuple[str, Any]] = []
    for member in filter(None, (part.strip() for part in text.split(";"))):
        m = _MEMBER.match(member)
        assert m is not None, member
        if m["function"]:
            found.append((m["called"], ctypes.c_void_p))
        elif "*" in m["type"]:
            found.append((m["name"], ctypes.c_void_p))
        else:
            kind = m["type"].strip()
            found.append((m["name"], ByteRows if kind == "struct byte_rows" else _NUMBERS[kind]))
    return found


class ByteRows(ctypes.Structure):
    """Bytes that no instance wrote."""

    _fields_ = _members(_BYTE_ROWS)


class FunctionTable(ctypes.Structure):
    """The static side of one function."""

    _fields_ = _members(_FUNCTION)


class RunTable(ctypes.Structure):
    """The columns of a run and what the kernels know about it."""

    _fields_ = _members(_RUN)


class ReplayFunctionTable(ctypes.Structure):
    """What the instructions of one function do."""

    _fields_ = _members(_REPLAY_FUNCTION)


class ReplayTable(ctypes.Structure):
    """One full replay: the functions, and what was compared."""

    _fields_ = _members(_REPLAY)


class SliceTable(ctypes.Structure):
    """One backward slice: what is asked and the answer."""

    _fields_ = _members(_SLICE)


def rows_type(text: str) -> np.dtype[Any]:
    """The numpy type of a structure without pointers."""
    return np.dtype([(name, kind) for name, kind in _members(text)], align=True)


TOTAL = rows_type(_TOTAL)
BYTE_ROW = rows_type(_BYTE_ROW)


def layout_header() -> str:
    """The C header with all structures and numbers."""
    lines = [f"#define {name.upper()} {value}u" for name, value in _constants().items()]
    lines += [f"enum {{ {', '.join(f'EDGE_{k.upper()}' for k in EDGE_KINDS)}, NO_EDGE = {NO_EDGE} }};"]
    lines += [f"enum {{ {', '.join(f'KIND_{k.upper()}' for k in INSTRUCTION_KINDS)} }};"]
    lines += [f"enum {{ {', '.join(f'OP_{k.upper()}' for k in REPLAY_OPERATIONS)} }};"]
    lines += [f"enum {{ CALLEE_INDIRECT = {CALLEE_INDIRECT} }};", "struct window;"]
    lines += [_record(name, dtype) for name, dtype in DTYPES.items() if dtype.names]
    lines += [f"struct {name} {{ {' '.join(text.split())} }};" for name, text in _STRUCTURES.items()]
    return "\n".join(lines) + "\n"


def _constants() -> dict[str, int]:
    found = {"window": WINDOW, "no_frame": NO_FRAME, "no_segment": NO_SEGMENT, "no_site": NO_SITE, "escaped": ESCAPED}
    found |= {"first_read_id": FIRST_READ_ID, "first_event_id": FIRST_EVENT_ID}
    found |= {f"event_{kind.name}": int(kind) for kind in EventKind}
    return found | {f"read_{flag.name}": int(flag) for flag in ReadFlag}


def _record(name: str, dtype: np.dtype[Any]) -> str:
    """The structure of one row of a column."""
    members = []
    for field in dtype.names or ():
        kind = dtype[field]
        length = f"[{kind.shape[0]}]" if kind.shape else ""
        base = kind.base
        members.append(f"{'i' if base.kind == 'i' else 'u'}{base.itemsize * 8} {field}{length};")
    members = [m.replace("i16 ", "int16_t ") for m in members]
    return f"struct {name}_rec {{ {' '.join(members)} }} __attribute__((packed));"
