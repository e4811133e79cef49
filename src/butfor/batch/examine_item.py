"""What is computed about one run of a batch: how it went, its explanation, and what becomes of it under changes.

These functions are called in a process of their own each. They give plain JSON values, without times, so that the same
question has the same answer in every batch.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

from butfor.batch.work_items import BatchItem
from butfor.counterfactual.shrink_input import SHRINK_SHARE, NotShrinkable
from butfor.counterfactual.shrink_run import smaller_run
from butfor.counterfactual.user_changes import changed_run
from butfor.errors import ButforError, UsageError
from butfor.explanation import Explanation, Status
from butfor.failures.find_failure import verdict_on
from butfor.frontends.c import c_frontend
from butfor.frontends.c.build import Build
from butfor.frontends.program_kinds import is_recording
from butfor.native.build_cache import key_of
from butfor.options import Options
from butfor.pipeline import analyse
from butfor.report.html import page_template, render
from butfor.report.html_source import coloured_lines
from butfor.trace import recording_file as recordings
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.recording import RecordedProgram, Recording
from butfor.trace.view.source_places import Places

PASSED, FAILED, NOT_EXAMINED = "passed", "failed", "not-examined"


def _silent(text: str) -> None:
    """Show nobody the progress."""


class Ask(enum.StrEnum):
    """What can be asked about a run."""

    BUILD = "build"  # what identifies its program, and where it was built
    EXAMINE = "examine"
    EXPLAIN = "explain"
    TRY = "try"  # changes
    SHRINK = "shrink"  # the input


@dataclass(frozen=True, slots=True)
class Question:
    """Something that is asked about a run; plain data, so that it can be sent to another process."""

    ask: Ask
    item: BatchItem
    changes: tuple[str, ...] = ()

    def answer(self, warm: WarmProgram) -> dict[str, Any]:
        """The answer, from a program that is ready."""
        match self.ask:
            case Ask.BUILD:
                return {"key": warm.key}
            case Ask.EXAMINE:
                return examined(self.item, warm)
            case Ask.EXPLAIN:
                report, page = explained(self.item, warm)
                return {"report": report, "page": page}
            case Ask.TRY:
                return tried(self.item, warm, self.changes)
            case Ask.SHRINK:
                return shrunk(self.item, warm)


@dataclass(frozen=True, slots=True)
class WarmProgram:
    """A program that is built, with its code parsed: every process forked from here on has it."""

    key: str  # what identifies the sources, the headers, the compiler and its flags
    code: RecordedProgram
    build: Build | None  # None where all that there is of the program is in recordings

    @classmethod
    def of_build(cls, build: Build) -> WarmProgram:
        """The program that was built."""
        return cls(build.home.name, build.code, build)

    @classmethod
    def of_recording(cls, path: Path) -> WarmProgram:
        """The program of a recording."""
        found = recordings.load(path, c_frontend.read_program)
        return cls(key_of([(found.home / "module.ll").read_bytes()]), found.code, None)

    def get_ready_for(self, ask: Ask) -> None:
        """Load and read what all questions of this kind need: each is answered by a process that is forked after it."""
        program = self.code.static.program
        for name in program.source.function_names():
            program.function(name)
        if ask is Ask.EXPLAIN:
            _load_methods()
            for text in self.sources():
                coloured_lines(text)

    def sources(self) -> list[str]:
        """The texts of the files that the program was made of."""
        if self.build is None:
            return []
        names = (self.build.home / "files").read_text("utf-8", "surrogateescape").splitlines()
        files = [self.build.texts.get(name, Path(name)) for name in names]
        return [file.read_text("utf-8", "surrogateescape") for file in files if file.is_file()]


@cache
def _load_methods() -> None:
    """Import what explanations need and import late, and compile the page."""
    for package in ("encode", "logic", "methods", "path"):
        folder = import_module(f"butfor.{package}")
        for module in walk_packages(folder.__path__, f"butfor.{package}."):
            import_module(module.name)
    import_module("z3")
    page_template()


def warmed(options: Options) -> WarmProgram:
    """The program of the options, built and read."""
    if is_recording(options.sources):
        return WarmProgram.of_recording(options.sources[0])
    return WarmProgram.of_build(c_frontend.compile_program(options, _silent))


class _Begun(Exception):
    """The beginning of an explanation is known, and more is not asked for."""

    def __init__(self, beginning: Explanation) -> None:
        super().__init__()
        self.beginning = beginning


def _stop_at(beginning: Explanation) -> None:
    raise _Begun(beginning)


def _recorded(item: BatchItem, program: WarmProgram) -> Recording:
    if item.run.input_file is not None:
        item.run.input_file.check()
        if item.run.is_recorded:
            return recordings.load(item.run.input_file.path, c_frontend.read_program, program.code)
    assert program.build is not None
    return c_frontend.record(item.options, program.build, _silent)


def examined(item: BatchItem, program: WarmProgram) -> dict[str, Any]:
    """How the run went; for one that failed, the failure and the ladder back from it."""
    try:
        recording = _recorded(item, program)
        answer = analyse(recording, replace(item.options, methods=("slice",)), _silent, known=_stop_at)
    except _Begun as stopped:
        answer = stopped.beginning
    except UsageError:
        raise
    except ButforError as error:
        return {"status": NOT_EXAMINED, "why": error.message}
    run = answer.run
    found: dict[str, Any] = {
        "status": FAILED if answer.failure is not None else PASSED,
        "exit_status": run.exit_status,
        "signal": run.signal,
        "instructions": run.instructions,
    }
    if answer.failure is not None:
        told = answer.to_dict()
        found |= {"failure": told["failure"], "story": told["story"], "memory_errors": told["memory_errors"][:1]}
    return found


def explained(item: BatchItem, program: WarmProgram) -> tuple[dict[str, Any], str]:
    """The JSON report of the run, without times, and its page."""
    answer = analyse(_recorded(item, program), replace(item.options, story=True), _silent)
    answer = replace(answer, run=replace(answer.run, record_seconds=0.0, analyse_seconds=0.0))
    return answer.to_dict(), render(answer)


def tried(item: BatchItem, program: WarmProgram, changes: Sequence[str]) -> dict[str, Any]:
    """For each change, whether it avoids the failure of the run; None where it makes no difference to the run."""
    recording = _recorded(item, program)
    recording = recording.with_expectations(item.options.expect_stdout, item.options.expect_exit)
    places = Places(recording)
    point = verdict_on(recording, places, Dependence(recording.trace), item.options).failure
    avoiding: list[bool | None] = []
    for change in changes:
        outcome = changed_run(places, point, (change,), item.options.cc, item.options)
        avoiding.append(outcome.avoids if outcome.changed else None)
    return {"avoids": avoiding}


def shrunk(item: BatchItem, program: WarmProgram) -> dict[str, Any]:
    """A smaller input with which the run fails in the same way: arguments, and the bytes of its other input."""
    if program.build is None:
        return {"why": "the input is not reduced: of the program there is only a recording"}
    recording = _recorded(item, program)
    recording = recording.with_expectations(item.options.expect_stdout, item.options.expect_exit)
    file = item.run.input_file.path if item.run.input_file is not None else None
    try:
        found, _ = smaller_run(item.options, program.build, recording, SHRINK_SHARE * item.options.budget, file)
    except NotShrinkable as error:
        return {"why": str(error)}
    told = {"args": found.spec.args, "nondet": found.spec.nondet, "input": found.spec.stdin.decode("latin-1")}
    return {**told, "bytes_before": found.before, "bytes": found.after, "complete": found.complete}


def is_partial(report: Mapping[str, Any]) -> bool:
    """Whether a limit was reached in an explanation, so that another try might say more."""
    return bool(report["status"] == Status.PARTIAL)
