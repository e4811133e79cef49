"""Error invariants: statements and time against the steps of the path, for each engine."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from butfor.failures.find_failure import find_failure
from butfor.frontends.c.c_frontend import compile_program, record
from butfor.logic.solvers import Limit, default_solver
from butfor.methods.budget import Budget
from butfor.methods.case import FailingRun
from butfor.methods.error_invariants.core_trace import CoreTrace, core_trace_of
from butfor.methods.error_invariants.explained_path import story_of_run
from butfor.methods.error_invariants.inductive_sequence import InterpolationQueries, is_inductive
from butfor.methods.error_invariants.interpolation_engines import ENGINES
from butfor.methods.error_invariants.story_settings import StorySettings
from butfor.options import Options
from butfor.path.source_expressions import SourceExpressions
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.view.source_places import Places

ROUNDS = (5, 20, 80)
LONG = 6_000  # rounds of a loop that has nothing to do with the failure: about 100 k instructions
_SOURCE = """#include <assert.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int n = atoi(argv[1]), idle = atoi(argv[2]), sum = 1, noise = 0;
    for (int k = 0; k < idle; k++)
        noise += k ^ argc;
    for (int i = 1; i <= n; i++) {
        if (i % 2 == 0)
            sum += i;
        else
            sum -= 1;
    }
    assert(sum < 0);
    return noise;
}
"""


def case_of(folder: Path, rounds: int, idle: int) -> FailingRun:
    """The failing run with so many rounds."""
    source = folder / "rounds.c"
    source.write_text(_SOURCE)
    options = Options(sources=(source,), args=(str(rounds), str(idle)))
    recording = record(options, compile_program(options, lambda _: None), lambda _: None)
    dependence = Dependence(recording.trace)
    failure = find_failure(recording, dependence).failure
    assert failure is not None
    return FailingRun(recording, failure, dependence, Places(recording), options, Budget(30.0))


def rows() -> Iterator[str]:
    """The lines of the table."""
    yield (
        f"{'rounds':>7}{'idle':>7}{'path':>6}{'core':>6}{'core s':>8}"
        + "".join(f"{name:>22}" for name in ENGINES)
        + f"{'method s':>10}{'told':>6}"
    )
    with tempfile.TemporaryDirectory(prefix="butfor-bench-") as folder:
        for rounds, idle in (*((n, 0) for n in ROUNDS), (ROUNDS[-1], LONG)):
            yield _row(case_of(Path(folder), rounds, idle), rounds, idle)


def _row(case: FailingRun, rounds: int, idle: int) -> str:
    path = case.path
    start = time.perf_counter()
    trace = core_trace_of(path, True, default_solver(), Limit.after(10.0))
    core = time.perf_counter() - start
    cells = [f"{rounds:>7}{idle:>7}{len(path.instances):>6}"]
    if isinstance(trace, CoreTrace):
        cells.append(f"{len(trace):>6}{core:>8.2f}")
        text = SourceExpressions({c.name: c for c in path.cells})
        for engine in ENGINES.values():
            queries = InterpolationQueries(Limit.after(10.0))
            start = time.perf_counter()
            made = engine(trace, queries, text)
            is_right = made is not None and is_inductive(trace, made.atoms, queries)
            atoms = sum(map(len, made.atoms)) if made is not None and is_right else 0
            cells.append(f"{f'{time.perf_counter() - start:.2f} s, {atoms} atoms' if is_right else 'none':>22}")
    start = time.perf_counter()
    found = story_of_run(case, StorySettings())
    told = sum(e["kind"] == "statement" for e in found.data["abstract_trace"])
    cells.append(f"{time.perf_counter() - start:>10.2f}{told:>6}")
    return "".join(cells)
