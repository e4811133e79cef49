"""`butfor find`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from butfor.cli import options as shared
from butfor.cli.answer import answer
from butfor.cli.gather import gather
from butfor.cli.output import check_out
from butfor.errors import UsageError

_HELP = """\b
Examples:
  butfor find prog.bpl
  butfor find prog.bpl --entry abs --bound 20
  butfor find prog.bpl --format json

Searches a Boogie program for inputs with which a check fails (assert, invariant, requires, ensures) and explains the shortest failing path.
Starts at the procedure main, else at the only one, else at the one that --entry names.
"""


@click.command("find", help=_HELP)
@click.argument("sources", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--entry", metavar="NAME", help="Start at this procedure instead of main.")
@shared.analysis_options
@shared.report_options
def command(form: str, out: Path | None, verbose: bool, color: str, **given: Any) -> int:
    """The exit status; the explanation is written to stdout or a file."""
    check_out(out)
    options = gather(given, reads_stdin=False)
    if any(source.suffix != ".bpl" for source in options.sources):
        raise UsageError(f"{options.sources[0]} is not a Boogie program", hint="butfor explain explains the failing run of a C program")
    from butfor.boogieapi import explain_boogie  # late: --help and wrong flags need none of it

    return answer(lambda progress: explain_boogie(options, progress or (lambda text: None)), form=form, out=out, verbose=verbose, color=color)
