"""The kernel's slices are those of the walk in Python, which specifies them."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from butfor.errors import ButforError
from butfor.frontends.c.c_frontend import compile_program, record
from butfor.methods.budget import TimeIsUp, stopped_at
from butfor.methods.case import FailingRun
from butfor.native import shared_library
from butfor.options import make_options
from butfor.trace.dependence import backward_slice, slice_kernel
from butfor.trace.dependence.backward_slice import Slicer
from butfor.trace.dependence.edge_costs import COSTS
from butfor.trace.dependence.slice_kernel import SliceKernel
from butfor.trace.dependence.sliced_instances import KINDS, Slice
from butfor.trace.kernel import kernel_run
from tests.corpus import Program, programs
from tests.families import some_of
from tests.small import case_of, recorded, source

MAX_SEGMENTS = 20_000  # longer runs take the walk in Python seconds
QUICK = (
    "construct_qsort_bsearch",
    "construct_varargs",
    "construct_str_functions",
    "construct_function_pointers",
    "construct_conditions",
    "construct_struct_copy",
    "fail_assert_nested_calls",
)
FAILING = [p for p in programs() if p.one("failure") not in (None, "none", "no-end")]


def both(case: FailingRun, kind: str) -> tuple[Slice, Slice | None]:
    """A slice of the failure as the walk in Python finds it and as the kernel does."""
    point = case.point
    starts = [(node, 0) for node in (*point.roots, *(() if point.node is None else (point.node,)))]
    if kind == "relevant":
        starts += [(node, COSTS["potential"]) for node in (*case.kept_output, *point.possible_roots)]
    kernel = SliceKernel(case.dependence)
    walked = Slicer(case.dependence).walk(starts, kind, point.node, None)
    return walked, kernel.backward(starts, kind, point.node, None, lambda: False)


def content(s: Slice) -> Any:
    """All that a slice says, order included."""
    bytes_read = list(s.initial.items()), list(s.uninit.items()), s.reader_distance
    instructions = sorted(s.instructions, key=lambda row: (row.nearest, sorted(row.edges)))
    return list(s.distance.items()), s.reached, bytes_read, s.complete, s.followed_all, s.size, instructions


@pytest.fixture
def unbounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """No bounds on listed instances: the two bound them in different ways."""
    monkeypatch.setattr(slice_kernel, "MAX_FOLLOWED_PER_INSTRUCTION", 10**6)
    for module in (backward_slice, slice_kernel):
        monkeypatch.setattr(module, "MAX_INSTANCES", dict.fromkeys(KINDS, 10**6))
        monkeypatch.setattr(module, "MAX_INSTANCES_PER_INSTRUCTION", dict.fromkeys(KINDS, 10**6))


@pytest.mark.usefixtures("unbounded")
@pytest.mark.parametrize("program", some_of(FAILING, lambda _, p: p.path.stem in QUICK, lambda p: p.path.stem))
def test_the_kernel_finds_the_slices_that_the_walk_finds(program: Program) -> None:
    options = program.options
    try:
        run = record(options, compile_program(options, lambda text: None), lambda text: None)
    except ButforError as e:
        pytest.skip(f"not recorded here: {e.message}")
    if len(run.log) > MAX_SEGMENTS:
        pytest.skip("too long for the walk in Python")
    case = case_of(run.with_expectations(options.expect_stdout, options.expect_exit))
    for kind in KINDS:
        walked, found = both(case, kind)
        if found is None:
            assert "setjmp" in program.path.stem  # left to the walk: a result may be seen without its call
        else:
            assert content(found) == content(walked)


LONG = """static int add(int a, int b) { return a + b; }
int main(int argc, char **argv) {
 int start = argc * 3; // before the loop
 int s = start;
 for (int i = 0; i < 40000; i++)
  if (i % 7 != 3)
   s = add(s, i % 3);
 assert(s == 1);
 return 0; }
"""


def test_a_long_run_is_sliced_to_its_end(tmp_path: Path) -> None:
    case = case_of(recorded(tmp_path, LONG))
    for kind in ("data", "control"):
        found = case.slices[kind]
        assert found.followed_all
        assert not found.complete  # as a list
        assert found.size > 400_000
        assert sum(row.count for row in found.instructions) == found.size
        lines = {p.line for row in found.instructions if (p := case.places.of(row.nearest)) is not None}
        assert next(n for n, text in enumerate(written_lines(tmp_path), 1) if "before the loop" in text) in lines


MIXED = """static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int larger(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(int argc, char **argv) {
 int all[9], (*f)(int) = fib, s = 0;
 char text[30];
 for (int i = 0; i < 9; i++) {
  all[i] = f(8 - i);
  snprintf(text, sizeof text, "%d", all[i]);
  s += strlen(text) > 1 && text[0] == '1' ? 3 : atoi(text);
 }
 qsort(all, 9, sizeof *all, larger);
 memmove(all, all + 1, 5 * sizeof *all);
 assert(s + all[2] == 1);
 return 0; }
"""


def written_lines(folder: Path) -> list[str]:
    """The lines of the program in a folder."""
    return (folder / "prog.c").read_text().splitlines()


RECURSION = """static int down(int n, int acc) {
 if (n == 0)
  return acc;
 return down(n - 1, acc + n % 3); }
int main(int argc, char **argv) {
 int s = down(300, argc + 4);
 for (int i = 0; i < 400; i++)
  s += down(i % 5, i);
 assert(s == 1);
 return 0; }
"""


CALLBACK = """static int order(const void *a, const void *b) {
 int s = 0;
 for (int i = 0; i < 1500; i++) s += *(const int *)a > i;
 return *(const int *)a - *(const int *)b + s; }
int main(int argc, char **argv) {
 int all[1] = {7}, wanted = 7;
 assert(bsearch(&wanted, all, 1, sizeof *all, order) != 0);
 return 0; }
"""


@pytest.mark.parametrize("body", [MIXED, CALLBACK, LONG.replace("40000", "90")])
def test_both_say_how_old_a_value_is_that_was_read(tmp_path: Path, body: str) -> None:
    case = case_of(recorded(tmp_path, body))
    loads = [
        (i, n)
        for i in range(len(case.trace))
        for s in [case.trace.at(i)]
        for n in range(s.seg.start, s.seg.end)
        if s.fn.instrs[n].op == "load"
    ]
    slicer = Slicer(case.dependence)
    ages = SliceKernel(case.dependence).ages(loads)
    assert ages == [slicer.age(node) for node in loads]
    assert len(set(ages)) > 5


@pytest.mark.usefixtures("unbounded")
def test_both_follow_a_callback_that_takes_long(tmp_path: Path) -> None:
    case = case_of(recorded(tmp_path, CALLBACK))
    for kind in ("data", "control"):
        walked, found = both(case, kind)
        assert found is not None
        assert found.size > 5_000
        assert content(found) == content(walked)


@pytest.mark.parametrize("body", [LONG.replace("40000", "900"), RECURSION])
@pytest.mark.usefixtures("unbounded")
def test_both_fold_loops_and_recursions_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    monkeypatch.setattr(backward_slice, "MAX_INSTANCES_PER_INSTRUCTION", dict.fromkeys(KINDS, 70))
    monkeypatch.setattr(slice_kernel, "MAX_FOLLOWED_PER_INSTRUCTION", 70)
    case = case_of(recorded(tmp_path, body))
    for kind in ("data", "control"):
        walked, found = both(case, kind)
        assert found is not None
        assert not found.followed_all
        assert content(found) == content(walked)


def test_without_time_to_ask_about_other_decisions_the_rest_of_the_slice_is_still_followed(tmp_path: Path) -> None:
    for body in (LONG, LONG.replace("40000", "40")):  # by the kernel, and by the walk
        case = case_of(recorded(tmp_path, body))
        slicer = Slicer(case.dependence)
        slicer.stop_asking = lambda: True
        control, relevant = (slicer.backward(case.point.roots, k, case.point.node) for k in ("control", "relevant"))
        assert relevant.size == control.size > 300
        assert not relevant.followed_all
        slicer.stop_asking = lambda: False
        assert slicer.backward(case.point.roots, "relevant", case.point.node).size >= control.size


GOTOS = """int main(int argc, char **argv) {
 static void *const to[] = {&&add, &&twice, &&end};
 static const char code[] = {0, 1, 0, 1, 2};
 int at = 0, s = 1, rounds = 0;
 goto *to[code[at++]];
add:
 s += 1;
 goto *to[code[at++]];
twice:
 s = s * 2 % 1000;
 if (++rounds < 300) at = rounds % 2 * 2;
 goto *to[code[at++]];
end:
 assert(s == 7);
 return 0; }
"""
LOOP = """declare void @abort()
define i32 @main() {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %j, %latch ]
  %odd = and i32 %i, 1
  %is = icmp eq i32 %odd, 1
  br label %body
body:
  br i1 %is, label %a, label %b
a:
  br label %latch
b:
  br label %latch
latch:
  %step = phi i32 [ 1, %a ], [ 2, %b ]
  %j = add i32 %i, %step
  %more = icmp slt i32 %j, 900
  br i1 %more, label %head, label %out
out:
  call void @abort()
  unreachable
}
"""


@pytest.mark.parametrize(("name", "text"), [("prog.c", source(GOTOS).text), ("prog.ll", LOOP)], ids=["goto", "loop"])
@pytest.mark.usefixtures("unbounded")
def test_what_chose_the_value_of_a_phi_is_of_the_last_round_of_the_loop(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    options = make_options(path)
    case = case_of(record(options, compile_program(options, lambda text: None), lambda text: None))
    phis = [
        (i, instr.index)
        for i in range(len(case.trace))
        for s in [case.trace.at(i)]
        for instr in s.fn.instrs[s.seg.start : s.seg.end]
        if instr.op == "phi"
    ]
    assert len(phis) > 300
    assert max(len(case.dependence.edges(node)) for node in phis) <= 4
    for kind in KINDS:
        walked, found = both(case, kind)
        assert found is not None
        assert content(found) == content(walked)


def test_time_can_stop_the_kernel(tmp_path: Path) -> None:
    case = case_of(recorded(tmp_path, LONG))
    s = Slicer(case.dependence, lambda: True).backward(case.point.roots, "control", case.point.node)
    assert not s.followed_all
    assert 0 < s.size < 100_000


def test_an_interrupt_in_a_callback_ends_the_kernel(tmp_path: Path) -> None:
    def interrupt() -> bool:
        raise KeyboardInterrupt

    case = case_of(recorded(tmp_path, LONG))
    with pytest.raises(KeyboardInterrupt):
        Slicer(case.dependence, interrupt).backward(case.point.roots, "control", case.point.node)


def test_an_alarm_that_only_looks_at_the_clock_does_not_stop_the_kernel() -> None:
    with stopped_at(time.monotonic() + 60), kernel_run._deferred_signals() as raised:
        signal.raise_signal(signal.SIGALRM)
        assert not raised


def test_an_alarm_at_the_end_of_the_time_stops_the_kernel() -> None:
    with pytest.raises(TimeIsUp), stopped_at(time.monotonic()), kernel_run._deferred_signals():
        signal.raise_signal(signal.SIGALRM)


def test_without_a_compiler_python_slices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise ButforError("there is no compiler")

    monkeypatch.setattr(shared_library, "find_compiler", refuse)
    monkeypatch.setattr(slice_kernel, "kernels", kernel_run.kernels.__wrapped__)
    case = case_of(recorded(tmp_path, LONG.replace("40000", "2000")))
    assert slice_kernel.SliceKernel.of(case.dependence) is None
    assert case.slices["control"].distance


COLUMNS = ("seg", "load", "escape", "value", "address", "word", "frame", "read", "event", "run", "check")
DAMAGE = f"""
import random, sys
from pathlib import Path
import numpy as np
from butfor.frontends.c.c_module import CModule
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.dependence.slice_kernel import SliceKernel
from butfor.trace.log.columns import Log
from butfor.trace.recording import RecordedProgram, Recording, Meta
from butfor.trace.replay.replay_kernel import replayed
from butfor.trace.trace import Trace
home, rng = Path(sys.argv[1]), random.Random(103)
code = RecordedProgram.in_folder(home, CModule)
run = Recording(home, Meta(), code, owned=False)
root = Dependence(run.trace).control(len(run.trace) - 1)
for k in range(400):
    log = Log(home, code.table)
    for name in rng.sample({COLUMNS!r}, 2):
        column = getattr(log, name).copy()
        raw = column.view("u1").reshape(-1)
        for _ in range(rng.choice((1, 10, 1000)) if len(raw) else 0):
            raw[rng.randrange(len(raw))] = rng.choice((0, 1, 127, 128, 255))
        setattr(log, name, column)
    trace = Trace(code.static, log, run.trace.addresses, run.trace.labels)
    slicer = SliceKernel(Dependence(trace))
    sliced = lambda: slicer.backward([(root, 0)], "control", None, None, lambda: False)
    for walk in (lambda: replayed(trace), sliced):
        try:
            walk()
        except Exception:
            pass  # Python's part of the walk says so in its own ways
"""


def test_a_damaged_log_does_not_crash_the_kernels(tmp_path: Path) -> None:
    run = recorded(tmp_path, MIXED)
    home = tmp_path / "run"
    shutil.copytree(run.home, home)
    done = subprocess.run([sys.executable, "-c", DAMAGE, home], capture_output=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
