"""The kernel's full replay says what the replay in Python says, or leaves the run to it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from butfor.errors import ButforError
from butfor.frontends.c.c_frontend import compile_program, record
from butfor.trace.log.columns import Log
from butfor.trace.replay.full_replay import Replay, check_recording
from butfor.trace.replay.replay_kernel import replayed
from butfor.trace.trace import Trace
from tests.corpus import Program, programs
from tests.families import some_of
from tests.small import recorded

MAX_SEGMENTS = 20_000  # longer runs take the replay in Python seconds
QUICK = (
    "construct_qsort_bsearch",
    "construct_setjmp",
    "construct_signal_handler",
    "construct_floats",
    "construct_function_pointers",
    "construct_varargs",
    "construct_int_widths",
    "construct_alloca_vla",
)
# Values that the kernel leaves to Python: structs in registers, 128 bits, long double, atomics, rare intrinsics.
LEFT_TO_PYTHON = frozenset(
    "construct_atomics construct_big_struct_return construct_bit_ops construct_compound_literals "
    "construct_float_pair_struct construct_int128 construct_long_double construct_math construct_nested_struct_union "
    "construct_pass_conversions construct_pass_float_ops construct_pass_struct_abi construct_small_struct_return "
    "construct_struct_copy fail_uninit_copy_return real_event_queue".split()
)


@pytest.mark.parametrize("program", some_of(programs(), lambda _, p: p.path.stem in QUICK, lambda p: p.path.stem))
def test_the_kernel_compares_what_the_replay_compares(program: Program) -> None:
    options = program.options
    try:
        run = record(options, compile_program(options, lambda text: None), lambda text: None)
    except ButforError as e:
        pytest.skip(f"not recorded here: {e.message}")
    if len(run.log) > MAX_SEGMENTS:
        pytest.skip("too long for the replay in Python")
    found = replayed(run.trace)
    if found is None:
        assert program.path.stem in LEFT_TO_PYTHON
    else:
        assert found == Replay(run.trace).run(None)


MIXED = """static double half(double x) { return x / 2; }
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
struct pair { short a; long b; };
int main(int argc, char **argv) {
 struct pair all[4] = {{1, 2}, {3, 4}};
 int (*f)(int) = fib;
 char text[20];
 unsigned char sum = 0;
 for (int i = 0; i < 12; i++) {
  all[i % 4].a += f(i % 6);
  all[i % 4].b -= all[(i + 1) % 4].a * 7L;
  snprintf(text, sizeof text, "%d", i * argc);
  for (char *p = text; *p; p++) sum += *p << 1;
  switch (i % 3) { case 0: sum ^= 5; break; case 1: sum >>= 1; break; default: sum = -sum; }
 }
 memmove(all + 1, all, 2 * sizeof *all);
 assert(half(sum) + all[2].b > 1e9);
 return 0; }
"""


def test_whatever_is_changed_in_the_log_the_kernel_accepts_only_what_the_replay_accepts(tmp_path: Path) -> None:
    run = recorded(tmp_path, MIXED)
    assert replayed(run.trace) is not None
    rng = random.Random(7)
    refused = 0
    for name in ("value", "address", "load", "escape", "word", "read", "event"):
        for _ in range(6):
            log = Log(run.home, run.log.table)
            column = getattr(log, name).copy()
            raw = column.view("u1").reshape(-1)
            if not len(raw):
                continue
            raw[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
            setattr(log, name, column)
            trace = Trace(run.trace.static, log, run.trace.addresses, run.trace.labels)
            found = replayed(trace)
            refused += found is None
            if found is not None:
                fresh = Trace(run.trace.static, log, run.trace.addresses, run.trace.labels)
                assert found == Replay(fresh).run(None)
    assert refused > 15


def test_a_difference_is_told_in_words(tmp_path: Path) -> None:
    run = recorded(tmp_path, MIXED)
    changed = run.log.value.copy()
    changed[len(changed) // 2] ^= 1
    run.log.value = changed
    result = check_recording(run.trace)
    assert result.mismatches
    assert result.shown
