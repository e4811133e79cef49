"""`butfor doctor`."""

from __future__ import annotations

import click

from butfor.cli import shared_options as shared
from butfor.cli.doctor_checks import Check, State, all_checks
from butfor.cli.terminal_output import write_stdout
from butfor.errors import ExitCode
from butfor.report.inert_text import inert

_HELP = """\b
Examples:
  butfor doctor

Lists what butfor needs, whether it is there, and how to get what is missing. Exit status 0: butfor can be used; 2: something is missing.
"""


@click.command("doctor", help=_HELP)
@shared.debug_option
def command() -> int:
    """The exit status; the list is written to stdout."""
    checks = all_checks()
    missing = [check for check in checks if check.state is State.MISSING]
    verdict = f"{len(missing)} missing: butfor cannot be used yet" if missing else "butfor can be used"
    write_stdout("\n".join([*(line for check in checks for line in lines_of(check)), "", verdict, ""]).encode())
    return ExitCode.USAGE if missing else ExitCode.OK


def lines_of(check: Check) -> list[str]:
    """The lines for one check: state, name and finding; what to do, where something can be done."""
    first = f"{check.state.value:<8} {check.name:<14} {inert(check.found)}".rstrip()
    return [first, f"{'':<24}{inert(check.fix)}"] if check.fix else [first]
