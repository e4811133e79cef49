"""`butfor show`: browse a report in the terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from butfor.browse.report_entries import Entry, entries, headline
from butfor.cli.terminal_output import progress_line
from butfor.errors import ToolMissing, UsageError
from butfor.files import read_bytes
from butfor.frontends.program_kinds import RECORDING
from butfor.marks import Mark, marks_file, settle
from butfor.options import AnalysisOptions, make_options

_HELP = """\b
Examples:
  butfor explain prog.c -o report.json -- 6 5 4 && butfor show report.json
  butfor show run.bfr

Browses a report in the terminal: causes and the cause tree on the left, the source on the right. Takes a JSON report,
or a recording, which is explained first. b marks the selected statement as benign, g as guilty, u takes the mark
away; the marks are kept next to the report (or in the file of --marks), where `butfor explain --marks` and `butfor
replay` find them.
"""


_HOW_TO_MAKE_ONE = "butfor explain -o report.json makes one; a recording (.bfr) will do too"


@click.command("show", help=_HELP)
@click.argument("report", type=click.Path(path_type=Path))
@click.option(
    "--marks",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Keep the marks in FILE (default: next to the report).",
)
def command(report: Path, marks: Path | None) -> int:
    """The exit status, when the user has left the browser."""
    title, shown, sources = _contents(report)
    try:
        from butfor.browse.browser_app import Browser  # late: Textual is optional
    except ImportError as e:
        raise ToolMissing("the terminal browser needs textual", hint="pip install 'butfor[show]' brings it") from e
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "butfor show needs a terminal",
            hint="butfor explain prints the same, `-o report.html` makes a page to browse",
        )
    path = marks or marks_file(report)
    known = dict(settle(AnalysisOptions(), path).by_place)
    Browser(title, shown, sources, known, lambda place, mark: save_mark(path, place, mark)).run()
    return 0


def save_mark(path: Path, place: str, mark: Mark | None) -> None:
    """Write one mark to the file of marks, or take it out if it is None."""
    benign, guilty, unmark = ((place,) if mark == kind else () for kind in ("benign", "guilty", None))
    settle(AnalysisOptions(benign=benign, guilty=guilty, unmark=unmark), path)


def _contents(path: Path) -> tuple[str, list[Entry], Mapping[str, str]]:
    """The headline, the entries and the sources of a report; what it says of itself may not be what it holds."""
    try:
        document, sources = _read_report(path)
        return headline(document), entries(document), sources
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError) as error:
        raise UsageError(f"{path} is not a complete report of butfor", hint=_HOW_TO_MAKE_ONE) from error


def _read_report(path: Path) -> tuple[Mapping[str, Any], Mapping[str, str]]:
    """The JSON report in a file, or of a recording, and the sources that it mentions."""
    if not path.exists():
        raise UsageError(f"{path}: no such file")
    if RECORDING.has(path):
        from butfor import api  # late: a JSON report needs none of it

        with progress_line() as progress:
            explanation = api.replay(path, make_options(path), progress)
        return explanation.to_dict(), explanation.sources
    try:
        document = json.loads(read_bytes(path))
        is_report = document["schema_version"] == 1
    except (ValueError, KeyError, TypeError, RecursionError):
        is_report = False
    if not is_report:
        raise UsageError(f"{path} is not a report of butfor", hint=_HOW_TO_MAKE_ONE)
    return document, _sources(document, path.parent)


def _sources(document: Mapping[str, Any], beside: Path) -> dict[str, str]:
    """The sources that a report mentions, as far as they are found: in the working directory, or beside the report."""
    names = {row["file"] for row in document["ranking"]}
    names |= {
        s["file"] for cause in document["methods"].get("cascade", {}).get("causes", ()) for s in cause["statements"]
    }
    found = {}
    for name in names - {""}:
        for path in (Path(name), beside / name):
            if path.is_file():
                found[name] = path.read_bytes().decode("utf-8", "surrogateescape")
                break
    return found
