"""A recorded run whose input is reduced: a smaller one with which the program fails in the same way."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

from butfor.counterfactual.fork_server import ForkServer, RunLimits, RunOutcome
from butfor.counterfactual.rerun import hooked_program, recorded_spec
from butfor.counterfactual.shrink_input import Shrunk, check_shrinkable, is_same_failure, shrink
from butfor.errors import ReachesBeyond
from butfor.explanation import Failure
from butfor.failures.find_failure import reported_failure, verdict_on
from butfor.frontends.c.build import Build
from butfor.frontends.c.c_frontend import record
from butfor.frontends.c.run_program import RunSpec
from butfor.options import Options
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.recording import Recording
from butfor.trace.view.source_places import Places

_MILLISECONDS = 1000  # of a run with hooks


def failure_in(recording: Recording, options: Options) -> Failure | None:
    """The failure of a recorded run, if it failed."""
    places = Places(recording)
    point = verdict_on(recording, places, Dependence(recording.trace), options).failure
    return reported_failure(point, places) if point is not None else None


def smaller_run(
    options: Options, program: Build, recording: Recording, seconds: float, file: Path | None = None
) -> tuple[Shrunk, Recording]:
    """The smallest input found in this time with which a run fails as this one does, and the run with it.

    If a file is given that the arguments name, its content is what is reduced, and stands for standard input in the
    result. Raises NotShrinkable where no input can be reduced.
    """
    failure = failure_in(recording, options)
    assert failure is not None
    check_shrinkable(failure, options)
    end = time.monotonic() + seconds
    smallest = recording
    unexpecting = replace(
        options,
        expect_stdout=None,
        expect_exit=None,
        time_limit=min(options.time_limit, 1 + 10 * recording.meta.seconds),
    )
    with tempfile.TemporaryDirectory(prefix="butfor-shrink-") as folder:
        kept = _InFile(file, Path(folder) / file.name) if file is not None else None

        def fails_alike(spec: RunSpec) -> bool:
            nonlocal smallest
            real = kept.written(spec) if kept is not None else spec
            inputs = replace(unexpecting, args=real.args, stdin=real.stdin, nondet=real.nondet)
            try:
                tried = record(inputs, program, lambda text: None, is_fenced=True)
            except ReachesBeyond:
                return False
            if not is_same_failure(failure_in(tried, unexpecting), failure):
                return False
            smallest = tried
            return True

        spec = recorded_spec(recording)
        build = hooked_program(recording, options.cc)
        with ForkServer(build, recording.meta.invoked_as, spec, limits=RunLimits(_MILLISECONDS)) as server:
            if kept is None:
                found = shrink(server, spec, failure.kind, fails_alike, lambda: time.monotonic() >= end)
            else:
                given = replace(spec, stdin=kept.file.read_bytes())
                readers = _FileServer(server, kept)
                found = shrink(readers, given, failure.kind, fails_alike, lambda: time.monotonic() >= end)
    return found, smallest


@dataclass(frozen=True, slots=True)
class _InFile:
    """A file whose content is reduced, and the copy that runs read."""

    file: Path
    copy: Path

    def written(self, spec: RunSpec) -> RunSpec:
        """The run that reads the copy, after it was written: standard input of `spec` is its content."""
        self.copy.write_bytes(spec.stdin)
        name = str(self.file.resolve())
        return replace(spec, args=tuple(word.replace(name, str(self.copy)) for word in spec.args), stdin=b"")


@dataclass(frozen=True, slots=True)
class _FileServer:
    """A server of hooked runs that read a file."""

    server: ForkServer
    kept: _InFile

    def set_input(self, spec: RunSpec) -> None:
        """Let the next runs have this input."""
        self.server.set_input(self.kept.written(spec))

    def run(self) -> RunOutcome:
        """One run."""
        return self.server.run()
