"""What the size of the program costs a short run, and whether the budget is kept, as ratios.

The run is the same in all programs: it reads a few values through pointers and fails. The rest of the program is never
executed, but it could be: by calls in arms that were not taken, and through a table of function pointers.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from butfor.frontends.c.c_frontend import compile_program, record
from butfor.frontends.program_kinds import RECORDING
from butfor.options import Options
from butfor.pipeline import analyse
from butfor.trace import recording_file as recordings
from butfor.trace.recording import Recording

FUNCTIONS = (50, 500, 2_500)  # of ten lines each
METHODS = ("slice", "cascade", "hazards")  # that do not run the program again: a build costs by its size
BUDGETS = (1.0, 5.0)  # seconds, for a run that needs more
LONG_RUN = 400_000  # rounds, each of which the failure depends on
_ROUNDS = 3

_FUNCTION = """static int f{k}(struct item *p, int n) {{
    if (n <= 0)
        return p->value;
    struct item *q = p->next ? p->next : p;
    if (n % 3 == 0)
        q->value = n + {k};
    if (n % 5 == 0)
        return f{after}(q, n - 1);
    return table[n % {count}](q, n - 2);
}}
"""
_MAIN = """int main(int argc, char **argv) {
    struct item last = {0, 3}, first = {&last, 4};
    struct item *p = &first;
    int sum = 0;
    if (argc > 5)
        sum = table[argc % 7](p, argc);
    for (; p; p = p->next)
        sum += p->value;
    assert(sum == 8);
    return 0;
}
"""
_LONG = """#include <assert.h>
static int cells[997];
int main(int argc, char **argv) {
    int at = argc;
    for (int i = 0; i < ROUNDS; i++) {
        if (cells[at] % 7 == 3)
            cells[(at + i) % 997] += i;
        at = (at + cells[at] + 1) % 997;
        cells[at]++;
    }
    assert(cells[at] == -1);
    return 0;
}
""".replace("ROUNDS", str(LONG_RUN))


def program_text(functions: int) -> str:
    """A program with so many functions that do not run."""
    head = "#include <assert.h>\nstruct item { struct item *next; int value; };\n"
    names = ", ".join(f"f{k}" for k in range(functions))
    declared = "".join(f"static int f{k}(struct item *p, int n);\n" for k in range(functions))
    table = f"static int (*const table[])(struct item *, int) = {{{names}}};\n"
    bodies = "".join(_FUNCTION.format(k=k, after=(k + 1) % functions, count=functions) for k in range(functions))
    return head + declared + table + bodies + _MAIN


def rows() -> Iterator[str]:
    """The lines of both tables."""
    yield f"{'functions':>9}{'lines':>9}{'instructions run':>18}{'analysis (CPU)':>16}{'against the first':>19}"
    first = 0.0
    for functions in FUNCTIONS:
        text = program_text(functions)
        instructions, seconds = _measured(text)
        first = first or seconds
        lines = text.count("\n")
        yield f"{functions:>9,}{lines:>9,}{instructions:>18,}{seconds:>14.2f} s{seconds / first:>18.2f}x"
    yield f"\n{'budget':>9}{'taken':>9}{'against the budget':>20}"
    for budget in BUDGETS:
        taken = _time_on_budget(budget)
        yield f"{budget:>7g} s{taken:>7.2f} s{taken / budget:>19.2f}x"


def _measured(text: str) -> tuple[int, float]:
    """The instructions of the run, and the CPU time of the best of some analyses."""
    with tempfile.TemporaryDirectory() as folder:
        recording, options = _recorded(Path(folder), text, Options(methods=METHODS))
        saved = Path(folder, "run.bfr")
        recordings.save(recording, saved)
        best, instructions = float("inf"), 0
        for _ in range(_ROUNDS):  # each reads the program again
            again = recordings.load(saved, RECORDING.run_frontend.read_program)
            start = time.process_time()
            instructions = analyse(again, options, lambda text: None).run.instructions
            best = min(best, time.process_time() - start)
    return instructions, best


def _time_on_budget(budget: float) -> float:
    """The seconds of an analysis with a budget that is too small for it."""
    with tempfile.TemporaryDirectory() as folder:
        recording, options = _recorded(Path(folder), _LONG, Options(budget=budget))
        start = time.monotonic()
        analyse(recording, options, lambda text: None)
        return time.monotonic() - start


def _recorded(folder: Path, text: str, options: Options) -> tuple[Recording, Options]:
    source = folder / "prog.c"
    source.write_text(text)
    options = replace(options, sources=(source,))
    return record(options, compile_program(options, lambda text: None), lambda text: None), options


if __name__ == "__main__":
    for line in rows():
        print(line, flush=True)
