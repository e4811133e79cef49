"""What `explain` and `replay` share: ask the analysis, write its answer, give the exit status."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from butfor.cli.failing import say_butfor_error
from butfor.cli.output import deliver, progress_line
from butfor.errors import UnsupportedError
from butfor.explanation import Explanation, RunInfo, Status

Progress = Callable[[str], None]


def answer(
    ask: Callable[[Progress | None], Explanation],
    *,
    form: str,
    out: Path | None,
    verbose: bool,
    color: str,
    again: str = "",
    only_repairs: bool = False,
) -> int:
    """The exit status, after the explanation that `ask` gives was written. `again` is the command that shows a changed run."""
    refused: UnsupportedError | None = None
    try:
        with progress_line() as progress:
            explanation = ask(progress)
    except UnsupportedError as error:
        if form != "json":
            raise
        # Readers of JSON get an object in this case too.
        refused, explanation = error, unsupported(error)
    if again and "shrunk" not in explanation.extra and any("counterfactual" in row.extra for row in explanation.ranking):
        explanation = replace(explanation, extra={**explanation.extra, "again": again})
    deliver(explanation, form=form, out=out, verbose=verbose, color=color, only_repairs=only_repairs)
    if refused is not None:
        say_butfor_error(refused)
    return explanation.status.exit_code


def unsupported(error: UnsupportedError) -> Explanation:
    """The explanation that says why there is none."""
    notes = (error.message, error.hint) if error.hint else (error.message,)
    extra = {"unsupported": {"construct": error.construct, "file": error.file, "line": error.line}}
    return Explanation(status=Status.UNSUPPORTED, run=RunInfo(), notes=notes, extra=extra)
