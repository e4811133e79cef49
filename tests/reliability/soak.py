"""`python -m tests.reliability.soak`: thousands of explanations in one process, and in several at once.

Programs come from the generator of tests/claims. After each explanation nothing may be left: no open descriptor, no
child, no temporary file, no shared memory; and the memory of the process must not grow once it is warm.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import json
import multiprocessing
import os
import random
import resource
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

import butfor
from butfor.options import Options
from tests.claims.campaign import failing_inputs, run_options
from tests.claims.generate_program import generate
from tests.claims.print_program import print_program

KINDS = ("c", "wide")
RUNS_PER_PROGRAM = 6
WARM_AFTER = 0.25  # of the time: what is filled once, such as caches with a bound, is filled by then
MAX_GROWTH_MB_PER_1000 = 20.0  # of a warm process; below this is what the allocator keeps back
SLOW_SECONDS = 60.0  # one explanation; its budget is half of that


@dataclass
class Soak:
    """What one process did and what it left behind."""

    explained: int = 0
    failures: int = 0
    partial: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    memory: list[tuple[int, float]] = field(default_factory=list)  # explanations until then, MB
    left: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def growth(self) -> float:
        """MB for each 1,000 explanations, from the median of the first warm third to that of the last."""
        warm = [m for m in self.memory if m[0] >= WARM_AFTER * self.explained]
        third = len(warm) // 3
        if not third:
            return 0.0
        first, last = sorted(warm[:third], key=lambda m: m[1]), sorted(warm[-third:], key=lambda m: m[1])
        apart = (len(warm) - third) / max(len(warm) - 1, 1) * (warm[-1][0] - warm[0][0])
        return (last[len(last) // 2][1] - first[len(first) // 2][1]) / max(apart, 1) * 1000


def memory_mb() -> float:
    """The resident memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20


def children() -> list[int]:
    """The processes whose parent this one is."""
    return [int(c) for task in Path("/proc/self/task").iterdir() for c in (task / "children").read_text().split()]


def failing_runs(seeds: Iterator[int], folder: Path) -> Iterator[Options]:
    """Failing runs of generated programs."""
    for seed in seeds:
        kind = KINDS[seed % len(KINDS)]
        program = generate(seed, kind)
        source = folder / "prog.c"
        source.write_text(print_program(program).text)
        inputs = failing_inputs(program)
        for chosen in random.Random(seed).sample(inputs, min(RUNS_PER_PROGRAM, len(inputs))):
            yield run_options(program, source, chosen, ())


def remains(scratch: Path, before: dict[str, set[str]]) -> list[str]:
    """What is there that was not there before: descriptors, children, temporary files, shared memory."""
    now = standing(scratch)
    return [f"{kind}: {item}" for kind, items in now.items() for item in sorted(items - before[kind])]


def standing(scratch: Path) -> dict[str, set[str]]:
    """Descriptors of this process, its children, files in its temporary folder and its folders in /dev/shm."""
    descriptors = {f"{n} {os.readlink(f'/proc/self/fd/{n}')}" for n in os.listdir("/proc/self/fd") if _is_open(n)}
    shared = Path("/dev/shm")
    mine = {p.name for p in shared.iterdir() if f"-{os.getpid()}" in p.name} if shared.is_dir() else set()
    return {
        "descriptor": descriptors,
        "child": {str(c) for c in children()},
        "temporary file": {str(p.relative_to(scratch)) for p in scratch.rglob("*")},
        "shared memory": mine,
    }


def _is_open(number: str) -> bool:
    return os.path.lexists(f"/proc/self/fd/{number}")


def soak(first: int, step: int, seconds: float) -> Soak:
    """Explain one failing run after the other until the time is up."""
    result, begun = Soak(), time.monotonic()
    with tempfile.TemporaryDirectory() as work, tempfile.TemporaryDirectory() as temporary:
        tempfile.tempdir = temporary
        os.environ["TMPDIR"] = temporary
        before: dict[str, set[str]] | None = None
        for options in failing_runs(itertools.count(first, step), Path(work)):
            if time.monotonic() - begun > seconds:
                break
            _one(options, result)
            gc.collect()
            if before is None:
                before = standing(Path(temporary))
            left = remains(Path(temporary), before)
            result.left += [f"{result.explained}: {x}" for x in left]
            before = standing(Path(temporary)) if left else before
            result.memory.append((result.explained, memory_mb()))
    result.seconds = time.monotonic() - begun
    used = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    result.cpu_seconds = sum(u.ru_utime + u.ru_stime for u in used)
    return result


def _one(options: Options, result: Soak) -> None:
    begun = time.monotonic()
    try:
        answer = butfor.api.explain(options)
        result.failures += answer.failure is not None
        result.partial += answer.status == "partial"
        if answer.failure is None:
            result.errors.append(f"no failure seen: {options.sources[0].read_text()}")
    except Exception:
        result.errors.append(traceback.format_exc())
    result.explained += 1
    if time.monotonic() - begun > SLOW_SECONDS:
        result.errors.append(f"{time.monotonic() - begun:.0f} s: {options.sources[0].read_text()}")


def main() -> int:
    """Soak, print what came of it, and keep it for the page."""
    parser = argparse.ArgumentParser(prog="python -m tests.reliability.soak", description=__doc__)
    parser.add_argument("--seconds", type=float, default=1200.0, help="how long (default 1200)")
    parser.add_argument("--jobs", type=int, default=1, help="processes at once (default 1)")
    parser.add_argument("--seed", type=int, default=1, help="the first program (default 1)")
    parser.add_argument("--state", type=Path, help="file for the figures, for docs/reliability.md")
    given = parser.parse_args()
    with multiprocessing.get_context("spawn").Pool(given.jobs) as pool:
        parts = pool.starmap(soak, [(given.seed + k, given.jobs, given.seconds) for k in range(given.jobs)], 1)
    for part in parts:
        print(
            f"{part.explained} explanations, {part.failures} of failures, {part.partial} partial, "
            f"{part.explained / part.seconds * 60:.0f} a minute; memory {part.memory[0][1]:.0f} MB after the first, "
            f"{part.memory[-1][1]:.0f} MB at the end, growth {part.growth:.1f} MB for 1,000; "
            f"{len(part.left)} things left, {len(part.errors)} errors"
        )
        print(*part.left[:20], *part.errors[:5], sep="\n")
    if given.state is not None:
        given.state.write_text(json.dumps({"jobs": given.jobs, "parts": [_short(p) for p in parts]}))
    is_fine = all(not p.left and not p.errors and p.growth <= MAX_GROWTH_MB_PER_1000 for p in parts)
    return 0 if is_fine else 1


def _short(part: Soak) -> dict[str, object]:
    """The figures without most of the samples."""
    every = max(1, len(part.memory) // 50)
    return {**asdict(part), "memory": part.memory[::every], "growth": part.growth}


if __name__ == "__main__":
    sys.exit(main())
