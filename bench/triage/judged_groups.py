"""How well failing runs are grouped by cause: groups for each planted fault, groups with several, CPU time."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.triage.planner_inputs import PLANNER
from bench.triage.planted_program import FailingInput, PlantedProgram
from bench.triage.script_inputs import SCRIPT
from bench.triage.warehouse_inputs import WAREHOUSE

PROGRAMS = {program.name: program for program in (WAREHOUSE, SCRIPT, PLANNER)}
TUNED_ON = WAREHOUSE.name  # the others are for judging


@dataclass(frozen=True, slots=True)
class JudgedGroups:
    """What a batch made of failing runs whose faults are known."""

    program: str
    runs: int
    faults: int
    groups: Sequence[Sequence[int]]  # the faults of the members of each
    cpu_seconds: float
    not_examined: int

    @property
    def per_fault(self) -> float:
        """Groups for each fault."""
        return len(self.groups) / self.faults

    @property
    def mixed(self) -> int:
        """Groups in which there is more than one fault."""
        return sum(len(set(group)) > 1 for group in self.groups)

    @property
    def most(self) -> tuple[int, int]:
        """The fault with the most groups, and how many."""
        return max(Counter(group[0] for group in self.groups).items(), key=lambda pair: (pair[1], -pair[0]))

    def line(self) -> str:
        """The row of a table."""
        fault, most = self.most
        lost = f"; {self.not_examined} runs not examined" if self.not_examined else ""
        role = "tuned on" if self.program == TUNED_ON else "for judging"
        return (
            f"{self.program} ({role}): {self.runs:,} failing runs of"
            f" {self.faults} faults: {len(self.groups)} groups, {self.per_fault:.2f} for each fault (at most {most}, of"
            f" fault {fault}), {self.mixed} with several faults; {self.cpu_seconds:.0f} s of CPU,"
            f" {1000 * self.cpu_seconds / self.runs:.0f} ms a run{lost}"
        )


def judged(program: PlantedProgram, count: int, seed: int, jobs: int, folder: Path) -> JudgedGroups:
    """The groups of so many failing runs of a program."""
    inputs = program.write(folder, count, seed)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "butfor", "batch", f"{program.name}.c", "--tests", "tests.json"]
    subprocess.run([*command, "--jobs", str(jobs)], cwd=folder, check=False, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    answer = json.loads((folder / "butfor-batch" / "groups.json").read_text("utf-8"))
    return _judged(program, inputs, answer, spent)


def _judged(
    program: PlantedProgram, inputs: Sequence[FailingInput], answer: dict[str, object], spent: float
) -> JudgedGroups:
    groups, counts = answer["groups"], answer["counts"]
    assert isinstance(groups, list)
    assert isinstance(counts, dict)
    return JudgedGroups(
        program.name,
        len(inputs),
        len(program.faults),
        [[inputs[number].fault for number in group["members"]] for group in groups],
        spent,
        counts.get("not-examined", 0),
    )


def rows(count: int = 240, seed: int = 1) -> Iterator[str]:
    """The lines of the table."""
    for program in PROGRAMS.values():
        with tempfile.TemporaryDirectory(prefix="butfor-triage-") as folder:
            yield judged(program, count, seed, len(os.sched_getaffinity(0)), Path(folder)).line()
