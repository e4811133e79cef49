"""What each improvement of PED changes, as in Table 1 of the paper, on the buffer overflows of the tests.

#F is the number of solutions, at most 250 and with a + where there may be more; #U is how many of them change the
faulty statement.
"""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from butfor.errors import ButforError
from butfor.failures.find_failure import find_failure
from butfor.frontends.c.c_frontend import compile_program, record
from butfor.methods.budget import Budget
from butfor.methods.case import FailingRun
from butfor.methods.proofs.mined_facts import mined_facts
from butfor.methods.repair import slip_library
from butfor.methods.repair.on_paths import c_alternatives
from butfor.methods.repair.on_paths.solution_model import SolutionOptions
from butfor.methods.repair.on_paths.solution_search import solutions
from butfor.methods.repair.propose_edits import Proposer
from butfor.options import Options, make_options
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.view.source_places import Places

FOLDER = Path(__file__).parent.parent / "tests" / "methods" / "repair" / "overflows"
SECONDS = 8.0  # for one program and one column
MOST = 250

_BASIC = SolutionOptions(
    templates=False,
    correlated=False,
    use_def=False,
    minimal=False,
    changes=0,
    allowed=False,
    trusted=False,
    earlier=False,
    alike=0,
    most=MOST,
)
_CORRELATED = replace(_BASIC, correlated=True, use_def=True, minimal=True, changes=2)
COLUMNS = {
    "Default": _BASIC,
    "No Inv": _CORRELATED,
    "With Inv": replace(_CORRELATED, allowed=True),
    "Relv. Stmnt.": replace(_CORRELATED, allowed=True, trusted=True, strict=True),
    "butfor": SolutionOptions(most=MOST),
}


@dataclass(frozen=True, slots=True)
class Cell:
    """One column of one program."""

    fixes: int
    useful: int
    complete: bool
    seconds: float


def head_of(program: Path) -> tuple[list[str], int]:
    """The arguments of a program and the line of its fault."""
    head = program.read_text("utf-8").partition("*/")[0]
    return re.findall(r"^ *args:(.*)", head, re.MULTILINE)[0].split(), int(re.findall(r"fault: (\d+)", head)[0])


def measured(options: Options, faulty: Collection[tuple[str, int]]) -> tuple[int, dict[str, Cell]]:
    """The length of the path of a failing run, and its columns; `faulty` are files and lines."""
    recording = record(options, compile_program(options, lambda _: None), lambda _: None)
    dependence = Dependence(recording.trace)
    failure = find_failure(recording, dependence, options.memory_errors).failure
    if failure is None:
        raise ButforError(f"{options.sources[0].name} does not fail")
    case = FailingRun(recording, failure, dependence, Places(recording), options, Budget(60.0))
    path = case.path
    known = c_alternatives.alternatives(Proposer(case.places, slip_library.builtin_library()), [path])
    facts = mined_facts(case, Budget(SECONDS).is_over)
    found = {}
    for name, chosen in COLUMNS.items():
        start = time.monotonic()
        answer = solutions([path], known, Budget(SECONDS).is_over, chosen, facts)
        useful = sum(any((c.place.file, c.place.line) in faulty for c in s.changes) for s in answer.found)
        found[name] = Cell(len(answer.found), useful, answer.complete, time.monotonic() - start)
    return len(path.instances), found


def rows() -> Iterator[str]:
    """One line per program, and the sums."""
    yield f"{'solutions on the failing path':<30}{'':>6}" + "".join(f"{name:>20}" for name in COLUMNS)
    yield f"{'program':<30}{'#L':>6}" + "".join(f"{'#F':>6}{'#U':>6}{'#T(s)':>8}" for _ in COLUMNS)
    sums = dict.fromkeys(COLUMNS, (0, 0, 0.0))
    for program in sorted(FOLDER.glob("*.c")):
        try:
            args, fault = head_of(program)
            length, cells = measured(make_options(program, args=args), {(program.name, fault)})
        except ButforError as e:
            yield f"{program.stem:<30}  {e.message}"
            continue
        yield f"{program.stem:<30}{length:>6}" + "".join(_shown(c) for c in cells.values())
        sums = {
            name: (f + cells[name].fixes, u + cells[name].useful, t + cells[name].seconds)
            for name, (f, u, t) in sums.items()
        }
    yield f"{'sum':<30}{'':>6}" + "".join(f"{f:>6}{u:>6}{t:>8.1f}" for f, u, t in sums.values())


def _shown(c: Cell) -> str:
    count = f"{c.fixes}{'' if c.complete else '+'}"
    return f"{count:>6}{c.useful:>6}{c.seconds:>8.1f}"


if __name__ == "__main__":
    for line in rows():
        print(line, flush=True)
