"""Running inputs: each run is recorded, its failure decided, its coverage counted."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from butfor.concolic.checks_to_search import ChecksToSearch
from butfor.concolic.program_facts import ProgramFacts
from butfor.concolic.search_inputs import ProgramInput
from butfor.counterfactual.fork_server import ForkServer, RunLimits, RunOutcome
from butfor.counterfactual.shrink_input import failure_identity
from butfor.errors import ReachesBeyond
from butfor.explanation import Failure, FailureKind
from butfor.failures.find_failure import ABORTED, reported_failure, verdict_on
from butfor.frontends.c.build import Build
from butfor.frontends.c.c_frontend import record, run_spec
from butfor.frontends.c.hooked_build import HookedBuild, build_hooked
from butfor.ir.intervals.whole_program import check_verdicts
from butfor.libc.library import reaching_functions
from butfor.options import RunOptions
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.log.columns import EndReason
from butfor.trace.recording import Recording, invoked_as
from butfor.trace.view.source_places import Places

# Limits of one run, unless runs that do not end are looked for: a search makes hundreds of them.
_MAX_RUN_STEPS = 300_000
_MAX_RUN_SECONDS = 2.0
_MAX_RUN_OUTPUT_BYTES = 8 * 2**20
_QUICK_RUN_MILLISECONDS = 1000  # of a run without recording


@dataclass(frozen=True, slots=True, eq=False)
class InputRun:
    """One recorded run: its failure, if any, how often each static segment was executed, and its edges between two."""

    given: ProgramInput
    recording: Recording
    failure: Failure | None
    counts: NDArray[np.int64]
    edges: NDArray[np.int64]
    seconds: float
    was_cut: bool  # a limit ended it

    @property
    def nature(self) -> tuple[object, ...]:
        """What two runs with the same failure have in common."""
        assert self.failure is not None
        return failure_identity(self.failure)


class InputRunner:
    """Runs one program with different inputs. Use it in a `with` block."""

    def __init__(self, options: RunOptions, program: Build, counts_no_end: bool, is_guarded: bool = True) -> None:
        self.options = options if counts_no_end else _limited(options)
        self.program = program
        self.counts_no_end = counts_no_end
        self.is_guarded = is_guarded
        self.facts: ProgramFacts | None = None
        self.checks = ChecksToSearch()
        self.runs = 0
        self.refused = 0  # inputs that were not recorded, because with them the program would reach beyond the run
        self.reaching: tuple[str, ...] = ()
        self.plain_spec = run_spec(self.options)
        self._stack = ExitStack()
        self._server: ForkServer | None = None
        self._build: HookedBuild | None = None

    def __enter__(self) -> InputRunner:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def prepare(self, seconds: float) -> None:
        """Look for calls that reach beyond the run and prove checks, for so long at most, before the first run."""
        program = self.program.code.program
        end = time.monotonic() + seconds
        self.checks = ChecksToSearch(check_verdicts(program, lambda: time.monotonic() >= end))
        self.reaching = reaching_functions(program.source.declared_names()) if self.is_guarded else ()

    def run(self, given: ProgramInput) -> InputRun | None:
        """The recorded run with this input; None when refused, because it would touch files or other programs."""
        if self.reaching and self._quick_run(given).touched:
            self.refused += 1
            return None
        spec = given.run_spec(self.plain_spec)
        options = replace(self.options, args=spec.args, stdin=spec.stdin, nondet=spec.nondet)
        try:
            recording = self._as_expected(record(options, self.program, _silent, is_fenced=self.is_guarded))
        except ReachesBeyond:  # it knew this run from the one before, by the time or by chance
            self.refused += 1
            return None
        if self.facts is None:
            looks = self.options.arithmetic_errors
            self.facts = ProgramFacts(recording, self.checks, looks_for_arithmetic_errors=looks)
        self.runs += 1
        failure = self.failure_in(recording)
        log = recording.log
        seg = log.seg.astype(np.int64)
        edges = np.unique(seg[:-1] * len(log.table) + seg[1:]) if len(seg) > 1 else np.empty(0, np.int64)
        return InputRun(
            given,
            recording,
            failure,
            log.counts,
            edges,
            recording.meta.seconds,
            bool(recording.meta.limit) or log.end.reason == EndReason.LIMIT,
        )

    def failure_in(self, recording: Recording) -> Failure | None:
        """The failure of a run, if the search counts it: an exit status counts only if another one was expected."""
        recording = self._as_expected(recording)
        point = verdict_on(recording, Places(recording), Dependence(recording.trace), self.options).failure
        if point is None or (point.kind is FailureKind.NO_END and not self.counts_no_end):
            return None
        if point.message == ABORTED and self.facts is not None and self.facts.has_error_function:
            return None  # such programs use abort to end runs that are of no interest
        return reported_failure(point, Places(recording))

    def _as_expected(self, recording: Recording) -> Recording:
        """The run, with its exit status taken as the expected one unless the options expect another."""
        end = recording.log.end
        is_any = self.options.expect_exit is None and end.reason == EndReason.EXIT
        return recording.with_expectations(None, end.status) if is_any else recording

    def _quick_run(self, given: ProgramInput) -> RunOutcome:
        """The outcome of a run without recording, which can touch nothing."""
        server = self.server
        server.set_input(given.run_spec(self.plain_spec))
        return server.run()

    @property
    def server(self) -> ForkServer:
        """The server for quick runs."""
        if self._server is None:
            limits = RunLimits(milliseconds=_QUICK_RUN_MILLISECONDS)
            first = ForkServer(self._hooked(), invoked_as(self.program.name), self.plain_spec, b"", limits, os.getcwd())
            self._server = self._stack.enter_context(first)
        return self._server

    def _hooked(self) -> HookedBuild:
        if self._build is None:
            self._build = build_hooked(self.program.code.program, self.program.spec.cc, self.program.spec.libs)
        return self._build


def _limited(options: RunOptions) -> RunOptions:
    """The options with the limits for one run of many."""
    return replace(
        options,
        time_limit=min(options.time_limit, _MAX_RUN_SECONDS),
        step_limit=min(options.step_limit or _MAX_RUN_STEPS, _MAX_RUN_STEPS),
        output_limit=min(options.output_limit, _MAX_RUN_OUTPUT_BYTES),
    )


def _silent(text: str) -> None:
    """Ignore progress messages."""
