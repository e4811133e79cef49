"""The table of recording costs: every program at every size, best of several runs, native and recorded in turn."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench import (
    causes,
    changed,
    default_answer,
    diagnoses,
    growth,
    invariants,
    log_bytes,
    program_size,
    ranking,
    relevance,
    repair,
    scale,
)
from bench.triage import judged_groups
from bench.triage import speed as batch_speed
from butfor.frontends.c import toolchain
from butfor.frontends.c.c_frontend import compile_program, record
from butfor.options import Options
from butfor.trace.log.record_layout import COLUMNS
from butfor.trace.recording import Recording

PROGRAMS = Path(__file__).parent / "programs"
SIZES = {"loops": (6, 63), "pointers": (5_000, 65_000), "calls": (64, 640)}  # about 1 M and 10 M instructions
ROUNDS = 9


@dataclass(frozen=True, slots=True)
class Row:
    """One program at one size. Seconds; `stages` as bench/stages.py prints them."""

    name: str
    instructions: int
    log_bytes: int
    native: float
    recorded: float
    stages: dict[str, float]
    slower: float  # CPU time of recording against native, without the start of the process


def native_program(source: Path, folder: Path) -> Path:
    """The program without any recording, compiled the same way."""
    compiler = toolchain.find_compiler(None)
    out = folder / source.stem
    toolchain.run_tool(
        [*compiler.command, *compiler.arch_flags, "-O0", "-fno-stack-protector", str(source), "-o", str(out)],
        "native build",
    )
    return out


def seconds(executable: Path, size: int) -> float:
    """How long one run takes; it records itself into a new folder if it can."""
    home = tempfile.mkdtemp(prefix="butfor-bench-", dir=scratch())
    start = time.perf_counter()
    subprocess.run(
        [executable, str(size)], env={**os.environ, "BUTFOR_DIR": home}, check=False, stderr=subprocess.DEVNULL
    )
    taken = time.perf_counter() - start
    shutil.rmtree(home)
    return taken


def scratch() -> str | None:
    """Where butfor itself would record: in memory if it can."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def executed(recording: Recording) -> int:
    """The IR instructions of the run."""
    trace, counts = recording.trace, recording.log.counts
    return sum(
        int(counts[s]) * (trace.static[s].seg.end - trace.static[s].seg.start) for s in np.flatnonzero(counts).tolist()
    )


def stages(home: Path) -> dict[str, float]:
    """The best of three fresh processes, stage by stage."""
    runs = [
        json.loads(subprocess.run([sys.executable, "-m", "bench.stages", home], check=True, capture_output=True).stdout)
        for _ in range(3)
    ]
    return {key: min(run[key] for run in runs) for key in runs[0]}


def measure(source: Path, size: int, folder: Path) -> Row:
    """One program at one size."""
    options = Options(sources=(source,), args=(str(size),))
    build = compile_program(options, lambda _: None)
    recording = record(options, build, lambda _: None)
    native = native_program(source, folder)
    times = [(seconds(native, size), seconds(build.executable, size)) for _ in range(ROUNDS)]
    log_bytes = sum((recording.home / name).stat().st_size for name in COLUMNS)
    return Row(
        source.stem,
        executed(recording),
        log_bytes,
        min(t[0] for t in times),
        min(t[1] for t in times),
        stages(recording.home),
        growth.without_start([build.executable], size) / growth.without_start([native], size),
    )


def main() -> None:
    """Prints the table."""
    print(
        "Cause trees: from the recording to the first cause and to the tree of all levels, without one optimisation at"
        " a time.\n"
    )
    for line in causes.rows():
        print(line, flush=True)
    print("\nRanking of seeded faults.\n")
    for line in ranking.rows():
        print(line, flush=True)
    print(
        "\nRepairs of seeded faults of one line, with all their tests: the place of the first complete and of the"
        " exact one.\n"
    )
    for line in repair.rows():
        print(line, flush=True)
    print(
        "\nMinimal diagnoses of the same faults: the size of the smallest set with the fault in it, and of the"
        " smallest of all.\n"
    )
    for line in diagnoses.rows():
        print(line, flush=True)
    print(
        "\nError invariants: the steps of the path, those that the failure needs, and the time and size of the"
        " sequence of each engine.\n"
    )
    for line in invariants.rows():
        print(line, flush=True)
    print("\nRelevance of every statement instance, inputs free.\n")
    for line in relevance.rows():
        print(line, flush=True)
    print(
        "\nMethods on failing paths against the length of the path: CPU seconds, and how many statements or sets they"
        " tell.\n"
    )
    for line in scale.rows():
        print(line, flush=True)
    print("\nChanged runs: with hooks, and with hooks and checks of memory.\n")
    for line in changed.rows():
        print(line, flush=True)
    for line in changed.throughput():
        print(line, flush=True)
    print("\nThe default answer, warm: CPU seconds by method, those of changed runs included.\n")
    for line in default_answer.rows():
        print(line, flush=True)
    print("\nFailing runs with planted faults, grouped by cause.\n")
    for line in judged_groups.rows():
        print(line, flush=True)
    print("\nExplanations in a batch, against a process of its own for each.\n")
    for line in batch_speed.rows():
        print(line, flush=True)
    print("\nA short run in programs of different sizes, after the build; and the time that is taken on a budget.\n")
    for line in program_size.rows():
        print(line, flush=True)
    print("\nRecording. Best times; `slower` is recording against the native -O0 run, start of the process included.")
    print("Time and memory (RSS) from the end of the run, in a fresh process after its imports.\n")
    left = f"{'program':<9}{'instr':>8}{'native':>9}{'record':>9}{'slower':>8}{'no start':>10}{'B/instr':>9}"
    print(f"{left}{'open':>17}{'first 2,000':>17}{'full slice':>17}{'nodes':>12}{'checked':>10}")
    folder = Path(tempfile.mkdtemp(prefix="butfor-bench-"))
    try:
        for name, sizes in SIZES.items():
            for size in sizes:
                print(_line(measure(PROGRAMS / f"{name}.c", size, folder)), flush=True)
    finally:
        shutil.rmtree(folder)
    print("\nWhere the bytes of the log go: bytes for each executed instruction; and which loads read a local variable")
    print("whose address is never taken.\n")
    for line in log_bytes.rows():
        print(line, flush=True)
    print("\nGrowth with the length of the run (an interpreter); CPU times without the start of the process.\n")
    for line in growth.rows(growth.measured_runs()):
        print(line, flush=True)


def _line(r: Row) -> str:
    cells = "".join(f"{r.stages[s] * 1e3:>7.0f} ms{r.stages[s + '_mb']:>4.0f} MB" for s in ("open", "first", "full"))
    return (
        f"{r.name:<9}{r.instructions / 1e6:>6.1f} M{r.native * 1e3:>6.1f} ms{r.recorded * 1e3:>6.1f}"
        f" ms{r.recorded / r.native:>7.1f}x{r.slower:>9.1f}x"
        f"{r.log_bytes / r.instructions:>9.2f}{cells}{r.stages['nodes']:>12,.0f}{1e-6 / r.stages['check']:>6.1f} M/s"
    )


if __name__ == "__main__":
    main()
