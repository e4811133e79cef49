"""Paths of programs that tests write or keep as examples."""

from __future__ import annotations

from pathlib import Path as File
from typing import Any

from butfor.failures.find_failure import find_failure
from butfor.frontends.c.c_frontend import compile_program, record
from butfor.methods.budget import Budget
from butfor.methods.case import FailingRun
from butfor.options import Options
from butfor.path.path_model import Cell, Instance, Kind, Path
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.view.source_places import Places
from tests.corpus import read
from tests.small import Source, case_of, recorded

EXAMPLES = File(__file__).parent / "examples"


def failing_case(options: Options) -> FailingRun | None:
    """The run with these options as methods see it; None when it does not fail."""
    recording = record(options, compile_program(options, lambda text: None), lambda text: None)
    dependence = Dependence(recording.trace)
    failure = find_failure(recording, dependence).failure
    return (
        None
        if failure is None
        else FailingRun(recording, failure, dependence, Places(recording), options, Budget(60.0))
    )


def example(name: str) -> FailingRun:
    """The failing run of an example."""
    case = failing_case(read(EXAMPLES / f"{name}.c").options)
    assert case is not None, "an example was meant to fail"
    return case


def lifted(folder: File, body: str | Source, *, free: bool = False, **knobs: Any) -> Path:
    """The path of a small program."""
    case = case_of(recorded(folder, body, **knobs))
    return case.free_path if free else case.path


def shape(path: Path) -> list[str]:
    """The path without its terms: kind, line and cells of each instance, indented by scope."""
    lines = [_one(instance) for instance in path.instances]
    return [*lines, f"{' ' * len(path.scope)}check {path.place.line}"]


def _one(instance: Instance) -> str:
    words = [instance.kind.value, str(instance.place.line), *sorted(cell.shown for cell, _ in instance.writes)]
    if instance.frames:
        words += ["frames", *sorted(cell.shown for cell in instance.frames)]
    if instance.escapes:
        words.append("escapes")
    return " " * len(instance.scope) + " ".join(words)


def of_kind(path: Path, kind: Kind) -> list[Instance]:
    """The instances of a kind."""
    return [i for i in path.instances if i.kind is kind]


def cell(path: Path, shown: str) -> Cell:
    """The only cell that the source writes like this."""
    (found,) = [c for c in path.cells if c.shown == shown]
    return found
