"""`butfor why`: where a value came from, who printed a piece of the output, why a line was not executed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

from butfor.cli import shared_options as shared
from butfor.cli.gather_options import gather_options
from butfor.cli.terminal_output import layout_for, progress_line, write_result
from butfor.errors import UsageError
from butfor.frontends.program_kinds import RECORDING, is_recording
from butfor.origin_ladder import Ladder
from butfor.report.formats import JSON, TEXT

_HELP = """\b
Examples:
  butfor why prog.c:26:last -- 6 5 4
  butfor why prog.c:26:last --occurrence 2 -- 6 5 4
  butfor why main.c list.c list.c:26 < input.txt
  butfor why run.bfr prog.c:26:last
  butfor why prog.c --output 2:7 -- 6 5 4
  butfor why --not prog.c:40 -- 6 5 4

Says where a value came from, step by step back to inputs, constants or the decision that kept it. The word
FILE:LINE or FILE:LINE:NAME is the question; NAME is a variable, member or element as it is written in that line. The
other words are the program: C sources, a binary, or a recording; without any, FILE is. The program need not fail.

With --output, says which statement printed a piece of the output and where the value in it came from. With --not, says
which decisions kept a line from being executed.
"""
_ASKS = re.compile(r".+:\d+(?::.+)?")


@click.command("why", cls=shared.ProgramCommand, help=_HELP)
@click.argument("words", nargs=-1, metavar="[PROGRAM...] [FILE:LINE[:NAME]]")
@click.option("--occurrence", type=int, metavar="N", help="Which time the line ran: from 1, or from -1 backwards.")
@click.option("--output", metavar="LINE[:COLUMN]", help="Ask about this place of the program's output.")
@click.option("--not", "not_executed", metavar="FILE:LINE", help="Ask why this line was not executed.")
@shared.run_options
@shared.compile_options
@click.option("--json", "as_json", is_flag=True, help="Print the answer as one JSON object.")
@shared.color_option
@shared.debug_option
def command(
    as_json: bool,
    color: str,
    words: tuple[str, ...],
    occurrence: int | None,
    output: str | None,
    not_executed: str | None,
    named: tuple[str, ...],
    **given: Any,
) -> int:
    """The exit status; the answer is written to stdout."""
    from butfor import api  # late: --help and wrong flags need none of it
    from butfor.origins.queries import parse_where

    if sum(question is not None for question in (output, not_executed)) > 1:
        raise UsageError("--output and --not ask two questions", hint="ask one at a time")
    where = "" if output is not None or not_executed is not None else _question(words)
    if not where and output is None and not_executed is None:
        raise UsageError("nothing is asked", hint="name a place: FILE:LINE or FILE:LINE:NAME")
    sources = tuple(Path(word) for word in words if word != where)
    asked = where or not_executed
    if not sources and asked:
        sources = (Path(parse_where(asked)[0]),)
    if not sources:
        raise UsageError("no program is named", hint="name it before --output")
    kind = RECORDING if is_recording(sources) else None
    options = gather_options({**given, "sources": sources}, named, kind=kind)
    with progress_line() as progress:
        recording = api.queries(options, progress)
        if output is not None:
            ladder = recording.why_output(*_line_and_column(output))
        elif not_executed is not None:
            ladder = recording.why_not(not_executed)
        else:
            ladder = recording.why(where, occurrence=occurrence or 0)
    _write(ladder, as_json, color)
    return 0


def _question(words: tuple[str, ...]) -> str:
    """The word that asks: the last one that names a line, wherever it stands, else the last one."""
    asking = [word for word in words if _ASKS.fullmatch(word) and not Path(word).exists()]
    return asking[-1] if asking else words[-1] if words else ""


def _line_and_column(text: str) -> tuple[int, int]:
    line, colon, column = text.partition(":")
    if not line.isdigit() or (colon and not column.isdigit()):
        raise UsageError(f"--output {text}: not a line of the output", hint="write LINE or LINE:COLUMN")
    return int(line), int(column) if colon else 0


def _write(ladder: Ladder, as_json: bool, color: str) -> None:
    from butfor.report.ladder_text import render, render_json  # late: --help needs none of it

    if as_json:
        write_result(render_json(ladder).encode("utf-8", JSON.on_unencodable), None)
    else:
        layout = layout_for(None, color)
        write_result(render(ladder, **layout).encode(layout["encoding"], TEXT.on_unencodable), None)
