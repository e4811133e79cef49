"""The entry points behind the command line and the Python API."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from butfor.ask_methods import chosen_methods
from butfor.counterfactual.shrink_input import SHRINK_SHARE, NotShrinkable
from butfor.counterfactual.shrink_run import failure_in, smaller_run
from butfor.counterfactual.user_changes import ChangedRun, changed_run
from butfor.errors import UsageError
from butfor.explanation import Explanation, RunInfo
from butfor.failures.find_failure import verdict_on
from butfor.frontends.c.build import Build
from butfor.frontends.program_kinds import (
    RECORDING,
    ProgramKind,
    is_recording,
    kind_of_program,
)
from butfor.marks import marks_file
from butfor.methods import registry
from butfor.methods.method import Subject
from butfor.options import Options
from butfor.origins.queries import RunQueries
from butfor.pipeline import Known, analyse, explain_tests, run_info, unshown
from butfor.trace import recording_file as recordings
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.distrust import distrusting
from butfor.trace.recording import Recording
from butfor.trace.view.source_places import Places

Progress = Callable[[str], None]


def _silent(text: str) -> None:
    """Ignore progress messages."""


def explain(options: Options, progress: Progress | None = None, known: Known = unshown) -> Explanation:
    """The explanation of one run of the program in `options`; `known` gets its beginning as soon as that is there."""
    say = progress or _silent
    kind = _kind_of_program(options)
    if kind.load_path_frontend is not None:
        from butfor.explain_paths import explain_found_path  # late: C programs need no parser for Boogie

        return explain_found_path(options, kind.load_path_frontend(), say)
    if kind is RECORDING:
        return replay(options.sources[0], options, progress)
    chosen_methods(options, Subject.RUN)  # a name that is none is said before the program is built and run
    program = kind.run_frontend.compile_program(options, say)
    if options.tests is not None:
        return explain_tests(options, program, say, known)
    if options.witness is not None:
        return _explain_witness(options, program, say)
    recording = kind.run_frontend.record(options, program, say)
    if options.shrink:
        return _explain_shrunk(options, program, recording, say)
    return analyse(recording, options, say, known=known)


def _explain_witness(options: Options, program: Build, say: Progress) -> Explanation:
    """The explanation of the run that a violation witness stands for."""
    from butfor.witness.follow_witness import follow_witness  # late: few runs come from a witness

    run = follow_witness(options, program, say)
    options = replace(options, witness=None, nondet=run.values)
    recording = run.recording
    answer = _explain_shrunk(options, program, recording, say) if options.shrink else analyse(recording, options, say)
    return replace(
        answer,
        notes=(*run.notes(answer.failure), *answer.notes),
        extra={**answer.extra, "witness": run.to_dict(answer.failure)},
    )


def repair(options: Options, progress: Progress | None = None) -> Explanation:
    """The explanation of a failing run with validated repairs in `methods["repair"]`.

    For a Boogie program, it names changes that would avoid the failure; none is tried.
    """
    if kind_of_program(options.sources).load_path_frontend is not None:
        usual = options.methods or registry.by_default(Subject.PATH)
    else:
        usual = options.methods or registry.by_default(Subject.RUN, with_tests=options.tests is not None)
    return explain(replace(options, methods=tuple(dict.fromkeys((*usual, "repair")))), progress)


def _explain_shrunk(options: Options, program: Build, recording: Recording, say: Progress) -> Explanation:
    """The explanation of a run with a smaller input that fails in the same way."""
    start = time.monotonic()
    if failure_in(recording, options) is None:
        return analyse(recording, options, say)
    say("looking for a smaller input")
    try:
        found, smallest = smaller_run(options, program, recording, SHRINK_SHARE * options.budget)
    except NotShrinkable as e:
        answer = analyse(recording, options, say)
        return replace(answer, notes=(str(e), *answer.notes))
    left = max(options.budget - (time.monotonic() - start), options.budget / 2)
    if smallest is not recording:
        options = replace(options, expect_stdout=None, expect_exit=None)
    answer = analyse(smallest, replace(options, budget=left), say)
    return replace(answer, notes=(*found.notes, *answer.notes), extra={**answer.extra, "shrunk": found.to_dict()})


def record(options: Options, out: Path, progress: Progress | None = None) -> RunInfo:
    """What was recorded; the recording is written to `out`."""
    say = progress or _silent
    recording = recorded(options, say)
    info = run_info(recording)
    say("saving")
    recordings.save(recording, out)
    return info


def queries(options: Options, progress: Progress | None = None) -> RunQueries:
    """The run that the options describe, or the saved one that they name, ready to answer questions."""
    say = progress or _silent
    if is_recording(options.sources):
        RECORDING.check_options(options.sources, options.given)
        return RunQueries(recordings.load(options.sources[0], RECORDING.run_frontend.read_program))
    return RunQueries(recorded(options, say))


def replay(path: Path, options: Options, progress: Progress | None = None) -> Explanation:
    """The explanation of a saved recording."""
    RECORDING.check_options(options.sources, options.given)
    methods = options.methods or registry.without_running()
    recording = recordings.load(path, RECORDING.run_frontend.read_program)
    with distrusting(recording, path):
        answer = analyse(
            recording,
            replace(options, marks=options.marks or marks_file(path), methods=methods),
            progress or _silent,
        )
    if options.methods or answer.failure is None:
        return answer
    return replace(
        answer,
        notes=(
            *answer.notes,
            f"the recorded program was not run again; --method {','.join(registry.by_default(Subject.RUN))} does that",
        ),
    )


def changed(options: Options, changes: Sequence[str], progress: Progress | None = None) -> ChangedRun:
    """The run of the program in `options`, which may be a recording, with these changes."""
    say = progress or _silent
    if is_recording(options.sources):
        RECORDING.check_options(options.sources, options.given)
        recording = recordings.load(options.sources[0], RECORDING.run_frontend.read_program)
        recording = recording.with_expectations(options.expect_stdout, options.expect_exit)
    else:
        recording = recorded(options, say)
    places = Places(recording)
    say("looking for the failure")
    point = verdict_on(recording, places, Dependence(recording.trace), options).failure
    say("running again")
    return changed_run(places, point, changes, options.cc, options)


def _kind_of_program(options: Options) -> ProgramKind:
    """The kind of the program in the options.

    Raises a UsageError when its files make up no program, or an option has no effect on it.
    """
    for source in options.sources:
        if not source.exists():
            raise UsageError(f"{source}: no such file")
        if source.is_dir():
            raise UsageError(f"{source} is a folder", hint="name the C files of the program")
    kind = kind_of_program(options.sources)
    kind.check_options(options.sources, options.given)
    return kind


def recorded(options: Options, say: Progress = _silent) -> Recording:
    """A recording of the run that the options describe."""
    kind = _kind_of_program(options)
    if kind is RECORDING:
        raise UsageError(f"{options.sources[0]} is a recording already", hint="give the C sources, or .ll or .bc files")
    frontend = kind.run_frontend
    return frontend.record(options, frontend.compile_program(options, say), say)
