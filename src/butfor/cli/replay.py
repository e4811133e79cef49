"""`butfor replay`: explain a saved run, or show a run with changes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from butfor.cli import shared_options as shared
from butfor.cli.ask_and_report import Progress, answer, replay_command_for
from butfor.cli.gather_options import gather_options
from butfor.cli.report_targets import ReportRequest
from butfor.cli.terminal_output import layout_for, progress_line, write_result
from butfor.errors import UsageError
from butfor.explanation import Explanation
from butfor.frontends.program_kinds import RECORDING, is_recording
from butfor.options import Options
from butfor.report.formats import JSON, TEXT

_HELP = """\b
Examples:
  butfor replay run.bfr
  butfor replay run.bfr --check
  butfor replay run.bfr --with 'prog.c:44 flip when equal'
  butfor replay prog.c --with 'prog.c:44 set 3' --with 'prog.c:50 skip' -- 6 5 4

Explains a run that `butfor record` saved: sources and code are in the recording, so neither the program nor a
compiler is needed; the program is not run again unless --method names `butfor`. Also takes C sources, as `butfor
explain` does.

With changes, the program is run again with all of them, and the changed run is shown: how it ends, what it writes
differently, whether the failure is avoided. Files that it would write are left alone.

\b
A change is a place (FILE:LINE, FILE:LINE:COLUMN; #2 for the second that fits) and what happens there:
  flip, flip when equal|less|greater, always true, always false     a condition goes another way
  compare with <=, right side +1, right side NAME                   another comparison
  operator *, swap, only left, only right                           another operation
  set 3, add -1, negate, read NAME                                  another value
  keep, assign with +=                                              an assignment that is not made, or adds
  skip, call NAME                                                   no call, or one of another function
  member 2, element +1                                              another member or element
and `at 3` at the end: only the third time.
"""

_FOR_EXPLANATIONS = frozenset(
    (
        "methods method_options trust benign guilty unmark marks without annotations depth path_conditions budget "
        "inputs pre flow_insensitive check"
    ).split()
)


@click.command("replay", cls=shared.ProgramCommand, help=_HELP)
@click.argument("sources", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RECORDING|SOURCES...")
@click.option(
    "--with",
    "changes",
    multiple=True,
    metavar="CHANGE",
    help="Run again with this change and show the run (repeat for more).",
)
@shared.run_options
@shared.expect_options
@shared.compile_options
@shared.analysis_options
@shared.report_options()
@click.pass_context
def command(
    ctx: click.Context, /, report: ReportRequest, changes: tuple[str, ...], named: tuple[str, ...], **given: Any
) -> int:
    """The exit status; the explanation, or the changed run, is written to stdout or to files."""
    if changes:
        shared.refuse_without_effect(named, _FOR_EXPLANATIONS, "a changed run is shown, not explained")
    recorded = is_recording(given["sources"])
    kind = RECORDING if recorded else None  # a recording may have any suffix
    options = replace(gather_options(given, named, kind=kind), story=report.needs_story)
    from butfor import api  # late: --help and wrong flags need none of it

    if changes:
        return _show_changed(options, changes, report)

    def ask(progress: Progress | None, _: object) -> Explanation:
        return api.replay(options.sources[0], options, progress) if recorded else api.explain(options, progress)

    return answer(ask, report, replay_command=replay_command_for(ctx, options))


def _show_changed(options: Options, changes: tuple[str, ...], report: ReportRequest) -> int:
    from butfor import api  # late: --help and wrong flags need none of it
    from butfor.report.changed_run_text import render, render_json  # late: it imports the runs it renders

    other = next((t.format.name for t in report.targets if t.format not in (TEXT, JSON)), None)
    if other is not None:
        raise UsageError(f"a changed run is shown as text or JSON, not as {other}")
    with progress_line() as progress:
        run = api.changed(options, changes, progress)
    for target in report.targets:
        if target.format is JSON:
            write_result(render_json(run).encode("utf-8", JSON.on_unencodable), target.path)
        else:
            layout = layout_for(target.path, report.color)
            write_result(render(run, **layout).encode(layout["encoding"], TEXT.on_unencodable), target.path)
    return 0
