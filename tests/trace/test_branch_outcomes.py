"""The table of branch outcomes: for every arm and window the same answer as looking at the instances one by one."""

from __future__ import annotations

from pathlib import Path

from butfor.ir.may_define import Arm
from butfor.trace.dependence.branch_outcomes import BranchOutcomes
from butfor.trace.trace import Trace
from tests.small import recorded

BODY = """#include <signal.h>
static int n;
static void on(int s) { n += s; }
static int kind(int i) {
 switch (i % 4) { case 0: return 1; case 1: case 2: return 2; default: return i > 5 ? 3 : 4; } }
int main(void) {
 int sum = 0;
 signal(SIGUSR1, on);
 for (int i = 0; i < 9; i++) {
  sum += kind(i);
  if (i == 4 && raise(SIGUSR1)) sum = 0;
  if (sum % 3) sum++; }
 return n > 100; }
"""


def one_by_one(trace: Trace, arm: Arm) -> list[int]:
    """The instances at which the branch went another way than this arm."""
    fn = trace.program.function(arm.function)
    block = fn.blocks[arm.block]
    ends = [i for i in range(len(trace) - 1) if trace.at(i).fn is fn and trace.at(i).last.index == block.end - 1]
    after = [(i, trace.next_in_frame(i)) for i in ends]
    return [i for i, j in after if j >= 0 and trace.at(j).seg.block != block.succs[arm.successor]]


def test_against_one_by_one(tmp_path: Path) -> None:
    trace = recorded(tmp_path, BODY).trace
    names = ("main", "kind", "on")
    outcomes = BranchOutcomes(trace, names)
    functions = [trace.program.function(name) for name in names]
    arms = [
        Arm(f.name, b.index, k)
        for f in functions
        for b in f.blocks
        if len(set(b.succs)) > 1
        for k in range(len(b.succs))
    ]
    ready = outcomes.executed(arms)
    asked = 0
    for since in range(0, len(trace), 7):
        for until in range(since, len(trace), 5):
            wanted = {}
            for k, arm in enumerate(arms):
                there = [i for i in one_by_one(trace, arm) if since <= i < until]
                if there:
                    wanted[k] = there[-1]
            found = outcomes.last_avoided(ready, since, until)
            assert {k: outcomes.instance(row) for k, row in found} == wanted
            for k, row in found:
                back = [i for i in one_by_one(trace, arms[k]) if since <= i < until][::-1]
                assert list(outcomes.avoiding_instances(arms[k], row, since, 3)) == back[:4]
            asked += len(found)
    assert asked > 100
