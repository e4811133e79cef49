"""The recorded run repeated with changes: the hooked program, the goal of a changed run, other tests."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from butfor.counterfactual.experiment import CheckedProgram, Experiment, SearchResult, Trial
from butfor.counterfactual.fork_server import Ending, RunLimits
from butfor.counterfactual.run_goal import Goal
from butfor.explanation import FailureKind
from butfor.failures.failure_point import FailurePoint
from butfor.frontends.c.hooked_build import HookedBuild, build_hooked, seconds_to_check
from butfor.frontends.c.run_program import RunSpec
from butfor.ir.change_sites import SiteTable
from butfor.trace.log.columns import EndReason
from butfor.trace.recording import Recording
from butfor.trace.trace import Node

REPEATING_SECONDS = 2.0  # for the run without any change: it is known to end, and the machine may be busy
REPEATING_SLOWDOWN = 50.0  # times what the recorded run took, besides
REPEATING_SHARE = 0.25  # of the time that is left, at most
_NO_EVENT_LIMIT = 1 << 60
MAX_FAILING_TESTS = 6  # that changes are tried on; each change costs a run of each
MAX_PASSING_TESTS = 24  # more of them, because any may be the one that a change breaks


@dataclass(frozen=True, slots=True)
class OtherTest:
    """Another test of the program."""

    name: str
    spec: RunSpec
    expect_stdout: bytes | None
    expect_exit: int | None
    failed: bool
    covered: NDArray[np.bool_]  # the segments that ran
    recording: Recording | None = None  # of its run, where it failed and was kept


def hooked_program(
    recording: Recording, cc: str | None, *, checked: bool = False, arithmetic: bool = False
) -> HookedBuild:
    """The recorded program with hooks; if `checked`, memory errors end its runs, those of `arithmetic` if asked."""
    return build_hooked(recording.program, cc, recording.meta.libs, checked=checked, arithmetic=arithmetic)


def recorded_spec(recording: Recording) -> RunSpec:
    """The specification of the recorded run."""
    meta = recording.meta
    return RunSpec(meta.args, (recording.home / "stdin").read_bytes(), meta.env, meta.nondet)


def goal_of_run(recording: Recording, point: FailurePoint, build: HookedBuild | None) -> Goal:
    """When a changed run counts as not failing; `build` is the hooked program, None if patches are tried instead."""
    meta = recording.meta
    exit_status = meta.expect_exit
    is_memory, is_endless = point.is_survivable, point.kind is FailureKind.NO_END
    probe = _probe(recording, point, build.sites if build is not None else SiteTable([]))
    failing = _checks_of(recording, point, build) if build is not None else frozenset()
    if meta.expect_stdout is not None:
        if exit_status is None and point.kind is FailureKind.EXIT_STATUS:
            exit_status = 0
        return Goal(
            meta.expect_stdout.encode("latin-1"), True, exit_status, probe, None, is_memory, failing, is_endless
        )
    survived = (
        recording.log.end.status
        if is_memory and exit_status is None and recording.log.end.reason == EndReason.EXIT
        else None
    )
    return Goal(
        recording.stdout,
        False,
        0 if exit_status is None else exit_status,
        probe,
        survived,
        is_memory,
        failing,
        is_endless,
        is_open=exit_status is None,
    )


def _checks_of(recording: Recording, point: FailurePoint, build: HookedBuild) -> frozenset[int]:
    """The checks of the instruction at which the run failed."""
    if point.node is None or point.kind not in (FailureKind.SIGNAL, FailureKind.DIVISION):
        return frozenset()
    where = recording.trace.at(point.node[0]).fn.name, point.node[1]
    return frozenset(number for number, check in enumerate(build.checks, 1) if check == where)


def _probe(recording: Recording, point: FailurePoint, sites: SiteTable) -> int:
    """The last site before the point of failure, 0 for none."""
    if point.kind in (FailureKind.OUTPUT, FailureKind.EXIT_STATUS, FailureKind.NO_END):
        return 0
    nodes: list[Node] = [*point.roots[:1], *([point.node] if point.node is not None else [])]
    for i, n in nodes:
        s = recording.trace.at(i)
        block = s.fn.blocks[s.seg.block]
        near = [x for x in sites.of_function(s.fn.name) if block.start <= x.instr <= max(n, block.start)]
        if n >= 0 and near:
            return near[-1].number
    return 0


def trials_of(others: Iterable[OtherTest], covered: NDArray[np.bool_]) -> list[Trial]:
    """The other tests to try changes on: a few failing ones, and the passing ones whose coverage is most similar."""
    known = [run for run in others if run.expect_stdout is not None or run.expect_exit is not None]
    failing = [run for run in known if run.failed][:MAX_FAILING_TESTS]
    passing = sorted((run for run in known if not run.failed), key=lambda run: int((run.covered != covered).sum()))[
        :MAX_PASSING_TESTS
    ]
    return [
        Trial(run.spec, Goal(run.expect_stdout or b"", run.expect_stdout is not None, run.expect_exit), run.failed)
        for run in (*failing, *passing)
    ]


def fails_again(recording: Recording, point: FailurePoint, goal: Goal, result: SearchResult) -> bool:
    """Whether the run, repeated without any change, fails and writes what it did, as far as it gets.

    A memory error may end it earlier than the recorded one. Where a limit ended it, nothing is known.
    """
    is_cut = result.baseline.is_cut and not goal.is_endless
    if is_cut or not result.repeatable or goal.is_met(result.baseline):
        return False
    written = recording.stdout
    if point.kind is FailureKind.NO_END:
        return written.startswith(result.output) or result.output.startswith(written)
    return written.startswith(result.output) if result.baseline.end == Ending.MEMORY else written == result.output


def limits_without_change(recorded_seconds: float, seconds_left: float) -> RunLimits:
    """What the recorded run may use when it is run again without any change."""
    seconds = min(REPEATING_SECONDS + REPEATING_SLOWDOWN * recorded_seconds, REPEATING_SHARE * seconds_left)
    return RunLimits(max(RunLimits().milliseconds, int(1000 * seconds)), _NO_EVENT_LIMIT)


@contextmanager
def start_experiment(
    recording: Recording,
    point: FailurePoint,
    cc: str | None,
    *,
    checked: bool = True,
    arithmetic: bool = False,
    seconds_left: Callable[[], float] = lambda: math.inf,
) -> Iterator[tuple[HookedBuild, Experiment]]:
    """The hooked program and running servers for it; if `checked`, memory errors count as failures.

    Unless the failure is such an error, only confirmed changes are checked: a search without checks is several times
    faster. Not even those are where it would take longer than is left to build the checked program. Errors of
    `arithmetic` are checked like those of memory, if asked.
    """
    is_survivable = point.is_survivable
    build = hooked_program(recording, cc, checked=checked and is_survivable, arithmetic=arithmetic)
    meta = recording.meta
    cwd = meta.folder if os.path.isdir(meta.folder) else None

    def build_checked() -> CheckedProgram | None:
        if seconds_to_check(build, recording.program, cc, meta.libs, arithmetic=arithmetic) > seconds_left():
            return None
        other = hooked_program(recording, cc, checked=True, arithmetic=arithmetic)
        return CheckedProgram(other, _checks_of(recording, point, other))

    goal = goal_of_run(recording, point, build)
    with Experiment(
        build,
        meta.invoked_as,
        recorded_spec(recording),
        goal,
        cwd,
        build_checked if checked and not is_survivable else None,
        limits_without_change(meta.seconds, seconds_left()),
    ) as running:
        yield build, running
