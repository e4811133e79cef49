"""The segment that follows another one in its frame is found without looking at the calls in between."""

from __future__ import annotations

from pathlib import Path

import pytest

from butfor.trace.log.record_layout import WINDOW
from butfor.trace.trace import Trace
from tests.small import Source, case_of, recorded, source

CALLS = """static int spin(int n) { int s = 0; for (int i = 0; i < n; i++) s += i & 3; return s; }
static int down(int n) { return n ? down(n - 1) + spin(n % 5) : spin(2500); }
int main(int argc, char **argv) {
 int s = spin(3000) + down(400);
 s += spin(2) + spin(1200);
 assert(s == 1);
 return 0; }
"""
JUMPS = source(
    """
static jmp_buf back;
static void dive(int n) { for (volatile int i = 0; i < 900; i++); if (n) dive(n - 1); else longjmp(back, 1); }
int main(int argc, char **argv) {
    volatile int rounds = 0;
    setjmp(back);
    if (++rounds < 4)
        dive(rounds);
    assert(rounds == 1);
    return 0;
}
""",
    "#include <assert.h>\n#include <setjmp.h>\n",
)
CALLBACK = """static int order(const void *a, const void *b) {
 int s = 0;
 for (int i = 0; i < 3000; i++) s += *(const int *)a > i;
 return *(const int *)a - *(const int *)b + s % 1; }
int main(int argc, char **argv) {
 int all[1] = {7}, wanted = 7;
 int *found = bsearch(&wanted, all, 1, sizeof *all, order);
 assert(found == 0);
 return 0; }
"""


def looked_for(trace: Trace, i: int) -> int:
    """The same, looked for from segment to segment."""
    frame = trace.log.frame_of(i)
    return next((j for j in range(i + 1, len(trace)) if trace.log.frame_of(j) == frame), -1)


@pytest.mark.parametrize("body", [CALLS, JUMPS, CALLBACK], ids=["calls", "jumps", "callback"])
def test_it_is_the_one_that_a_search_finds(tmp_path: Path, body: str | Source) -> None:
    trace = recorded(tmp_path, body).trace
    assert len(trace) > 3 * WINDOW
    ends = [i for i in range(len(trace) - 1) if trace.log.frame_of(i) != trace.log.frame_of(i + 1)]
    step = 1 + len(ends) // 150
    for i in [*ends[::step], *ends[-20:], WINDOW - 1, 2 * WINDOW - 1, len(trace) - 1]:
        assert trace.next_in_frame(i) == looked_for(trace, i)


def test_the_return_of_a_long_callback_is_a_dependence_of_the_call(tmp_path: Path) -> None:
    case = case_of(recorded(tmp_path, CALLBACK))
    trace = case.trace
    call = next(i for i in range(len(trace)) if (c := trace.at(i).call) is not None and c.callee == "bsearch")
    ((end, n),) = case.dependence.callback_returns(call)
    assert end > call + 2 * WINDOW
    assert trace.instr((end, n)).op == "ret"
