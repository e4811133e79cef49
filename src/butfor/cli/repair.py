"""`butfor repair`."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

import click

from butfor.cli import options as shared
from butfor.cli.answer import answer
from butfor.cli.gather import gather
from butfor.cli.output import check_out, progress_line
from butfor.errors import UsageError
from butfor.explanation import Explanation
from butfor.files import write_file
from butfor.options import is_recording
from butfor.report.inert import one_line

_HELP = """\b
Examples:
  butfor repair prog.c --tests tests.json
  butfor repair prog.c --expect-stdout right.txt < input.txt
  butfor repair prog.c --tests tests.json --format diff | patch -p1
  butfor repair prog.c --tests tests.json --apply

Explains the failure as `butfor explain` does, then tries edits of the statements it suspects: each is compiled and run on all tests, the
failing and the passing ones, where it can neither change files nor run on. At most five repairs are shown, each with what the tests say.

Tests that pass guard against repairs that only silence the failure: give many.
"""

report_options = shared.all_of(
    click.option(
        "--format", "form", type=click.Choice(["text", "json", "diff"]), default="text", show_default=True, help="Format; diff: the best only."
    ),
    click.option("--json", "form", flag_value="json", help="Same as --format json."),
    click.option("-o", "--output", "out", type=click.Path(path_type=Path), metavar="FILE", help="Write the result to FILE (- for stdout)."),
    click.option("-v", "--verbose", is_flag=True, help="Show the causes too."),
    shared.color_option,
    shared.debug_option,
)


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
@report_options
def command(number: int | None, form: str, out: Path | None, verbose: bool, color: str, **given: Any) -> int:
    """The exit status; the repairs are written to stdout or a file."""
    check_out(out)
    options = gather(given)
    if is_recording(options.sources):
        raise UsageError("a recording cannot be repaired", hint="give the C sources it was made from")
    from butfor import api  # late: --help and wrong flags need none of it

    found: list[Explanation] = []

    def ask(progress: Any) -> Explanation:
        found.append(api.repair(options, progress))
        return found[0]

    if form == "diff":
        with progress_line() as progress:
            explanation = ask(progress)
        _write_diff(explanation, out)
        code = int(explanation.status.exit_code)
    else:
        code = answer(ask, form=form, out=out, verbose=verbose, color=color, only_repairs=not verbose)
    if number is not None:
        _apply(found[0], number)
    return code


def _write_diff(explanation: Explanation, out: Path | None) -> None:
    """The best repair as a patch, byte for byte; nothing when there is none."""
    repairs = explanation.methods.get("repair", {}).get("repairs", [])
    data = repairs[0]["diff"].encode("utf-8", "surrogateescape") if repairs else b""
    if out is not None and out != Path("-"):
        write_file(out, data)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    if not repairs:
        print("butfor: no repair was found", file=sys.stderr)


def _apply(explanation: Explanation, number: int) -> None:
    """Nothing; the repair is in the user's file, and stderr says how to undo it."""
    from butfor.repair.apply import apply, chosen

    for written in apply(chosen(explanation, number), explanation.sources):
        undo = shlex.join(["mv", str(written.backup), str(written.file)])
        print(f"butfor: {one_line(f'{written.file} was changed; undo: {undo}')}", file=sys.stderr)
