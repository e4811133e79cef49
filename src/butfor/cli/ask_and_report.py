"""What `explain` and `replay` share: ask the analysis, write its answer, give the exit status."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from butfor.cli.error_messages import say_butfor_error, say_interrupted
from butfor.cli.report_targets import Target, flag
from butfor.cli.terminal_output import deliver, progress_line
from butfor.errors import ExitCode, UnsupportedError
from butfor.explanation import Explanation, Interrupted, RunInfo, Status

Progress = Callable[[str], None]


def answer(
    ask: Callable[[Progress | None], Explanation],
    *,
    to: Sequence[Target],
    verbose: bool,
    color: str,
    again: str = "",
    only_repairs: bool = False,
) -> int:
    """The exit status, after the explanation that `ask` gives was written. `again` is the command that shows a changed run."""
    refused: UnsupportedError | None = None
    interrupted = False
    try:
        with progress_line() as progress:
            explanation = ask(progress)
    except Interrupted as stopped:
        interrupted, explanation = True, stopped.explanation
    except UnsupportedError as error:
        # Readers of JSON get an object in this case too.
        to = [target for target in to if target.format.name == "json"]
        if not to:
            raise
        refused, explanation = error, unsupported(error)
    if (
        again
        and "shrunk" not in explanation.extra
        and any("counterfactual" in row.extra for row in explanation.ranking)
    ):
        explanation = replace(explanation, extra={**explanation.extra, "again": again})
    for target in to:
        deliver(explanation, target, verbose=verbose, color=color, only_repairs=only_repairs)
    if refused is not None:
        say_butfor_error(refused)
    if interrupted:
        say_interrupted()
        return ExitCode.INTERRUPTED
    return exit_status(explanation)


def exit_status(explanation: Explanation) -> int:
    """The exit status for an explanation; with --fail-on-cause one that is not 0 when a failure was explained."""
    is_cause = explanation.status is Status.EXPLAINED and explanation.failure is not None
    return ExitCode.CAUSE_FOUND if is_cause and flag("fail_on_cause") else explanation.status.exit_code


def unsupported(error: UnsupportedError) -> Explanation:
    """The explanation that says why there is none."""
    notes = (error.message, error.hint) if error.hint else (error.message,)
    extra = {
        "unsupported": {"construct": error.construct, "file": error.file, "line": error.line, "column": error.column}
    }
    return Explanation(status=Status.UNSUPPORTED, run=RunInfo(), notes=notes, extra=extra)
