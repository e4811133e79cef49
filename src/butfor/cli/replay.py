"""`butfor replay`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from butfor.cli import options as shared
from butfor.cli.answer import answer
from butfor.cli.gather import gather
from butfor.cli.output import check_out

_HELP = """\b
Examples:
  butfor replay run.bfr
  butfor replay run.bfr --check
  butfor replay run.bfr --expect-stdout right.txt --format json -o report.json

Explains a run that `butfor record` saved. Sources and code are in the recording, so neither the program nor a compiler is needed.
"""


@click.command("replay", help=_HELP)
@click.argument("recording", type=click.Path(path_type=Path))
@shared.expect_options
@shared.analysis_options
@shared.report_options
def command(recording: Path, form: str, out: Path | None, verbose: bool, color: str, **given: Any) -> int:
    """The exit status; the explanation is written to stdout or a file."""
    check_out(out)
    options = gather({**given, "sources": (recording,)}, reads_stdin=False)
    from butfor import api

    return answer(lambda progress: api.replay(recording, options, progress), form=form, out=out, verbose=verbose, color=color)
