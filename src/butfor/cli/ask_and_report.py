"""What the commands that explain share: ask the analysis, write its answer, give the exit status."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import replace

import click
from click.core import ParameterSource

from butfor.cli.error_messages import say_butfor_error, say_interrupted
from butfor.cli.report_targets import ReportRequest, Target
from butfor.cli.terminal_output import (
    deliver,
    deliver_beginning,
    is_shown_at_once,
    progress_line,
    show_causes,
    without_line,
)
from butfor.errors import ExitCode, UnsupportedError
from butfor.explanation import Explanation, Interrupted, RunInfo, Status
from butfor.options import Options
from butfor.report.fixes import CHANGE_PLACEHOLDER
from butfor.report.formats import JSON

Progress = Callable[[str], None]
Known = Callable[[Explanation], None]  # is shown what is known before the answer is complete

# The parameters that say which program runs on what, as opposed to how the run is explained.
_REPLAYED_PARAMETERS = frozenset(
    (
        *(
            "stdin",
            "env",
            "nondet",
            "time_limit",
            "step_limit",
            "output_limit",
            "log_limit",
            "record_last",
            "memory_limit",
            "expect_stdout",
            "expect_exit",
        ),
        *("cc", "cflags", "includes", "defines", "libs"),
    )
)


def answer(
    ask: Callable[[Progress | None, Known], Explanation],
    report: ReportRequest,
    *,
    replay_command: str = "",
    only_repairs: bool = False,
) -> int:
    """The exit status, after writing the explanation that `ask` gives; `replay_command` is what shows a changed run.

    On a terminal the beginning of the text stands there as soon as it is known, and below it the causes so far.
    """
    targets = report.targets
    begun: list[Target] = []
    refused: UnsupportedError | None = None
    interrupted = False
    try:
        with progress_line() as progress:

            def show(beginning: Explanation) -> None:
                if begun:
                    show_causes(progress, beginning)
                    return
                for target in filter(is_shown_at_once, () if only_repairs else targets):
                    with without_line(progress):
                        deliver_beginning(beginning, target, verbose=report.verbose, color=report.color)
                    begun.append(target)

            explanation = ask(progress, show)
    except Interrupted as stopped:
        interrupted, explanation = True, stopped.explanation
    except UnsupportedError as error:
        # Programs that read JSON get an object in this case too.
        targets = tuple(target for target in targets if target.format is JSON)
        if not targets:
            raise
        refused, explanation = error, unsupported_explanation(error)
    if (
        replay_command
        and "shrunk" not in explanation.extra
        and any("counterfactual" in row.extra for row in explanation.ranking)
    ):
        explanation = replace(explanation, extra={**explanation.extra, "again": replay_command})
    for target in targets:
        deliver(
            explanation,
            target,
            verbose=report.verbose,
            color=report.color,
            only_repairs=only_repairs,
            is_begun=target in begun,
        )
    if refused is not None:
        say_butfor_error(refused)
    if interrupted:
        say_interrupted()
        return ExitCode.INTERRUPTED
    return exit_status(explanation, fail_on_cause=report.fail_on_cause)


def exit_status(explanation: Explanation, *, fail_on_cause: bool) -> int:
    """The exit status for an explanation; with `fail_on_cause`, it is not 0 when a failure was explained."""
    is_cause = explanation.status is Status.EXPLAINED and explanation.failure is not None
    return ExitCode.CAUSE_FOUND if is_cause and fail_on_cause else explanation.status.exit_code


def unsupported_explanation(error: UnsupportedError) -> Explanation:
    """The explanation that says why there is none."""
    notes = (error.message, error.hint) if error.hint else (error.message,)
    extra = {
        "unsupported": {"construct": error.construct, "file": error.file, "line": error.line, "column": error.column}
    }
    return Explanation(status=Status.UNSUPPORTED, run=RunInfo(), notes=notes, extra=extra)


def replay_command_for(ctx: click.Context, options: Options) -> str:
    """`butfor replay prog.c --with CHANGE -- ARGS` for the command under way; CHANGE stands for the text of the change.

    INPUT stands for what was piped into the command, if something was.
    """
    words = ["butfor", "replay", *map(str, ctx.params["sources"])]
    for option in ctx.command.params:
        name = option.name or ""
        if name not in _REPLAYED_PARAMETERS or ctx.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            continue
        value = ctx.params[name]
        for each in value if isinstance(value, tuple) else (value,):
            words += [option.opts[0], str(each)]
    if not options.memory_errors:
        words.append("--no-memory-errors")
    if options.arithmetic_errors:
        words.append("--arithmetic-errors")
    args = ctx.params.get("args", ())
    piped = " < INPUT" if isinstance(options.stdin, bytes) and options.stdin else ""
    return f"{shlex.join(words)} --with {CHANGE_PLACEHOLDER}{' -- ' + shlex.join(args) if args else ''}{piped}"
