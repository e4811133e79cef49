"""`butfor run`: a command such as `make check`, in which failing programs are recorded."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from butfor.cli.shared_options import debug_option
from butfor.cli.terminal_output import progress_line, write_stdout
from butfor.errors import UsageError

_HELP = """\b
Examples:
  butfor run -- make check
  butfor run --exit-status -- ctest
  butfor run --rerun-only -- ./run-tests.sh

Runs a command as ever and watches the programs in it that were built with CC="butfor cc". If one of them is ended by a
signal (a crash, a failed assertion), the command is run a second time, in which these starts are recorded. At the end
there is one line for each failure, with the command that explains it.

The exit status is that of the command.
"""
_SIGNAL_STATUS = 128  # as shells have it: 128 + the number of the signal


@click.command("run", help=_HELP)
@click.argument("command_words", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND...")
@click.option("--exit-status", is_flag=True, help="An exit status other than 0 is a failure, too.")
@click.option("--rerun-only", is_flag=True, help="Run the failed starts again, not the whole command.")
@click.option("--always", is_flag=True, help="Record every start the first time, and keep those that fail.")
@click.option(
    "--max-recordings", type=click.IntRange(min=1), default=10, show_default=True, help="Failures that are recorded."
)
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("butfor-failures"),
    show_default=True,
    metavar="FOLDER",
    help="Where the recordings go.",
)
@debug_option
def command(
    command_words: tuple[str, ...], exit_status: bool, rerun_only: bool, always: bool, max_recordings: int, folder: Path
) -> int:
    """The exit status of the command; one line for each failure is written after what the command wrote."""
    if always and rerun_only:
        raise UsageError("--always records the first time, so --rerun-only would have no effect", hint="leave one out")
    from butfor.frontends.c.observed_runs.record_failures import ObserveOptions, observe  # late: brings LLVM

    options = ObserveOptions(exit_status, rerun_only, always, max_recordings, folder)
    with progress_line() as progress:
        done = observe(command_words, options, progress or (lambda text: None))
    lines = []
    for failure in done.failures:
        words = shlex.join(failure.start.args)
        lines.append(f"butfor: {words} {failure.how}")
        if failure.recording is not None:
            lines.append(f"  butfor replay {shlex.quote(str(failure.recording))} --method slice,cascade,butfor")
        else:
            lines.append(f"  not recorded: {failure.reason}")
    kept = [failure for failure in done.failures if failure.recording is not None]
    if len(kept) > 1:
        lines.append(f"  butfor batch {shlex.quote(str(folder))}/* groups them by cause")
    seen = f"{done.starts} start{'s' * (done.starts != 1)} of programs built with butfor cc"
    lines.append(f"butfor: {seen}, {len(done.failures)} failed")
    if done.unseen:
        lines.append(f"butfor: how {done.unseen} of them ended is not known: the system forbids ptrace")
    write_stdout(("\n".join(lines) + "\n").encode("utf-8", "surrogateescape"))
    return done.status if done.status >= 0 else _SIGNAL_STATUS - done.status
