"""`butfor repair`: find edits that fix a failing program, and apply one."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from butfor.cli import shared_options as shared
from butfor.cli.ask_and_report import answer
from butfor.cli.gather_options import gather_options
from butfor.cli.report_targets import ReportRequest
from butfor.errors import UsageError
from butfor.explanation import Explanation
from butfor.frontends.program_kinds import is_recording
from butfor.report.formats import PATCH, REPAIR_FORMATS
from butfor.report.inert_text import one_line

_HELP = """\b
Examples:
  butfor repair prog.c --tests tests.json
  butfor repair prog.c --expect-stdout right.txt < input.txt
  butfor repair prog.c --tests tests.json --format diff | patch -p1
  butfor repair prog.c --tests tests.json --apply

Explains the failure as `butfor explain` does, then tries edits of the statements it suspects: each is compiled and
run on all tests, the failing and the passing ones, where it can neither change files nor run on. At most five repairs
are shown, each with what the tests say.

Tests that pass guard against repairs that only silence the failure: give many.
"""


@click.command("repair", cls=shared.ProgramCommand, help=_HELP)
@click.argument("sources", nargs=-1, required=True, type=click.Path(path_type=Path))
@shared.run_options
@shared.expect_options
@shared.tests_option
@shared.compile_options
@shared.analysis_options
@click.option(
    "--apply",
    "number",
    is_flag=False,
    flag_value=0,
    type=click.IntRange(min=0),
    metavar="[N]",
    help="Write the best repair, or repair N, to the file.",
)
@shared.report_options(
    REPAIR_FORMATS,
    format_note="diff: the best repair as a patch",
    verbose_help="Show the causes too.",
    has_fail_on_cause=False,
)
def command(report: ReportRequest, number: int | None, named: tuple[str, ...], **given: Any) -> int:
    """The exit status; the repairs are written to stdout or to files."""
    options = replace(gather_options(given, named, also=("repair",)), story=report.needs_story)
    if is_recording(options.sources):
        raise UsageError("a recording cannot be repaired", hint="give the C sources it was made from")
    from butfor import api  # late: --help and wrong flags need none of it

    found: list[Explanation] = []

    def ask(progress: Any, _: Any) -> Explanation:
        found.append(api.repair(options, progress))
        return found[0]

    code = answer(ask, report, only_repairs=not report.verbose)
    if not found:
        return code  # interrupted, or not supported: `answer` has said so
    if any(target.format is PATCH for target in report.targets) and not PATCH.render(found[0]):
        print("butfor: no repair was found", file=sys.stderr)
    if number is not None:
        _apply(found[0], number)
    return code


def _apply(explanation: Explanation, number: int) -> None:
    """Write a repair to the user's file, and say on stderr how to undo it."""
    from butfor.methods.repair.apply_repair import apply_repair, chosen_repair  # late, as above

    for written in apply_repair(chosen_repair(explanation, number), explanation.sources):
        undo = shlex.join(["mv", str(written.backup), str(written.file)])
        print(f"butfor: {one_line(f'{written.file} was changed; undo: {undo}')}", file=sys.stderr)
