"""Units of a program that are instrumented one by one, and put together as its linker did."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

import butfor
from butfor.frontends.c.c_module import CModule
from butfor.frontends.c.hooked_build import build_hooked
from butfor.frontends.c.instrument.recording_module import recording_module
from butfor.frontends.c.instrument.unit_text import OtherUnits
from butfor.frontends.c.whole_programs.build_twin import build_twin
from butfor.frontends.c.whole_programs.twin_names import NamedPart, names_of_units
from butfor.frontends.c.whole_programs.twin_plan import plan_twin
from butfor.frontends.c.whole_programs.unit_store import UnitJob
from butfor.frontends.c.whole_programs.unit_summary import Linkage, UnitSummary
from butfor.frontends.c.whole_programs.unit_workers import run_jobs
from butfor.ir.change_sites import Site
from butfor.ir.program import Program
from butfor.libc import library
from tests.projects.building import cc

MAIN = r"""
#include <assert.h>
#include <stdio.h>
struct pair { int first, second; };
extern struct pair pairs[];
extern int shared;
int common_one;
static int counter = 1;
static int step(int by) { return counter += by; }
int other_step(int), through_label(int), outside(int), helper(void);
int strsep(int x) { return x + 1; } /* not the one that the runtime has a model of */
int weak_one(void) { return 7; }
int chosen(void);
static int local_label(int k) {
  static void *const places[] = {&&one, &&two};
  goto *places[k & 1];
one: return 100;
two: return 200;
}
int main(int argc, char **argv) {
  static int calls;
  int (*f)(int) = argc > 1 ? step : other_step;
  calls += f(argc) + step(2) + other_step(3);
  common_one = strsep(calls);
  printf("%d %d %d %d %d\n", calls, common_one, chosen(), local_label(argc), through_label(argc));
  printf("%d %d %d %d\n", pairs[1].second, shared, outside(4), helper());
  fflush(stdout);
  assert(calls + pairs[argc].first != 54);
  return 0;
}
"""
OTHER = r"""
struct pair { int first, second; };
struct pair pairs[3] = {{1, 2}, {33, 4}, {5, 6}};
int shared = 9;
int common_one;
static int counter = 5;
static int step(int by) { static int calls; return ++calls + (counter += by); }
int other_step(int by) { return step(by); }
int __attribute__((weak)) weak_one(void) { return -1; }
int chosen(void) { return weak_one() + common_one; }
int helper(void) { return 1; }
int through_label(int k) {
  static void *const places[] = {&&one, &&two};
  goto *places[k & 1];
one: return 10;
two: return 20;
}
"""
LIBRARY = r"""
extern int shared;
static int step(int by) { return by * 2; }
__attribute__((visibility("hidden"))) int helper(void) { return 1000 + shared; }
int chosen(void) { return 0; }
int outside(int x) { return step(x) + helper() + chosen(); }
"""


def _built(folder: Path) -> Path:
    for name, text in (("main.c", MAIN), ("other.c", OTHER), ("library.c", LIBRARY)):
        (folder / name).write_text(text)
    for arguments in (
        ("-g", "-fcommon", "-c", "main.c"),
        ("-g", "-fcommon", "-c", "other.c"),
        ("-g", "-fPIC", "-shared", "library.c", "-o", "libout.so"),
        ("main.o", "other.o", "-L.", "-lout", "-Wl,-rpath,$ORIGIN", "-Wl,--export-dynamic", "-o", "prog"),
    ):
        done = cc(folder, *arguments)
        assert done.returncode == 0, done.stderr
    return folder / "prog"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program of two units and a shared library, with names that mean different things in each."""
    return _built(tmp_path_factory.mktemp("units"))


@pytest.mark.parametrize("args", [(), ("x",)])
def test_the_twin_of_several_units_does_what_the_program_does(program: Path, args: tuple[str, ...]) -> None:
    plain = subprocess.run([program, *args], capture_output=True, text=True, check=False)
    twin = build_twin(program, lambda _: None).executable
    recorded = subprocess.run([twin, *args], capture_output=True, text=True, check=False)
    assert (recorded.stdout, recorded.returncode) == (plain.stdout, plain.returncode)


def test_a_run_through_several_units_is_replayed_without_a_mismatch(program: Path) -> None:
    answer = butfor.explain(program, methods=("slice",), check=True)
    assert answer.failure is not None
    assert answer.methods["check"]["mismatches"] == 0
    assert "struct pair pairs[3]" in "".join(f"{row.text} {row.also}" for row in answer.ranking)


def test_units_by_themselves_have_the_segments_of_the_whole_program(program: Path) -> None:
    twin = build_twin(program, lambda _: None)
    module = CModule(twin.module.read_text("utf-8"))
    whole = recording_module(module, Program(module), frozenset(library.modelled_functions()))
    assert np.array_equal(np.load(twin.segments), whole.table)


def test_one_changed_file_costs_one_file(tmp_path: Path) -> None:
    program = _built(tmp_path)
    before = _unit_objects(program)
    (tmp_path / "other.c").write_text(OTHER.replace("return 10;", f"return {len(str(tmp_path)) + 1000};"))
    assert cc(tmp_path, "-g", "-fcommon", "-c", "other.c").returncode == 0
    assert cc(tmp_path, "main.o", "other.o", "-L.", "-lout", "-o", "prog").returncode == 0
    after = _unit_objects(program)
    assert len(before) == len(after) == 3
    assert len(after - before) == 1


def _unit_objects(program: Path) -> set[str]:
    """The keys of the objects that a program's twin consists of."""
    made: set[str] = set()
    run = UnitJob.run

    def noted(job: UnitJob) -> Path:
        made.update([job.key] if job.others is not None else [])
        return run(job)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(UnitJob, "run", noted)
        patch.setattr("butfor.native.build_cache.find", lambda kind, key: None)
        patch.setattr("butfor.frontends.c.whole_programs.unit_workers._MIN_BYTES_FOR_WORKERS", 1 << 30)
        build_twin(program, lambda _: None)
    return made


def test_a_unit_that_cannot_be_instrumented_is_named_by_a_worker_too(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("butfor.frontends.c.whole_programs.unit_workers._MIN_BYTES_FOR_WORKERS", 0)
    (tmp_path / "bad.bc").write_bytes(b"BC no bitcode")
    good = plan_twin(program).units[0]
    jobs = [
        UnitJob(str(good.bitcode), good.ir, OtherUnits(aliases=frozenset([str(tmp_path)]))),
        UnitJob(str(tmp_path / "bad.bc"), str(tmp_path)),
    ]
    failed = run_jobs(jobs, lambda done, of: None)
    assert list(failed) == [jobs[1]]
    assert jobs[0].find() is not None


def _unit(functions: dict[str, Linkage], declared: tuple[str, ...] = ()) -> UnitSummary:
    return UnitSummary(functions, {}, {}, declared, (), ())


def test_a_name_that_a_library_hides_is_another_one_than_the_programs() -> None:
    program = NamedPart((_unit({"helper": Linkage.STRONG, "main": Linkage.STRONG}),))
    hiding = NamedPart((_unit({"helper": Linkage.STRONG}), _unit({}, ("helper",))), frozenset())
    ((main,), (defining, using)) = names_of_units((program, hiding))
    assert main.of["helper"] == "helper"
    assert defining.of["helper"] == using.of["helper"] != "helper"


def test_a_local_name_never_becomes_that_of_a_library_function() -> None:
    reading = _unit({"main": Linkage.STRONG}, ("read",))
    own = _unit({"read": Linkage.LOCAL})
    ((first, second),) = names_of_units((NamedPart((reading, own)),))
    assert "read" not in first.of
    assert second.of["read"] != "read"


@pytest.mark.parametrize("checked", [False, True])
def test_units_by_themselves_have_the_sites_and_checks_of_the_whole_program(
    program: Path, checked: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    twin = build_twin(program, lambda _: None)
    of_units = build_hooked(twin.code.program, None, twin.spec.libs, checked=checked)
    monkeypatch.setattr("butfor.frontends.c.make_hooked_objects.units_of", lambda module: ())
    monkeypatch.setattr("butfor.native.build_cache.find", lambda kind, key: None)
    monkeypatch.setenv("BUTFOR_CACHE_DIR", str(tmp_path))
    whole = build_hooked(twin.code.program, None, twin.spec.libs, checked=checked)
    assert sorted(_of_program(of_units.sites)) == sorted(_of_program(whole.sites))
    assert {c for c in of_units.checks if c[0]} == set(whole.checks)


def _of_program(sites: Iterable[Site]) -> list[str]:
    """The sites without their numbers."""
    return [str(site.to_row()) for site in sites]


def test_a_change_in_one_unit_that_avoids_the_failure_in_another_is_replayed(program: Path) -> None:
    answer = butfor.explain(program, methods=("slice", "butfor"))
    found = {(Path(row.file).name, row.evidence) for row in answer.ranking}
    assert ("other.c", "replayed") in found
