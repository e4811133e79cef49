"""`butfor explain`: record a run of a program, explain its failure."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from butfor.cli import shared_options as shared
from butfor.cli.ask_and_report import Known, Progress, answer, replay_command_for
from butfor.cli.gather_options import gather_options
from butfor.cli.report_targets import ReportRequest
from butfor.errors import UsageError
from butfor.explanation import Explanation
from butfor.frontends.c.core_file import read_core
from butfor.frontends.c.sanitizer_report import read_report

_HELP = """\b
Examples:
  butfor explain prog.c -- 6 5 4
  butfor explain prog.c --expect-stdout right.txt < input.txt
  butfor explain prog.c --tests tests.json --trust xmalloc
  butfor explain task.c --witness witness.yml
  butfor explain main.c util.c -I include -D DEBUG -l m -v
  butfor explain prog.c -o report.html -- 6 5 4
  butfor explain ./prog --asan-log asan.log

Compiles and runs the program, finds out how it failed, and ranks the statements that caused it. SOURCES are .c files;
or .ll and .bc files; or a recording; or a binary that carries its code; or a Boogie program (.bpl), which is searched
for a failure as by `butfor find`. What follows `--` are the arguments of the program.

Each cause says how it is known: proved, replayed (the program was run again and confirmed it) or heuristic.
"""


@click.command("explain", cls=shared.ProgramCommand, help=_HELP)
@click.argument("sources", nargs=-1, required=True, type=click.Path(path_type=Path))
@shared.run_options
@shared.witness_option
@shared.expect_options
@click.option(
    "--asan-log",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Repeat the run that a report of ASan, UBSan or libFuzzer tells of; it names the arguments if none are given.",
)
@click.option(
    "--core",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Repeat the run that left this core file; it names the arguments if none are given.",
)
@shared.tests_option
@shared.shrink_option
@shared.compile_options
@shared.analysis_options
@shared.report_options()
@click.pass_context
def command(
    ctx: click.Context,
    /,
    report: ReportRequest,
    named: tuple[str, ...],
    asan_log: Path | None,
    core: Path | None,
    **given: Any,
) -> int:
    """The exit status; the explanation is written to stdout or to files."""
    if asan_log is not None and core is not None:
        raise UsageError("--asan-log and --core each tell of one run", hint="leave one out")
    left = read_report(asan_log) if asan_log is not None else read_core(core) if core is not None else None
    options = replace(gather_options(given, named), story=report.needs_story)
    if left is not None:
        options = left.started(options)
    from butfor import api  # late: --help and wrong flags need none of it

    replay_command = replay_command_for(ctx, options) if options.tests is None else ""

    def explained(progress: Progress | None, known: Known) -> Explanation:
        found = api.explain(options, progress, known)
        return found if left is None else left.compared(found, options)

    return answer(explained, report, replay_command=replay_command)
