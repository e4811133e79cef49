"""Where the bytes of the log go: bytes for each executed instruction, by column, in runs of 10 million instructions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from butfor.frontends.c.c_frontend import compile_program, record
from butfor.ir.instructions import Function
from butfor.options import Options
from butfor.pipeline import instructions_in
from butfor.trace.log.record_layout import COLUMNS
from butfor.trace.recording import Recording

PROGRAMS = Path(__file__).parent / "programs"
SIZES = {"loops": 63, "pointers": 65_000, "calls": 640, "interpreter": 36}  # about 10 M instructions
GROUPS = {
    "segments": ("seg",),
    "loads": ("load", "escape"),
    "values stored": ("value",),
    "addresses": ("address",),
    "words": ("word",),
    "frames": ("frame",),
    "irregular reads": ("read",),
    "library calls": ("event", "run", "text"),
    "objects": ("object", "death"),
    "output": ("output", "piece"),
    "checkpoints": ("check",),
    "errors": ("error",),
}
MIN_SHOWN_BYTES = 0.05  # less in all programs is no column of its own

Row = dict[str, float]


def column_bytes(recording: Recording) -> Row:
    """The bytes of each group of columns for each executed instruction."""
    instructions = instructions_in(recording, recording.log.counts)
    sizes = {name: (recording.home / name).stat().st_size / instructions for name in COLUMNS}
    return {group: sum(sizes[name] for name in names) for group, names in GROUPS.items()}


def unshared_locals(fn: Function) -> frozenset[int]:
    """The registers of local variables of a function whose address is used for nothing but loads and stores of them."""
    found = {instr.slot for instr in fn.instrs if instr.op == "alloca"}
    for instr in fn.instrs:
        args = instr.args[1:] if instr.op == "load" else instr.args[:1] if instr.op == "store" else instr.args
        found.difference_update(a for a in args if isinstance(a, int))
    return frozenset(found)


def share_of_local_loads(recording: Recording) -> float:
    """Which part of all loads reads a local variable whose address is never taken."""
    trace, counts = recording.trace, recording.log.counts
    known: dict[str, frozenset[int]] = {}
    of_locals = loads = 0
    for number in np.flatnonzero(counts).tolist():
        s = trace.static[number]
        if s.fn.name not in known:
            known[s.fn.name] = unshared_locals(s.fn)
        mine = known[s.fn.name]
        read = [i.args[0] for i in s.fn.instrs[s.seg.start : s.seg.end] if i.op == "load"]
        loads += len(read) * int(counts[number])
        of_locals += sum(a in mine for a in read if isinstance(a, int)) * int(counts[number])
    return of_locals / max(loads, 1)


def rows() -> Iterator[str]:
    """The table."""
    measured: dict[str, tuple[Row, float]] = {}
    for name, size in SIZES.items():
        options = Options(sources=(PROGRAMS / f"{name}.c",), args=(str(size),))
        recording = record(options, compile_program(options, lambda _: None), lambda _: None)
        measured[f"{name} {size}"] = column_bytes(recording), share_of_local_loads(recording)
    shown = [g for g in GROUPS if any(row[g] >= MIN_SHOWN_BYTES for row, _ in measured.values())]
    titles = ("program", "all", *shown, "loads of locals")
    yield f"| {' | '.join(titles)} |"
    yield f"|{'---|' * len(titles)}"
    for name, (row, share) in measured.items():
        cells = (f"{row[g]:.2f}" if row[g] >= MIN_SHOWN_BYTES else "" for g in shown)
        yield f"| {name} | {sum(row.values()):.2f} | {' | '.join(cells)} | {share:.0%} |"


if __name__ == "__main__":
    for line in rows():
        print(line, flush=True)
