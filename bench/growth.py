"""How costs grow with the length of a run: recording, slice and origin of a value, 1 to 1,000 million instructions."""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.stages import peak_memory
from butfor.frontends.c import toolchain
from butfor.frontends.c.c_frontend import compile_program, record
from butfor.frontends.c.c_module import CModule
from butfor.options import Options
from butfor.pipeline import instructions_in
from butfor.trace.dependence.backward_slice import Slicer
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.log.record_layout import COLUMNS
from butfor.trace.recording import Meta, RecordedProgram, Recording
from butfor.trace.trace import Node, Trace

PROGRAM = Path(__file__).parent / "programs" / "interpreter.c"
SIZES = (4, 36, 360, 3600)  # rounds: some 1, 10, 100 and 1,000 million instructions
MAX_VALGRIND_ROUNDS = 36  # it takes a minute for more
ROUNDS = 3  # of which the fastest counts
ORIGINS = 200  # values, spread over the run
CURVES = ("native", "recorded", "slice", "origin")

Row = dict[str, float]


def stage(home: Path) -> Row:
    """Seconds of the slice of the failure and of the origin of a value, and megabytes, in a fresh process."""
    trace = Recording(home, Meta(), RecordedProgram.in_folder(home, CModule), owned=False).trace
    dependence = Dependence(trace)
    start = time.process_time()
    loads = list(_loads(trace))
    for node in loads:
        dependence.edges(node)
    result = {"origin": (time.process_time() - start) / len(loads)}
    root = dependence.control(len(trace) - 1)
    assert root is not None
    start = time.process_time()
    found = Slicer(dependence).backward([root], "control")
    return result | {"slice": time.process_time() - start, "nodes": found.size, "megabytes": peak_memory()}


def _loads(trace: Trace) -> Iterator[Node]:
    """Loads spread over the run."""
    count = len(trace)
    for k in range(ORIGINS):
        i = k * count // ORIGINS
        s = trace.at(i)
        yield from [(i, n) for n in range(s.seg.start, s.seg.end) if s.fn.instrs[n].op == "load"][:1]


def cpu_seconds(command: Sequence[str | Path]) -> float:
    """User and system time of the fastest of several runs."""
    taken = []
    for _ in range(ROUNDS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        home = tempfile.mkdtemp(prefix="butfor-bench-")
        try:
            subprocess.run(command, env={**os.environ, "BUTFOR_DIR": home}, check=False, capture_output=True)
        finally:
            shutil.rmtree(home)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(taken)


def exponent(lengths: Sequence[float], costs: Sequence[float]) -> float:
    """The exponent with which costs grow, by least squares on logarithms."""
    points = [(math.log(n), math.log(max(c, 1e-9))) for n, c in zip(lengths, costs, strict=True)]
    x, y = (sum(p[k] for p in points) / len(points) for k in (0, 1))
    return sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)


def measure(rounds: int, folder: Path) -> Row:
    """One length of the run; the time of starting a process is taken off."""
    options = Options(sources=(PROGRAM,), args=(str(rounds),), time_limit=600)
    build = compile_program(options, lambda _: None)
    recording = record(options, build, lambda _: None)
    native = _native(folder)
    row: Row = {"instructions": instructions_in(recording, recording.log.counts)}
    row["bytes"] = sum((recording.home / name).stat().st_size for name in COLUMNS) / row["instructions"]
    commands: dict[str, list[str | Path]] = {"native": [native], "recorded": [build.executable]}
    for name, command in commands.items():
        row[name] = without_start(command, rounds)
    valgrind = shutil.which("valgrind")
    if valgrind and rounds <= MAX_VALGRIND_ROUNDS:
        row["valgrind"] = without_start([valgrind, "-q", native], rounds)
    asked = [sys.executable, "-m", "bench.growth", "--stage", recording.home]
    found: Row = json.loads(subprocess.run(asked, check=True, capture_output=True).stdout)
    return row | found


def without_start(command: list[str | Path], rounds: int) -> float:
    """CPU seconds of a run without those of a run that does next to nothing."""
    return max(cpu_seconds([*command, str(rounds)]) - cpu_seconds([*command, "0"]), 1e-5)


def _native(folder: Path) -> Path:
    compiler, out = toolchain.find_compiler(None), folder / PROGRAM.stem
    flags = [*compiler.arch_flags, "-O0", "-fno-stack-protector"]
    toolchain.run_tool([*compiler.command, *flags, str(PROGRAM), "-o", str(out)], "native build")
    return out


def measured_runs() -> list[Row]:
    """All lengths of the run."""
    folder = Path(tempfile.mkdtemp(prefix="butfor-bench-"))
    try:
        return [measure(rounds, folder) for rounds in SIZES]
    finally:
        shutil.rmtree(folder)


def rows(measured: list[Row]) -> Iterator[str]:
    """The table, and the exponents."""
    yield "| M instructions | native | recorded | ratio | valgrind | bytes | slice | instances | origin | memory |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for r in measured:
        valgrind = f"{r['valgrind'] / r['native']:.0f}x" if "valgrind" in r else ""
        yield (
            f"| {r['instructions'] / 1e6:,.0f} | {r['native'] * 1e3:,.1f} ms | {r['recorded'] * 1e3:,.0f} ms"
            f" | {r['recorded'] / r['native']:.0f}x | {valgrind} | {r['bytes']:.2f} | {r['slice']:.2f} s"
            f" | {r['nodes']:,.0f} | {r['origin'] * 1e3:.2f} ms | {r['megabytes']:,.0f} MB |"
        )
    lengths = [r["instructions"] for r in measured]
    yield ""
    yield "Exponents: " + ", ".join(f"{c} {exponent(lengths, [r[c] for r in measured]):.2f}" for c in CURVES) + "."


def picture(measured: list[Row]) -> str:
    """The growth curves as an SVG, both axes logarithmic."""
    low = min(math.log10(r[c]) for r in measured for c in CURVES)
    high = max(math.log10(r[c]) for r in measured for c in CURVES)
    first, last = (math.log10(measured[k]["instructions"]) for k in (0, -1))

    def at(r: Row, curve: str) -> str:
        x = 60 + 400 * (math.log10(r["instructions"]) - first) / (last - first)
        return f"{x:.0f},{280 - 250 * (math.log10(r[curve]) - low) / (high - low):.0f}"

    lines = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 560 320" font-family="sans-serif" font-size="12">']
    for curve, colour in zip(CURVES, ("#777", "#1f5fa8", "#b3441e", "#2b8a3e"), strict=True):
        points = [at(r, curve) for r in measured]
        x, y = points[-1].split(",")
        lines.append(f'<polyline points="{" ".join(points)}" fill="none" stroke="{colour}" stroke-width="2"/>')
        lines.append(f'<text x="{int(x) + 6}" y="{y}" fill="{colour}">{curve} {measured[-1][curve]:.2g} s</text>')
    for r in measured:
        x = at(r, "native").split(",")[0]
        lines.append(f'<text x="{x}" y="305" text-anchor="middle">{r["instructions"] / 1e6:,.0f} M</text>')
    return "\n".join((*lines, "</svg>", ""))


def main() -> None:
    """Print the table; with `--picture FILE` draw it too."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stage", type=Path)
    parser.add_argument("--picture", type=Path)
    asked = parser.parse_args()
    if asked.stage is not None:
        print(json.dumps(stage(asked.stage)))
        return
    measured = measured_runs()
    for line in rows(measured):
        print(line)
    if asked.picture is not None:
        asked.picture.write_text(picture(measured), "utf-8")


if __name__ == "__main__":
    main()
