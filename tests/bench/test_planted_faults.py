"""Programs with planted faults: their texts, and the groups that a batch makes of their failing runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from bench.triage.judged_groups import PROGRAMS, judged


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_fault_is_a_change_of_the_right_program(name: str) -> None:
    program = PROGRAMS[name]
    right = program.source(())
    texts = {right, *(program.source([fault]) for fault in program.faults)}
    assert len(texts) == len(program.faults) + 1 == 13
    assert not any(re.search(r"//[@!]\d", text) for text in texts)


@pytest.mark.parametrize("name", PROGRAMS)
def test_inputs_are_the_same_for_the_same_seed_and_are_of_all_faults(name: str) -> None:
    program = PROGRAMS[name]
    inputs = program.inputs(24, seed=7)
    assert inputs == program.inputs(24, seed=7) != program.inputs(24, seed=8)
    assert sorted(one.fault for one in inputs) == sorted([*program.faults] * 2)


@pytest.mark.slow
def test_failing_runs_are_grouped_by_fault(tmp_path: Path) -> None:
    found = judged(PROGRAMS["warehouse"], count=36, seed=2, jobs=2, folder=tmp_path)
    assert (found.mixed, found.not_examined) == (0, 0)
    assert found.per_fault <= 1.34
