"""Processor time of cause trees by length of run, with all optimisations and without one at a time.

Each row is measured in a process of its own: `python -m bench.causes FOLDER WITHOUT` prints one JSON object for a
recording that `rows` has made.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from butfor.failures.find_failure import find_failure
from butfor.frontends.c.c_frontend import compile_program, record
from butfor.frontends.c.c_module import CModule
from butfor.methods.budget import Budget
from butfor.methods.case import FailingRun
from butfor.methods.cause_tree.method import OPTIMISATIONS, CauseTreeMethod
from butfor.methods.cause_tree.run_causes import MAX_CAUSES, CauseTree
from butfor.options import Options
from butfor.pipeline import run_info
from butfor.trace import recording_file as recordings
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.view.source_places import Places
from tests.seeded_corpus import faults, run_correct

SIZES = (300, 10_000, 35_000, 130_000, 1_000_000)
_WORDS = (
    "the cat's hat and the dog's bone were in the old man's house by the sea where nobody's boat ever landed".split()
)
_CODE = [
    "/** doc **/ int g;",
    "int f(int a) { return a / 2; } /* half */",
    "char q = '\\'', *s = \"/* no */\"; // quotes",
    "x = y /z;",
]
PROGRAMS = {
    "uncomment-two-stars": (_CODE, "\n", 1400),
    "wordfreq-no-apostrophe": (_WORDS, " ", 370),
}  # fault, material, instructions each

USEFUL = 25  # causes: nearly all seeded faults that are found at all are among so many
TRUSTED = (
    "hash_of",
    "checked",
    "emit",
)  # functions of these programs; without this, switching trust off would change nothing


def text_of(fault: str, size: int) -> bytes:
    """Input that makes a run of about this many instructions."""
    parts, between, each = PROGRAMS[fault]
    count = max(1, size // each)
    return (between.join(parts[k % len(parts)] for k in range(count)) + "\n").encode()


def saved(fault: str, size: int, folder: Path) -> tuple[Path, int]:
    """A recording of the faulty program on such an input, and how many instructions it ran."""
    found = next(f for f in faults() if f.id == fault)
    source = folder / f"{found.program}.c"
    source.write_text(found.source_text)
    stdin = text_of(fault, size)
    options = Options(sources=(source,), stdin=stdin, expect_stdout=run_correct(found, (), stdin))
    recording = record(options, compile_program(options, lambda _: None), lambda _: None)
    out = folder / "run.bfr"
    recordings.save(recording, out)
    return out, run_info(recording).instructions


def measure(path: Path, without: str) -> dict[str, Any]:
    """Seconds to the first cause, to the useful part of the tree and to all of it; the size of the tree."""
    recording = recordings.load(path, CModule)
    start = time.process_time()
    dependence = Dependence(recording.trace)
    point = find_failure(recording, dependence).failure
    assert point is not None
    options = Options(trust=TRUSTED, without=tuple(without.split(",")) if without else ())
    case = FailingRun(recording, point, dependence, Places(recording), options, Budget(600))
    CauseTree(case).open(0)
    first = time.process_time() - start
    useful, _ = opened(case, USEFUL)
    full, tree = opened(case, MAX_CAUSES)
    lines = {(p.path, p.line) for cause in tree.causes for p in cause.statements}
    return {
        "first": first,
        "useful": useful,
        "full": full,
        "causes": len(tree.causes),
        "proved": sum(c.proved for c in tree.causes),
        "lines": len(lines),
        "complete": tree.complete,
    }


def opened(case: FailingRun, most: int) -> tuple[float, CauseTree]:
    """A tree of at most so many causes, nothing known of the run's dependences before, and the seconds it took."""
    start = time.process_time()
    tree = CauseTree(replace(case, dependence=Dependence(case.trace)))
    tree.open(CauseTreeMethod.depth, most)
    return time.process_time() - start, tree


def rows() -> Iterator[str]:
    """The lines of the table."""
    columns = (("instr", 9), ("without", 11), ("first", 11), ("useful", 11), ("full tree", 11), ("causes", 8))
    yield "program".ljust(12) + "".join(name.rjust(width) for name, width in (*columns, ("proved", 8), ("lines", 7)))
    for fault in PROGRAMS:
        for size in SIZES:
            with tempfile.TemporaryDirectory(prefix="butfor-bench-") as name:
                path, instructions = saved(fault, size, Path(name))
                for without in ("", *OPTIMISATIONS):
                    done = subprocess.run(
                        [sys.executable, "-m", "bench.causes", path, without], check=True, capture_output=True
                    )
                    r = json.loads(done.stdout)
                    times = "".join(f"{r[stage] * 1e3:>8.0f} ms" for stage in ("first", "useful", "full"))
                    yield (
                        f"{fault.split('-')[0]:<12}{instructions:>9,}{without or '-':>11}{times}"
                        f"{r['causes']:>8}{r['proved']:>8}{r['lines']:>7}{'' if r['complete'] else '  bounded'}"
                    )


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]), sys.argv[2])))
