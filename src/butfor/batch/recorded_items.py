"""Runs that were recorded before, such as the failing ones that `butfor run` saw, as items of a batch."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from butfor.batch.manifest import numbered
from butfor.batch.work_items import BatchItem, BatchProgram, InputFile, PlannedRun
from butfor.errors import UsageError
from butfor.frontends.program_kinds import RECORDING, is_recording
from butfor.options import Options
from butfor.trace import recording_file as recordings


def recorded_items(paths: Sequence[Path], options: Options) -> tuple[BatchItem, ...]:
    """One item for each recording, in order, those of one program together."""
    wrong = next((path for path in paths if not is_recording([path])), None)
    if wrong is not None:
        raise UsageError(f"{wrong}: recordings and programs are two batches", hint="give recordings alone")
    programs: dict[str, BatchProgram] = {}
    runs: dict[str, list[PlannedRun]] = {}
    for path in paths:
        found = recordings.load(path, RECORDING.run_frontend.read_program)
        meta, digest = found.meta, hashlib.sha256((found.home / "module.ll").read_bytes()).hexdigest()
        if digest not in programs:
            name = Path(meta.name).name
            same = sum(Path(program.name).name == name for program in programs.values())
            own = replace(options, sources=(path,))
            programs[digest] = BatchProgram(name if not same else f"{name} ({same + 1})", own)
        run = replace(
            programs[digest].options,
            args=meta.args,
            stdin=(found.home / "stdin").read_bytes(),
            expect_stdout=None if meta.expect_stdout is None else meta.expect_stdout.encode("latin-1"),
            expect_exit=meta.expect_exit,
        )
        runs.setdefault(digest, []).append(PlannedRun(str(path), run, InputFile.read(path), is_recorded=True))
    return numbered([(programs[digest], runs[digest]) for digest in programs], "the recordings")
