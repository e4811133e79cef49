"""A whole module rewritten to record itself, and the table of its segments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from butfor.frontends.c.c_module import CModule
from butfor.frontends.c.instrument.recording_function import RecordingFunction
from butfor.ir.program import Program

_GLOBAL_REF = re.compile(r'c?"[^"]*"|@[-\w.$]+')
_LOCAL = re.compile(r"\b(?:internal|private)\b")
_GLOBAL_DBG = re.compile(r"(?:, !dbg !\d+)+$")

_HOOKS = """
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
    objects = program.object_numbers
    out: list[str] = []
    rows: list[tuple[int, ...]] = []
    i = 0
    lines = module.lines
    starts = {f.start: f for f in module.functions.values()}
    while i < len(lines):
        line = lines[i]
        here = starts.get(i)
        if here is not None:
            if not rows:  # labels can only be named before the function they are in
                out += [_HOOKS, _tables(program)]
            fn = module.function(here.name)
            layout = program.layout(here.name)
            out.extend(RecordingFunction(module, fn, layout, objects, wrapped, len(rows)).text())
            rows.extend((s.loads, s.stores, s.bytes, s.addresses, s.words, s.flags, fn.index) for s in layout.segments)
            i = here.end
        elif line[:1] == "@":
            out.append(without_debug(line))
        elif line[:1] not in ("!", ";"):
            out.append(line)
        i += 1
    names = {f"@{name}": f"@__bf_w_{name}" for name in wrapped} | {
        f"@{name}": f"@u.{name}" for name in exported(module)
    }
    return RecordingModule(renamed("\n".join(out), names), np.array(rows, dtype=np.int32).reshape(-1, 7))


def renamed(text: str, names: dict[str, str]) -> str:
    """The text with globals renamed, strings left alone."""
    return _GLOBAL_REF.sub(lambda m: names.get(m[0], m[0]), text)


def without_debug(line: str) -> str:
    """The line of a global without its debug metadata."""
    return _GLOBAL_DBG.sub("", line)


def exported(module: CModule) -> Iterator[str]:
    """Names that the program defines for the linker, except main."""
    for f in module.functions.values():
        if f.name != "main" and not _LOCAL.search(module.lines[f.start].partition("@")[0]):
            yield f.name
    for g in module.globals.values():
        if (
            g.init is not None
            and not g.name.startswith("llvm.")
            and not _LOCAL.search(module.lines[g.line].partition("{")[0].partition("[")[0])
        ):
            yield g.name


def quoted(name: str) -> str:
    """A name as it is written after `@` or `%`."""
    return name if re.fullmatch(r"[-\w.]+", name) else f'"{name}"'


def _tables(program: Program) -> str:
    """Tables by which the runtime tells where globals and functions are."""
    rows = ", ".join(f"{{ ptr, i64 }} {{ ptr @{quoted(n)}, i64 {size} }}" for n, size in program.global_table)
    fns = ", ".join(f"ptr @{quoted(n)}" for n in program.function_table)
    labels = ", ".join(f"ptr blockaddress(@{quoted(f)}, %{quoted(b)})" for f, b in program.label_table)
    g, f, b = len(program.global_table), len(program.function_table), len(program.label_table)
    return "\n".join(
        (
            f"@__bf_gtab = constant [{g} x {{ ptr, i64 }}] [{rows}]"
            if g
            else "@__bf_gtab = constant [0 x { ptr, i64 }] zeroinitializer",
            f"@__bf_ftab = constant [{f} x ptr] [{fns}]",
            f"@__bf_btab = constant [{b} x ptr] [{labels}]" if b else "@__bf_btab = constant [0 x ptr] zeroinitializer",
            f"@__bf_counts = constant [4 x i64] [i64 {g}, i64 {f}, i64 {b}, i64 0]",
            "",
        )
    )
