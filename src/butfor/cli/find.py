"""`butfor find`: search for inputs with which a program fails, explain the first failure."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from butfor.cli import shared_options as shared
from butfor.cli.ask_and_report import answer
from butfor.cli.gather_options import gather_options
from butfor.cli.report_targets import ReportRequest
from butfor.errors import ExitCode, UsageError
from butfor.explanation import Explanation
from butfor.files import check_writable
from butfor.frontends.program_kinds import BINARY, BOOGIE_PROGRAM, C_PROGRAM

_HELP = """\b
Examples:
  butfor find prog.c
  butfor find prog.c --save failing.json --failures 5
  butfor find main.c util.c --budget 120 --stdin sample.txt -- 6 5 4
  butfor find task.c --format json
  butfor find prog.bpl --entry abs --bound 20

Searches for inputs with which the program fails: arguments, standard input and results of __VERIFIER_nondet_* calls,
those of them that the program reads. The first failure found is explained as `butfor explain` does. The search starts
from the arguments after `--` and the input of --stdin, if they are given.

What counts as a failure: a failed assertion, abort, reach_error, a fatal signal, a division by zero, a memory error.
An exit status counts only with --expect-exit, a run that does not end only with --time-limit or --step-limit.

In a Boogie program it looks for a path on which a check fails (assert, invariant, requires, ensures), and explains
the shortest one. It starts at the procedure main, else at the only one, else at the one that --entry names.
"""


@click.command("find", cls=shared.ProgramCommand, help=_HELP)
@click.argument("sources", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--failures",
    type=click.IntRange(1),
    metavar="N",
    help="Look for N different failures, and N failing runs of each (default: up to 3).",
)
@click.option(
    "--save", type=click.Path(path_type=Path), metavar="FILE", help="Save the failing inputs as a file for --tests."
)
@click.option(
    "--unguarded",
    is_flag=True,
    help="Run every input, also where the program then writes files or acts on other programs.",
)
@shared.run_options
@shared.witness_option
@shared.find_expect_options
@shared.compile_options
@shared.analysis_options
@shared.report_options()
def command(
    report: ReportRequest,
    failures: int | None,
    save: Path | None,
    unguarded: bool,
    named: tuple[str, ...],
    **given: Any,
) -> int:
    """The exit status; the explanation is written to stdout or a file."""
    if save is not None:
        check_writable(save)
    options = replace(gather_options(given, named, reads_stdin=False), story=report.needs_story)
    if all(map(BOOGIE_PROGRAM.has, options.sources)):
        from butfor import api  # late: --help and wrong flags need none of it

        return answer(lambda progress, _: api.explain(options, progress), report)
    if not all(map(C_PROGRAM.has, options.sources)) and not BINARY.has(options.sources[0]):
        raise UsageError(
            f"{options.sources[0]} is not a C file",
            hint='butfor find takes the C sources of a program, a program built with CC="butfor cc", or one .bpl file',
        )
    from butfor.find import FindOptions, find  # late: --help and wrong flags need none of it

    was_interrupted = False

    def ask(progress: Any, _: Any) -> Explanation:
        nonlocal was_interrupted
        found = find(options, FindOptions(failures, save, not unguarded), progress)
        was_interrupted = found.extra["search"]["interrupted"]
        return found

    status = answer(ask, report)
    return ExitCode.INTERRUPTED if was_interrupted else status
