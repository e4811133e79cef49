"""What an explanation costs in a batch, against a process of its own for each: failures per minute and core."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.triage.warehouse_inputs import WAREHOUSE
from butfor.tests_file import TestCase, read_tests

_RUNS = 24  # two of each fault
_SEED = 5


def rows(runs: int = _RUNS) -> Iterator[str]:
    """The lines of the table, for so many failing runs."""
    cores = len(os.sched_getaffinity(0))

    def line(what: str, cost: tuple[float, float]) -> str:
        seconds, cpu = cost
        rate = f"{60 * runs / cpu:.0f} failures a minute and core"
        return f"{what}: {rate}, {cpu / runs:.2f} s of CPU each ({seconds:.0f} s)"

    with tempfile.TemporaryDirectory(prefix="butfor-speed-") as name:
        folder = Path(name)
        WAREHOUSE.write(folder, runs, _SEED)
        tests = read_tests(folder / "tests.json")
        _measured(lambda: _explained_alone(folder, tests[:1]))  # builds the program, and what changes it
        yield line("one `explain` for each", _measured(lambda: _explained_alone(folder, tests)))
        for jobs in sorted({1, 2, cores}):
            words = ("--explain-all", "--jobs", str(jobs), "-o", f"all-{jobs}")
            cost = _measured(lambda words=words: _batch(folder, words))
            yield line(f"batch --explain-all, {jobs} at once", cost)
        cost = _measured(lambda: _batch(folder, ("--jobs", str(cores), "-o", "groups")))
        yield line(f"batch, one explanation for each cause, {cores} at once", cost)


def _measured(work: object) -> tuple[float, float]:
    """The seconds that the work took, and the CPU seconds of its processes."""
    assert callable(work)
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter() - start, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _explained_alone(folder: Path, tests: Sequence[TestCase]) -> None:
    for test in tests:
        (folder / "in").write_bytes(test.stdin)
        (folder / "right").write_bytes(test.expect_stdout or b"")
        words = [
            "--stdin",
            "in",
            "--expect-stdout",
            "right",
            "--expect-exit",
            "0",
            "-o",
            "page.html",
            "--budget",
            "120",
        ]
        _butfor(folder, ["explain", f"{WAREHOUSE.name}.c", *words])


def _batch(folder: Path, words: Sequence[str]) -> None:
    _butfor(folder, ["batch", f"{WAREHOUSE.name}.c", "--tests", "tests.json", *words])


def _butfor(folder: Path, words: Sequence[str]) -> None:
    subprocess.run([sys.executable, "-m", "butfor", *words], cwd=folder, check=False, stdout=subprocess.DEVNULL)
