"""From a recording to the means of running its program again with something changed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from butfor.counterfactual.experiment import Experiment, Goal, Second, Trial
from butfor.counterfactual.other_tests import OtherRun
from butfor.explanation import FailureKind
from butfor.failures.failure_point import FailurePoint
from butfor.frontends.c.hooked_build import HookedBuild, build_hooked
from butfor.frontends.c.run_program import RunSpec
from butfor.ir.change_sites import Site
from butfor.trace.log.columns import EndReason
from butfor.trace.recording import Recording
from butfor.trace.trace import Node

MOST_FAILING, MOST_PASSING = 6, 24


def hooked(recording: Recording, cc: str | None, *, checked: bool = False) -> HookedBuild:
    """The recorded program with hooks; memory errors end the runs of one that is `checked`."""
    return build_hooked(recording.program, cc, recording.meta.libs, checked=checked)


def same_run(recording: Recording) -> RunSpec:
    """The recorded run."""
    meta = recording.meta
    return RunSpec(meta.args, (recording.home / "stdin").read_bytes(), meta.env, meta.nondet)


def goal_of(recording: Recording, point: FailurePoint, build: HookedBuild | None) -> Goal:
    """When a changed run counts as not failing; `build` is the program with hooks, None when patches are tried instead."""
    meta = recording.meta
    exit_status = meta.expect_exit
    is_memory, is_endless = point.kind is FailureKind.MEMORY, point.kind is FailureKind.NO_END
    probe = _probe(recording, point, build.sites if build is not None else ())
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
    )


def _checks_of(recording: Recording, point: FailurePoint, build: HookedBuild) -> frozenset[int]:
    """The checks of the instruction at which the run failed."""
    if point.node is None or point.kind not in (FailureKind.SIGNAL, FailureKind.DIVISION):
        return frozenset()
    where = recording.trace.at(point.node[0]).fn.name, point.node[1]
    return frozenset(number for number, check in enumerate(build.checks, 1) if check == where)


def _probe(recording: Recording, point: FailurePoint, sites: tuple[Site, ...]) -> int:
    """The last site before the place where the run failed."""
    if point.kind in (FailureKind.OUTPUT, FailureKind.EXIT_STATUS, FailureKind.NO_END):
        return 0
    nodes: list[Node] = [*point.roots[:1], *([point.node] if point.node is not None else [])]
    for i, n in nodes:
        s = recording.trace.at(i)
        block = s.fn.blocks[s.seg.block]
        near = [x for x in sites if x.function == s.fn.name and block.start <= x.instr <= max(n, block.start)]
        if n >= 0 and near:
            return near[-1].number
    return 0


def trials(others: Iterable[OtherRun], covered: NDArray[np.bool_]) -> list[Trial]:
    """The other tests to try changes on: a few failing ones, and the passing ones that ran nearly the same code."""
    known = [run for run in others if run.expect_stdout is not None or run.expect_exit is not None]
    failing = [run for run in known if run.failed][:MOST_FAILING]
    passing = sorted((run for run in known if not run.failed), key=lambda run: int((run.covered != covered).sum()))[
        :MOST_PASSING
    ]
    return [
        Trial(run.spec, Goal(run.expect_stdout or b"", run.expect_stdout is not None, run.expect_exit), run.failed)
        for run in (*failing, *passing)
    ]


@contextmanager
def experiment(
    recording: Recording, point: FailurePoint, cc: str | None, *, checked: bool = True
) -> Iterator[tuple[HookedBuild, Experiment]]:
    """The program with hooks and running servers for it. `checked`: memory errors count as failures.

    Where the failure is no memory error, only what was confirmed is checked: a search without checks is some times faster.
    """
    is_memory = point.kind is FailureKind.MEMORY
    build = hooked(recording, cc, checked=checked and is_memory)
    meta = recording.meta
    cwd = meta.folder if os.path.isdir(meta.folder) else None

    def second() -> Second:
        other = hooked(recording, cc, checked=True)
        return Second(other, _checks_of(recording, point, other))

    goal = goal_of(recording, point, build)
    with Experiment(
        build, f"./{meta.name}", same_run(recording), goal, cwd, second if checked and not is_memory else None
    ) as running:
        yield build, running
