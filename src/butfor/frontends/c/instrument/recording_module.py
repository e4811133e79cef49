"""A whole module rewritten to record itself, and the table of its segments."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from butfor.frontends.c.c_module import CModule
from butfor.frontends.c.instrument.recording_function import RecordingFunction
from butfor.ir.program import Program

_GLOBAL_REF = re.compile(r'c?"[^"]*"|@[-\w.$]+')
_LOCAL = re.compile(r"(?:internal|private)\b")
_GLOBAL_DBG = re.compile(r"(?:, !dbg !\d+)+$")

RUNTIME_HOOKS = """
@__bf_argp = external global [16 x i32]
@__bf_args = external global [16 x ptr]
@__bf_args_set = external global i32
@__bf_retp = external global i32
declare void @__bf_s(i32)
declare void @__bf_enter(i32, ptr, i64)
declare void @__bf_variadic(i64)
declare void @__bf_leave()
declare i32 @__bf_local(ptr, i64, i32)
declare i32 @__bf_dynamic(ptr, i64, i64, i32)
declare void @__bf_restore(ptr)
declare i32 @__bf_byval(ptr, i64, i32)
declare void @__bf_l1(ptr)
declare void @__bf_l2(ptr)
declare void @__bf_l4(ptr)
declare void @__bf_l8(ptr)
declare i32 @__bf_lp(ptr)
declare void @__bf_l1c(ptr, i32)
declare void @__bf_l2c(ptr, i32)
declare void @__bf_l4c(ptr, i32)
declare void @__bf_l8c(ptr, i32)
declare i32 @__bf_lpc(ptr, i32)
declare void @__bf_ln(ptr, i32, i32)
declare void @__bf_s1(ptr)
declare void @__bf_s2(ptr)
declare void @__bf_s4(ptr)
declare void @__bf_s8(ptr)
declare void @__bf_sp(ptr, i32)
declare void @__bf_s1c(ptr, i32)
declare void @__bf_s2c(ptr, i32)
declare void @__bf_s4c(ptr, i32)
declare void @__bf_s8c(ptr, i32)
declare void @__bf_spc(ptr, i32, i32)
declare void @__bf_sn(ptr, i32)
declare void @__bf_snc(ptr, i32, i32)
declare void @__bf_word(i64)
declare void @__bf_words(ptr, i32)
declare void @__bf_indirect(ptr)
declare void @__bf_unknown()
declare void @__bf_setjmp(ptr)
declare void @__bf_copy(ptr, i32, ptr, i32, i64, i32)
declare void @bf_read(ptr, i64)
declare void @__bf_copied(ptr, i64)
declare void @__bf_fill(ptr, i32, i64, i32)
declare void @__bf_va_start(ptr, i32)
declare void @__bf_unsupported(i32, i32)
declare void @__bf_reach_error()
declare void @__bf_e(i1 zeroext, i32, i32)
declare void @__bf_member(i1 zeroext, ptr, i64, i32, i32)
declare void @__bf_text(ptr, i64, i32)
declare void @__bf_size(i64, i32)
declare void @__bf_overlap(ptr, ptr, i64, i32)
declare void @__bf_scope(i32, i32)
declare void @__bf_unreachable()
"""


@dataclass(frozen=True, slots=True)
class RecordingModule:
    """The rewritten text and the segment table.

    A segment is a row of it: loads, stores, bytes, addresses, words, flags, function.
    """

    text: str
    table: NDArray[np.int32]


def recording_module(module: CModule, program: Program, models: frozenset[str]) -> RecordingModule:
    """The module that records itself; functions named in `models` and not defined here are the runtime's models.

    What the program defines itself is renamed, so that its own `getline` or `write` cannot take the place of the one
    that the runtime calls.
    """
    wrapped = frozenset(name for name in module.declared if name in models)
    head = (RUNTIME_HOOKS, _tables(program))
    body, rows = rewritten_functions(module, program, wrapped, program.object_numbers, str, head)
    names = {f"@{name}": f"@__bf_w_{name}" for name in wrapped} | {
        f"@{name}": f"@u.{name}" for name in exported(module)
    }
    return RecordingModule(renamed("\n".join(body), names), rows)


def rewritten_functions(
    module: CModule,
    program: Program,
    wrapped: frozenset[str],
    objects: Mapping[str, int | str],
    segment_number: Callable[[int], str],
    head: Iterable[str],
) -> tuple[list[str], NDArray[np.int32]]:
    """The lines of the module, with functions that record themselves, and the segment table.

    `segment_number` writes the number of the segment that stands in this row of the table; `head` stands before the
    first function, since labels can only be named before the function they are in.
    """
    out: list[str] = []
    rows: list[tuple[int, ...]] = []
    i = 0
    lines = module.lines
    starts = {f.start: f for f in module.functions.values()}
    while i < len(lines):
        line = lines[i]
        here = starts.get(i)
        if here is not None:
            out += head
            head = ()
            fn = module.function(here.name)
            layout = program.layout(here.name)

            def number(segment: int, first: int = len(rows)) -> str:
                return segment_number(first + segment)

            out.extend(RecordingFunction(module, fn, layout, objects, wrapped, number).text())
            rows.extend((s.loads, s.stores, s.bytes, s.addresses, s.words, s.flags, fn.index) for s in layout.segments)
            i = here.end
        elif line[:1] == "@":
            out.append(without_debug(line))
        elif line[:1] not in ("!", ";"):
            out.append(line)
        i += 1
    return [*out, *head], np.array(rows, dtype=np.int32).reshape(-1, 7)


def renamed(text: str, names: dict[str, str]) -> str:
    """The text with globals renamed, strings left alone."""
    return _GLOBAL_REF.sub(lambda m: names.get(m[0], m[0]), text)


def without_debug(line: str) -> str:
    """The line of a global without its debug metadata."""
    return _GLOBAL_DBG.sub("", line)


def is_local(line: str) -> bool:
    """Whether the first line of a definition says that only its own module sees it."""
    head = line.partition("@")[0] if line.startswith("define ") else line.partition(" = ")[2]
    return _LOCAL.match(head.removeprefix("define ")) is not None


def exported(module: CModule) -> Iterator[str]:
    """Names that the program defines for the linker, except main."""
    for f in module.functions.values():
        if f.name != "main" and not is_local(module.lines[f.start]):
            yield f.name
    for g in module.globals.values():
        if g.init is not None and not g.name.startswith("llvm.") and not is_local(module.lines[g.line]):
            yield g.name


def quoted(name: str) -> str:
    """A name as it is written after `@` or `%`."""
    return name if re.fullmatch(r"[-\w.]+", name) else f'"{name}"'


def label_addresses(labels: Sequence[tuple[str, str]], linkage: str) -> str:
    """A table of the addresses of labels, which only the module with their functions can name."""
    rows = ", ".join(f"ptr blockaddress(@{quoted(f)}, %{quoted(b)})" for f, b in labels)
    return f"@{LABELS} = {linkage} constant [{len(labels)} x ptr] {f'[{rows}]' if labels else 'zeroinitializer'}"


LABELS = "__bf_labels"


def address_tables(
    variables: Sequence[tuple[str, int]], functions: Sequence[str], labels: Sequence[tuple[str, int]]
) -> str:
    """Tables by which the runtime tells where globals and functions are, and where the addresses of labels stand.

    Each label is a place in a table with a name.
    """
    rows = ", ".join(f"{{ ptr, i64 }} {{ ptr @{quoted(n)}, i64 {size} }}" for n, size in variables)
    fns = ", ".join(f"ptr @{quoted(n)}" for n in functions)
    places = ", ".join(f"ptr getelementptr (ptr, ptr @{quoted(table)}, i64 {k})" for table, k in labels)
    g, f, b = len(variables), len(functions), len(labels)
    return "\n".join(
        (
            f"@__bf_gtab = constant [{g} x {{ ptr, i64 }}] {f'[{rows}]' if g else 'zeroinitializer'}",
            f"@__bf_ftab = constant [{f} x ptr] {f'[{fns}]' if f else 'zeroinitializer'}",
            f"@__bf_btab = constant [{b} x ptr] {f'[{places}]' if b else 'zeroinitializer'}",
            f"@__bf_counts = constant [4 x i64] [i64 {g}, i64 {f}, i64 {b}, i64 0]",
            "",
        )
    )


def _tables(program: Program) -> str:
    labels = program.label_table
    places = [(LABELS, k) for k in range(len(labels))]
    return "\n".join(
        (
            label_addresses(labels, "internal"),
            address_tables(program.global_table, program.function_table, places),
        )
    )
