"""`butfor record`: run a program and save the run in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from butfor.cli import shared_options as shared
from butfor.cli.gather_options import gather_options
from butfor.cli.terminal_output import progress_line, write_stdout
from butfor.files import check_writable, replacing

_HELP = """\b
Examples:
  butfor record prog.c -o run.bfr -- 6 5 4
  butfor record prog.c -o run.bfr --stdin input.txt

Compiles and runs the program and saves the run with its sources in one file, which `butfor replay` explains later or
on another machine. An existing file is replaced only when the recording is complete. What follows `--` are the
arguments of the program.
"""


@click.command("record", cls=shared.ProgramCommand, help=_HELP)
@click.argument("sources", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    "out",
    required=True,
    type=click.Path(path_type=Path),
    metavar="RUN.bfr",
    help="The file to write.",
)
@shared.run_options
@shared.expect_options
@shared.compile_options
@shared.debug_option
def command(out: Path, named: tuple[str, ...], **given: Any) -> int:
    """The exit status; the recording is in `out`."""
    shared.refuse_without_effect(
        named,
        ("memory_errors", "arithmetic_errors"),
        "memory errors are looked for in the analysis of a run",
        "give it to `butfor replay`",
    )
    check_writable(out)
    options = gather_options(given, named)
    from butfor import api  # late: --help and wrong flags need none of it

    with progress_line() as progress, replacing(out) as temporary:
        run = api.record(options, temporary, progress)
    size = out.stat().st_size
    write_stdout(
        f"{out}: recorded {run.instructions:,} instructions in {size:,} bytes; the program {run.ending}\n".encode()
    )
    return 0
