"""Small C programs written by tests: where the interesting places are, and what butfor says about them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import butfor
from butfor.api import record
from butfor.explanation import Explanation
from butfor.frontends.c.c_frontend import compile_program
from butfor.frontends.c.c_frontend import record as record_run
from butfor.methods.budget import Budget
from butfor.methods.case import FailingRun
from butfor.options import Options, make_options
from butfor.trace.dependence.dependence import Dependence
from butfor.trace.recording import Recording
from butfor.trace.view.source_places import Places

HEAD = """\
#include <assert.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
"""
MARK = "§"  # stands just before the column of a failure


@dataclass(frozen=True, slots=True)
class Source:
    """A program without its mark, and where the mark was (0, 0 without one)."""

    text: str
    line: int
    column: int

    def line_of(self, part: str) -> int:
        """The number of the only line that contains a text."""
        (found,) = [n for n, line in enumerate(self.text.splitlines(), 1) if part in line]
        return found


def source(body: str, head: str = HEAD) -> Source:
    """The program, and the place of its mark."""
    text = head + body
    at = text.find(MARK)
    if at < 0:
        return Source(text, 0, 0)
    before = text[:at]
    return Source(text.replace(MARK, ""), before.count("\n") + 1, len(before) - before.rfind("\n"))


def explained(folder: Path, body: str | Source, **knobs: Any) -> Explanation:
    """The answer for a run of the program, written to `prog.c` of a folder; no changed runs unless asked for."""
    return butfor.explain(written(folder, body), **{"methods": ["slice", "cascade"], **knobs})


def written(folder: Path, body: str | Source, name: str = "prog.c") -> Path:
    """The file that now holds the program."""
    path = folder / name
    path.write_text(body.text if isinstance(body, Source) else source(body).text)
    return path


def recorded(folder: Path, body: str | Source, **knobs: Any) -> Recording:
    """The recording of a run of the program."""
    options = make_options(written(folder, body), **knobs)
    return record_run(options, compile_program(options, lambda text: None), lambda text: None)


def case_of(recording: Recording, *, arithmetic: bool = False) -> FailingRun:
    """The recording as methods see it; the failure is whatever butfor finds."""
    from butfor.failures.find_failure import find_failure

    dependence = Dependence(recording.trace)
    verdict = find_failure(recording, dependence, look_for_arithmetic_errors=arithmetic)
    assert verdict.failure is not None, "the program was meant to fail"
    return FailingRun(recording, verdict.failure, dependence, Places(recording), Options(), Budget(30.0))


def saved(folder: Path, body: str | Source, name: str = "run.bfr", **knobs: Any) -> Path:
    """The file of the saved recording of a run."""
    out = folder / name
    record(make_options(written(folder, body), **knobs), out)
    return out


def file_of(work: Path, text: str | bytes, name: str = "prog.c") -> str:
    """The name of the file that now has this text."""
    (work / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return name
