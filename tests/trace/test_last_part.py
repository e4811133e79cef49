"""Long runs of which only the last part is kept: nothing differs in a replay, and the program goes on as ever."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from butfor.frontends.c.build import Build
from butfor.frontends.c.c_frontend import compile_program, record
from butfor.frontends.c.c_module import CModule
from butfor.options import Options
from butfor.pipeline import analyse
from butfor.trace.last_writers import ByteSource
from butfor.trace.recording import Recording
from butfor.trace.recording_file import load, save
from butfor.trace.replay.full_replay import Replay
from butfor.trace.replay.replay_kernel import replayed

PROGRAM = """\
#include <assert.h>
#include <setjmp.h>
#include <stdlib.h>
struct counter { int rounds, odd; };
static const int step[2] = {1, 2};
static jmp_buf out;
static void count(struct counter *c, int i)
{
    c->rounds++;
    c->odd += i % 2;
    if (i % 512 == 0 && JUMPS)
        longjmp(out, 1);
}
static void loop(struct counter *c, int *first, int n)
{
    static int i;
    setjmp(out);
    for (i++; i <= n; i += step[0])
        count(c, i);
    c->rounds += *first; /* written before all that is recorded */
}
int main(int argc, char **argv)
{
    int first = 7, n = atoi(argv[1]);
    struct counter *c = calloc(1, sizeof *c);
    loop(c, &first, n);
    assert(c->rounds == n);
    return argc > 5;
}
"""
ROUNDS, KEPT = 40_000, 5_000


@pytest.fixture(scope="module", params=(0, 1), ids=("calls that return", "calls left by longjmp"))
def long_run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Options, Build]:
    """The program and options that keep the last part of its run."""
    source = tmp_path_factory.mktemp("long") / "prog.c"
    source.write_text(PROGRAM.replace("JUMPS", str(request.param)))
    options = Options(sources=(source,), args=(str(ROUNDS),), record_last=KEPT, methods=("slice",))
    return options, compile_program(options, lambda _: None)


@pytest.fixture(scope="module")
def last_part(long_run: tuple[Options, Build]) -> Recording:
    """The last part of the run."""
    return record(*long_run, lambda _: None)


def test_what_is_kept_is_short_and_the_rest_is_counted(last_part: Recording, long_run: tuple[Options, Build]) -> None:
    options, build = long_run
    whole = record(replace(options, record_last=None), build, lambda _: None)
    assert KEPT <= len(last_part.log) < len(whole.log) // 10
    assert len(last_part.log) + last_part.meta.dropped == len(whole.log)
    assert (last_part.log.counts + last_part.log.dropped == whole.log.counts).all()
    assert last_part.log.occurrence(len(last_part.log) - 1) == whole.log.occurrence(len(whole.log) - 1)


def test_nothing_differs_in_either_replay(last_part: Recording) -> None:
    by_kernel, by_python = replayed(last_part.trace), Replay(last_part.trace).run(None)
    assert by_python.mismatches == 0
    assert by_kernel == by_python
    assert by_python.instructions > KEPT


def test_all_values_are_those_of_the_whole_run(last_part: Recording, long_run: tuple[Options, Build]) -> None:
    options, build = long_run
    whole = record(replace(options, record_last=None), build, lambda _: None)
    shift = len(whole.log) - len(last_part.log)
    for i in range(0, len(last_part.log), 97):
        assert last_part.log.segment(i) == whole.log.segment(i + shift)
        s = last_part.trace.at(i)
        for n in range(s.seg.start, s.seg.end):
            if s.fn.instrs[n].op == "load":
                assert last_part.trace.loaded_bytes((i, n)) == whole.trace.loaded_bytes((i + shift, n))


def test_a_value_from_before_has_no_writer_in_the_part(last_part: Recording) -> None:
    trace = last_part.trace
    sources = [
        source
        for i in range(len(trace) - 40, len(trace))
        for n in range(trace.at(i).seg.start, trace.at(i).seg.end)
        if trace.at(i).fn.instrs[n].op == "load"
        for writer, size in trace.writers((i, n))
        for source in trace.last_writers.sources(writer, size)
    ]
    assert ByteSource("event", 1) in sources  # `*first`
    assert any(source.kind == "store" for source in sources)


def test_the_report_says_what_is_not_recorded(last_part: Recording, long_run: tuple[Options, Build]) -> None:
    answer = analyse(last_part, long_run[0], lambda _: None)
    assert answer.failure is not None
    assert answer.failure.message == "assertion failed: c->rounds == n"
    assert any("instructions of the run are recorded, not the" in note for note in answer.notes)
    assert any(row.text.startswith("c->rounds += *first") for row in answer.ranking)


def test_a_saved_part_is_the_same_part(last_part: Recording, tmp_path: Path) -> None:
    save(last_part, tmp_path / "run.bfr")
    again = load(tmp_path / "run.bfr", CModule)
    assert again.meta == last_part.meta
    assert (again.log.dropped == last_part.log.dropped).all()
    assert replayed(again.trace) == replayed(last_part.trace)


def test_a_log_limit_keeps_the_last_part_too(long_run: tuple[Options, Build]) -> None:
    options, build = long_run
    longer = replace(options, record_last=None, log_limit=2**20, args=(str(10 * ROUNDS),))
    recording = record(longer, build, lambda _: None)
    assert recording.meta.dropped
    assert recording.meta.limit == ""
    assert sum(path.stat().st_size for path in recording.home.iterdir()) < 3 * 2**20
    found = replayed(recording.trace)
    assert found is not None
    assert found.mismatches == 0


def test_a_full_disk_ends_the_recording_not_the_program(long_run: tuple[Options, Build], tmp_path: Path) -> None:
    executable = long_run[1].executable
    for name in ("value", "load", "seg"):
        (tmp_path / name).symlink_to("/dev/full")
    env = {**os.environ, "BUTFOR_DIR": str(tmp_path)}
    done = subprocess.run([executable, str(20 * ROUNDS)], env=env, capture_output=True, check=False)
    assert b"c->rounds == n" in done.stderr  # it came to its own end
    assert done.returncode == -6
    assert (tmp_path / "end").read_text().startswith("reason 8\n")
