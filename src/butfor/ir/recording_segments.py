"""Segments: the pieces of basic blocks between calls, the unit of recording.

A block is cut after every call that may run other code. Each piece logs its number when it starts; what it logs beyond
that is known from its instructions, so the position of every record in every column of the log is a cumulative sum. The
recorder and the reader both get it from here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from butfor.ir.instructions import Call, Const, Function, Instr, Operand
from butfor.ir.machine_types import Kind, Type, align_of, alloc_size, signed_value, store_size, struct_layout
from butfor.libc.library import is_setjmp

ENTRY, AFTER, RET, SETJMP, CALL = 1, 2, 4, 8, 16
"""Flags of a segment: begins a function, follows a call, ends in a return, follows a call of setjmp, ends in a call."""

_IGNORED = (
    "llvm.dbg.",
    "llvm.lifetime.",
    "llvm.va_end",
    "llvm.assume",
    "llvm.prefetch",
    "llvm.donothing",
    "llvm.invariant.",
    "llvm.experimental.noalias",
)
_MEMORY = (
    "llvm.memcpy.",
    "llvm.memmove.",
    "llvm.memset.",
    "llvm.va_start",
    "llvm.va_copy",
    "llvm.stackrestore",
    "llvm.memcpy.inline",
)


def recorded_sizes(size: int) -> tuple[int, ...]:
    """The sizes of the accesses that one access of `size` bytes is recorded as."""
    out = [8] * (size // 8)
    out.extend(n for n in (4, 2, 1) if size % 8 & n)
    return tuple(out)


def access_size(instr: Instr) -> int:
    """The bytes that an instruction which accesses memory reads or writes."""
    match instr.op:
        case "store" | "cmpxchg":
            return store_size(instr.detail)
        case "atomicrmw":
            return store_size(instr.detail[1])
        case _:
            return store_size(instr.type)


def word_count(t: Type) -> int:
    """The number of 8-byte words in which a result of this type is logged."""
    return (store_size(t) + 7) // 8


@dataclass(frozen=True, slots=True)
class LayoutContext:
    """What the segments of a function depend on besides its own instructions."""

    defined: frozenset[str]
    is_pure: Callable[[str, tuple[Type, ...], Type], bool]


def call_kind(call: Call, context: LayoutContext, result: Type) -> str:
    """How a call is recorded: internal, external, indirect, asm, ignored, memory, pure or opaque."""
    name = call.callee
    if call.asm is not None:
        return "asm"
    if name is None:
        return "indirect"
    if name in context.defined:
        return "internal"
    if not name.startswith("llvm."):
        return "external"
    if name.startswith(_IGNORED):
        return "ignored"
    if name.startswith(_MEMORY):
        return "memory"
    return "pure" if context.is_pure(name, call.arg_types, result) else "opaque"


def ends_segment(kind: str) -> bool:
    """Whether a call of this kind may run other recorded code, so that a segment ends with it."""
    return kind in ("internal", "external", "indirect")


@dataclass(frozen=True, slots=True)
class Effects:
    """What one instruction logs."""

    loads: tuple[int, ...] = ()  # sizes
    stores: tuple[int, ...] = ()  # sizes
    address: bool = False  # whether the store's address is logged
    words: int = 0  # in the column of all other values


_NO_EFFECTS = Effects()


@dataclass(slots=True, eq=False)
class Segment:
    """A run of instructions of one block, `start` to `end`, with how much it logs in each column."""

    block: int
    start: int
    end: int
    flags: int
    loads: int = 0
    stores: int = 0
    bytes: int = 0
    addresses: int = 0
    words: int = 0


@dataclass(slots=True, eq=False)
class Layout:
    """The static layout of one function: stack frame, call kinds, log effects and segments."""

    frame_size: int
    frame_align: int
    frame: dict[int, int]  # alloca slot -> offset in the frame
    kinds: dict[int, str]  # call instruction -> kind
    effects: dict[int, Effects]
    direct: set[int] = field(default_factory=set)  # loads and stores that always stay inside one variable
    segments: list[Segment] = field(default_factory=list)
    first_of_block: list[int] = field(default_factory=list)


def static_allocas(fn: Function) -> Iterator[Instr]:
    """The local variables with a fixed offset in the frame."""
    for instr in fn.instrs[: fn.blocks[0].end]:
        if instr.op == "alloca" and not instr.args:
            yield instr


def constant_offset(source: Type, indices: tuple[Operand, ...]) -> int | None:
    """The byte offset of a gep with only constant indices."""
    offset = 0
    t = source
    for k, index in enumerate(indices):
        if not isinstance(index, Const) or index.kind not in ("int", "zero"):
            return None
        value = signed_value(index.value, index.type.bits) if index.kind == "int" else 0
        if k == 0:
            offset += value * alloc_size(t)
        elif t.kind is Kind.STRUCT:
            offset += struct_layout(t)[0][value]
            t = t.elems[value]
        else:
            t = t.elem
            offset += value * alloc_size(t)
    return offset


def variable_and_offset(fn: Function, op: Operand, allocas: dict[int, int]) -> tuple[int | str, int] | None:
    """The variable (alloca slot or global name) and the byte offset that an address is fixed to, None if it is not."""
    offset = 0
    while True:
        if isinstance(op, int):
            if op in allocas:
                return op, offset
            d = fn.definer[op]
            if d < 0:
                return None
            instr = fn.instrs[d]
            if instr.op != "gep":
                return None
            add = constant_offset(instr.detail[0], instr.args[1:])
            if add is None:
                return None
            offset += add
            op = instr.args[0]
        elif op.kind == "global":
            return op.value, offset
        elif op.kind == "expr" and op.value[0] == "gep":
            _, detail, args = op.value
            add = constant_offset(detail[0], args[1:])
            if add is None:
                return None
            offset += add
            op = args[0]
        else:
            return None


def _frame(fn: Function) -> tuple[dict[int, int], dict[int, int], int, int]:
    """Offsets and sizes of the static allocas, the size of the frame and its alignment.

    The first declared variable is at the top, as compilers without optimisation lay them out.
    """
    below, sizes = {}, {}
    top, biggest = 0, 16
    for instr in static_allocas(fn):
        t, align = instr.detail
        align = max(align, align_of(t))
        biggest = max(biggest, align)
        size = alloc_size(t)
        top = (top + size + align - 1) // align * align
        below[instr.slot] = top
        sizes[instr.slot] = size
    total = (top + biggest - 1) // biggest * biggest
    return {slot: total - down for slot, down in below.items()}, sizes, total, biggest


def lay_out(fn: Function, context: LayoutContext, global_sizes: dict[str, int]) -> Layout:
    """The layout of a function."""
    frame, sizes, total, align = _frame(fn)
    layout = Layout(total, align, frame, {}, {})

    def in_place(instr: Instr, op: Operand, size: int) -> bool:
        root = variable_and_offset(fn, op, sizes)
        if root is None:
            return False
        whole = sizes[root[0]] if isinstance(root[0], int) else global_sizes.get(root[0], -1)
        if root[1] >= 0 and root[1] + size <= whole:
            layout.direct.add(instr.index)
            return True
        return False

    for instr in fn.instrs:
        effects = _effects(instr, layout, context, frame, in_place)
        if effects is not _NO_EFFECTS:
            layout.effects[instr.index] = effects
    _cut_into_segments(fn, layout)
    return layout


def _effects(
    instr: Instr,
    layout: Layout,
    context: LayoutContext,
    frame: dict[int, int],
    in_place: Callable[[Instr, Operand, int], bool],
) -> Effects:
    match instr.op:
        case "load":
            size = access_size(instr)
            in_place(instr, instr.args[0], size)
            return Effects(loads=recorded_sizes(size))
        case "store":
            size = access_size(instr)
            return Effects(stores=recorded_sizes(size), address=not in_place(instr, instr.args[1], size))
        case "atomicrmw" | "cmpxchg":
            size = access_size(instr)
            return Effects(loads=recorded_sizes(size), stores=recorded_sizes(size), address=True)
        case "alloca":
            return _NO_EFFECTS if instr.slot in frame else Effects(words=1)
        case "call":
            kind = call_kind(instr.detail, context, instr.type)
            layout.kinds[instr.index] = kind
            if kind == "indirect":
                return Effects(words=1)
            return Effects(words=word_count(instr.type)) if kind in ("opaque", "asm") else _NO_EFFECTS
        case _:
            return _NO_EFFECTS


def result_words(instr: Instr, kind: str) -> int:
    """The words logged at the start of the segment that follows a call."""
    count = word_count(instr.type) if kind in ("external", "indirect") else 0
    return count + 1 if is_setjmp(instr.callee) else count


def _cut_into_segments(fn: Function, layout: Layout) -> None:
    for block in fn.blocks:
        layout.first_of_block.append(len(layout.segments))
        start, flags, words_in = block.start, ENTRY if block.index == 0 else 0, 0
        for i in range(block.start, block.end):
            kind = layout.kinds.get(i)
            if kind is not None and ends_segment(kind):
                _add_segment(layout, block.index, start, i + 1, flags | CALL, words_in)
                start, words_in = i + 1, result_words(fn.instrs[i], kind)
                flags = AFTER | (SETJMP if is_setjmp(fn.instrs[i].callee) else 0)
        if fn.terminator(block.index).op == "ret":
            flags |= RET
        _add_segment(layout, block.index, start, block.end, flags, words_in)


def _add_segment(layout: Layout, block: int, start: int, end: int, flags: int, words_in: int) -> None:
    seg = Segment(block, start, end, flags, words=words_in)
    for i in range(start, end):
        e = layout.effects.get(i)
        if e is not None:
            seg.loads += len(e.loads)
            seg.stores += len(e.stores)
            seg.bytes += sum(e.stores)
            seg.addresses += e.address
            seg.words += e.words
    layout.segments.append(seg)
