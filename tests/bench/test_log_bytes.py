"""The table of where the bytes of the log go counts each byte once."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.log_bytes import GROUPS, column_bytes, share_of_local_loads, unshared_locals

from butfor.pipeline import instructions_in
from butfor.trace.log.record_layout import COLUMNS
from tests.small import recorded

PROGRAM = """static void set(int *to) { *to = 4; }
int main(void) {
 int shared = 0, own = 0;
 set(&shared);
 for (int i = 0; i < 100; i++)
  own += shared;
 assert(own == 1);
 return 0; }
"""


def test_every_column_is_in_one_group(tmp_path: Path) -> None:
    assert sorted(name for names in GROUPS.values() for name in names) == sorted(COLUMNS)
    run = recorded(tmp_path, PROGRAM)
    whole = sum((run.home / name).stat().st_size for name in COLUMNS)
    assert sum(column_bytes(run).values()) * instructions_in(run, run.log.counts) == pytest.approx(whole)


def test_a_variable_whose_address_is_taken_is_not_counted_as_a_local_of_its_own(tmp_path: Path) -> None:
    run = recorded(tmp_path, PROGRAM)
    main = run.trace.program.function("main")
    allocated = [instr.slot for instr in main.instrs if instr.op == "alloca"]
    assert len(unshared_locals(main)) == len(allocated) - 1
    assert 0.6 < share_of_local_loads(run) < 0.8  # of four loads in a round, one reads `shared`
