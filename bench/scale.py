"""How the methods on failing paths grow with the path: CPU seconds of each for more and more rounds of a loop."""

from __future__ import annotations

import argparse
import gc
import math
import resource
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from butfor.failures.find_failure import find_failure
from butfor.frontends.c.c_frontend import compile_program, record
from butfor.methods.budget import Budget
from butfor.methods.case import FailingRun
from butfor.methods.diagnoses.minimal_diagnoses import diagnoses_of_runs
from butfor.methods.error_invariants.explained_path import story_of_run
from butfor.methods.error_invariants.story_settings import StorySettings
from butfor.methods.relevance.instance_verdicts import judge
from butfor.methods.repair import slip_library
from butfor.methods.repair.on_paths.path_repair import solutions_of_runs
from butfor.methods.repair.propose_edits import Proposer
from butfor.options import Options
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.view.source_places import Places

PROGRAMS = Path(__file__).parent / "programs"
SIZES = {
    "scale_rounds": (20, 200, 2_000),  # a loop over scalars
    "scale_sort": (8, 20, 50),  # elements at computed places
    "relevance_list": (20, 200, 700),  # memory behind pointers
    "scale_text": (10, 60, 360),  # characters of a string, and library calls
    "scale_calls": (11, 41, 241),  # calls, some of them recursive
}
BUDGET = 300.0  # far more than the goal of 30, so that it shows how much is missing
COLUMNS = ("lift", "error invariants", "relevance", "diagnoses", "PED")


@dataclass(slots=True)
class Measured:
    """The steps of one path, and by column the CPU seconds and what the method said, with a `?` where it is partial."""

    steps: int
    seconds: dict[str, float] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)


def case_of(source: Path, size: int, budget: float = BUDGET) -> FailingRun:
    """The failing run of a program at one size."""
    options = Options(sources=(source,), args=(str(size),))
    recording = record(options, compile_program(options, lambda _: None), lambda _: None)
    dependence = Dependence(recording.trace)
    failure = find_failure(recording, dependence).failure
    assert failure is not None, f"{source.name} {size} does not fail"
    return FailingRun(recording, failure, dependence, Places(recording), options, Budget(budget))


def cpu_seconds() -> float:
    """User and system time of this process and of its children that have ended."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def measure(source: Path, size: int, budget: float, columns: Sequence[str] = COLUMNS) -> Measured:
    """One program at one size; each method has the whole budget."""
    case = case_of(source, size, budget)
    found = Measured(0)

    def take(name: str, ask: Callable[[FailingRun], str]) -> None:
        gc.collect()
        fresh = case_of(source, size, budget)
        fresh.__dict__["path"], fresh.__dict__["free_path"] = case.path, case.free_path
        start = cpu_seconds()
        found.said[name] = ask(fresh)
        found.seconds[name] = cpu_seconds() - start

    start = cpu_seconds()
    found.steps = len(case.path.instances)
    found.seconds["lift"] = cpu_seconds() - start
    found.said["lift"] = f"{found.steps:,}"
    for name in columns:
        if name in METHODS:
            take(name, METHODS[name])
    return found


def _invariants(case: FailingRun) -> str:
    answer = story_of_run(case, StorySettings())
    rows = answer.data["abstract_trace"]
    told = sum(row["kind"] == "statement" for row in rows)
    return f"{told}{'' if answer.complete else '?'}"


def _relevance(case: FailingRun) -> str:
    found = judge(case.free_path, case.budget.is_over)
    unknown = sum(v.verdict.value == "unknown" for v in found.by_position.values())
    relevant = sum(v.verdict.is_relevant for v in found.by_position.values())
    return f"{relevant}{'' if found.complete and not unknown else '?'}"


def _diagnoses(case: FailingRun) -> str:
    answer = diagnoses_of_runs(case)
    return f"{len(answer.data['sets'])}{'' if answer.complete else '?'}"


def _repairs(case: FailingRun) -> str:
    proposer = Proposer(case.places, slip_library.load_library(None))
    answer = solutions_of_runs(case, proposer, case.budget.seconds, case.may_be_changed, 1)
    return f"{len(answer.found.found)}{'' if answer.found.complete else '?'}"


METHODS = {"error invariants": _invariants, "relevance": _relevance, "diagnoses": _diagnoses, "PED": _repairs}


def rows(
    programs: Sequence[str] = tuple(SIZES), columns: Sequence[str] = COLUMNS, budget: float = BUDGET
) -> Iterator[str]:
    """A line for each program and size, and for each program how its costs grow with the number of steps."""
    yield f"{'program':<18}{'size':>7}{'steps':>8}" + "".join(f"{name:>24}" for name in columns)
    for name in programs:
        measured = []
        for size in SIZES[name]:
            m = measure(PROGRAMS / f"{name}.c", size, budget, columns)
            measured.append(m)
            cells = "".join(f"{m.seconds[c]:>13.2f} s {m.said[c]:>9}" for c in columns)
            yield f"{name:<18}{size:>7,}{m.steps:>8,}{cells}"
        growth = "".join(f"{_exponent(measured[-2:], c):>24.2f}" for c in columns)
        yield f"{'  grows with steps^':<33}{growth}"


def _exponent(measured: Sequence[Measured], column: str) -> float:
    few, many = measured
    return math.log(many.seconds[column] / max(few.seconds[column], 1e-3)) / math.log(many.steps / few.steps)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", nargs="*", default=list(SIZES), help=f"of {', '.join(SIZES)}")
    parser.add_argument("--only", choices=COLUMNS, action="append", help="measure only this column")
    parser.add_argument("--budget", type=float, default=BUDGET, help="seconds for each method")
    chosen = parser.parse_args()
    for line in rows(chosen.programs, chosen.only or COLUMNS, chosen.budget):
        print(line, flush=True)


if __name__ == "__main__":
    main()
