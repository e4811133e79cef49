"""The other failing tests of a program: their runs, recorded when the tests were run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from butfor.counterfactual.rerun import OtherTest
from butfor.errors import ButforError
from butfor.failures.failure_point import Unsupported
from butfor.failures.find_failure import find_failure
from butfor.frontends.c.c_frontend import compile_program, record
from butfor.methods.case import FailingRun
from butfor.path.path_model import Path
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.view.source_places import Places

MAX_OTHER_RUNS = 5  # each is analysed like the first, and more of them rarely tell more


def other_failing_runs(case: FailingRun, *, most: int = MAX_OTHER_RUNS) -> Iterator[tuple[str, FailingRun]]:
    """The names and runs of other failing tests; those that are not kept and do not fail again are left out."""
    for run in [o for o in case.others if o.failed][:most]:
        if case.budget.is_over():
            return
        try:
            other = _failing_run(case, run)
        except (ButforError, Unsupported):
            continue
        if other is not None:
            yield run.name, other


def other_paths(case: FailingRun, *, free: bool, most: int = MAX_OTHER_RUNS) -> Iterator[tuple[str, Path]]:
    """The names and paths of other failing tests; those that have no path are left out."""
    for name, other in other_failing_runs(case, most=most):
        try:
            yield name, other.free_path if free else other.path
        except (ButforError, Unsupported):
            continue


def _failing_run(case: FailingRun, run: OtherTest) -> FailingRun | None:
    spec = run.spec
    options = replace(
        case.options,
        args=spec.args,
        stdin=spec.stdin,
        env=spec.env,
        nondet=spec.nondet,
        expect_stdout=run.expect_stdout,
        expect_exit=run.expect_exit,
        tests=None,
    )
    recording = run.recording or record(options, compile_program(options, _quiet), _quiet, is_fenced=True)
    dependence = Dependence(recording.trace)
    failure = find_failure(
        recording, dependence, options.memory_errors, look_for_arithmetic_errors=options.arithmetic_errors
    ).failure
    if failure is None:
        return None
    return FailingRun(recording, failure, dependence, Places(recording), options, case.budget, case.marks)


def _quiet(text: str) -> None:
    del text
