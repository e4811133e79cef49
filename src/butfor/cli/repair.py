"""`butfor repair`."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from butfor.cli import shared_options as shared
from butfor.cli.ask_and_report import answer
from butfor.cli.gather_options import gather
from butfor.cli.report_targets import STDOUT, targets, wants_story
from butfor.cli.terminal_output import progress_line
from butfor.errors import UsageError
from butfor.explanation import Explanation
from butfor.files import check_writable, write_file
from butfor.options import is_recording
from butfor.report.formats import FORMATS
from butfor.report.inert_text import one_line

DIFF = "diff"
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
        "--format",
        "form",
        type=click.Choice([*FORMATS, DIFF]),
        multiple=True,
        help="Format of the result (default text; diff: the best repair as a patch).",
    ),
    shared.json_option,
    click.option(
        "-o",
        "--output",
        "out",
        type=click.Path(path_type=Path),
        multiple=True,
        metavar="FILE",
        help="Write the result to FILE (- for stdout).",
    ),
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
def command(
    number: int | None, form: tuple[str, ...], out: tuple[Path, ...], verbose: bool, color: str, **given: Any
) -> int:
    """The exit status; the repairs are written to stdout or to files."""
    patch = _patch_file(form, out)
    to = () if DIFF in form else targets(form, out)
    options = replace(gather(given), story=wants_story(to))
    if is_recording(options.sources):
        raise UsageError("a recording cannot be repaired", hint="give the C sources it was made from")
    from butfor import api  # late: --help and wrong flags need none of it

    found: list[Explanation] = []

    def ask(progress: Any) -> Explanation:
        found.append(api.repair(options, progress))
        return found[0]

    if DIFF in form:
        with progress_line() as progress:
            explanation = ask(progress)
        _write_diff(explanation, patch)
        code = int(explanation.status.exit_code)
    else:
        code = answer(ask, to=to, verbose=verbose, color=color, only_repairs=not verbose)
    if number is not None:
        _apply(found[0], number)
    return code


def _patch_file(forms: tuple[str, ...], outs: tuple[Path, ...]) -> Path | None:
    """The file that the patch goes to, if a patch is wanted and not on stdout."""
    if DIFF not in forms or not outs:
        return None
    if len(forms) > 1 or len(outs) > 1:
        raise UsageError("a patch is written alone", hint="give --format diff and at most one -o")
    if outs[0] != STDOUT:
        check_writable(outs[0])
    return outs[0]


def _write_diff(explanation: Explanation, out: Path | None) -> None:
    """The best repair as a patch, byte for byte; nothing when there is none."""
    repairs = explanation.methods.get("repair", {}).get("repairs", [])
    data = repairs[0]["diff"].encode("utf-8", "surrogateescape") if repairs else b""
    if out is not None and out != STDOUT:
        write_file(out, data)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    if not repairs:
        print("butfor: no repair was found", file=sys.stderr)


def _apply(explanation: Explanation, number: int) -> None:
    """Nothing; the repair is in the user's file, and stderr says how to undo it."""
    from butfor.methods.repair.apply_repair import apply, chosen

    for written in apply(chosen(explanation, number), explanation.sources):
        undo = shlex.join(["mv", str(written.backup), str(written.file)])
        print(f"butfor: {one_line(f'{written.file} was changed; undo: {undo}')}", file=sys.stderr)
