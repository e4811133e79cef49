"""The three entry points behind the command line and the Python API."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from butfor.errors import UsageError
from butfor.explanation import Explanation, RunInfo
from butfor.frontends.c.record import compile_program
from butfor.frontends.c.record import record as record_run
from butfor.frontends.c.source import CSource
from butfor.marks import marks_file
from butfor.options import Options
from butfor.pipeline import analyse, explain_tests, run_info
from butfor.trace import recording as recordings

Progress = Callable[[str], None]


def _silent(text: str) -> None:
    """Says nothing."""


def explain(options: Options, progress: Progress | None = None) -> Explanation:
    """The explanation of one run of the program in `options`."""
    say = progress or _silent
    first = _first(options)
    if first.suffix == ".bfr":
        return replay(first, options, progress)
    program = compile_program(options, say)
    if options.tests is not None:
        return explain_tests(options, program, say)
    return analyse(record_run(options, program, say), options, say)


def record(options: Options, out: Path, progress: Progress | None = None) -> RunInfo:
    """What was recorded; the recording is written to `out`."""
    say = progress or _silent
    _first(options)
    recording = record_run(options, compile_program(options, say), say)
    info = run_info(recording)
    say("saving")
    recordings.save(recording, out)
    return info


def replay(path: Path, options: Options, progress: Progress | None = None) -> Explanation:
    """The explanation of a saved recording."""
    options = replace(options, marks=options.marks or marks_file(path))
    return analyse(recordings.load(path, CSource), options, progress or _silent)


def _first(options: Options) -> Path:
    if not options.sources:
        raise UsageError("no program is given")
    for source in options.sources:
        if not source.exists():
            raise UsageError(f"{source}: no such file")
        if source.is_dir():
            raise UsageError(f"{source} is a folder", hint="name the C files of the program")
        if source.suffix not in (".c", ".ll", ".bc", ".bfr"):
            raise UsageError(f"{source} is not a C file, and no binary that carries its program", hint="give the C sources, or .ll or .bc files")
    return options.sources[0]
