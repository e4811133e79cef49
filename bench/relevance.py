"""Relevance of every statement instance of a path: how long it takes, and how often a solver was asked."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from butfor.failures.find_failure import find_failure
from butfor.frontends.c.c_frontend import compile_program, record
from butfor.methods.budget import Budget
from butfor.methods.case import FailingRun
from butfor.methods.relevance.instance_verdicts import judge
from butfor.options import Options
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.view.source_places import Places

PROGRAMS = Path(__file__).parent / "programs"
SIZES = {"relevance_list": 160, "relevance_sort": 26, "relevance_mix": 60, "relevance_rounds": 2_000}
LIMIT = 60.0


def rows() -> Iterator[str]:
    """One line for each program, inputs free."""
    yield f"{'program':<16}{'instances':>10}{'lift':>9}{'verdicts':>10}{'asked':>7}  verdicts"
    for name, size in SIZES.items():
        case = _case(PROGRAMS / f"{name}.c", size)
        start = time.perf_counter()
        path = case.free_path
        lifted = time.perf_counter()
        end = time.monotonic() + LIMIT
        found = judge(path, lambda end=end: time.monotonic() >= end)  # type: ignore[misc]
        done = time.perf_counter()
        counts = Counter(j.verdict.value for j in found.by_position.values())
        told = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
        yield (
            f"{name:<16}{len(path.instances):>10}{lifted - start:>7.2f} s{done - lifted:>8.2f} s{found.asked:>7} "
            f" {told}"
        )


def _case(source: Path, size: int) -> FailingRun:
    options = Options(sources=(source,), args=(str(size),))
    recording = record(options, compile_program(options, lambda _: None), lambda _: None)
    dependence = Dependence(recording.trace)
    failure = find_failure(recording, dependence).failure
    assert failure is not None
    return FailingRun(recording, failure, dependence, Places(recording), options, Budget(LIMIT))
