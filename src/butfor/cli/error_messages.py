"""Errors become messages on stderr and exit codes; the only place that does this."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import traceback
from collections.abc import Sequence

import click

from butfor.errors import ButforError, CompileError, ExitCode
from butfor.report.inert_text import inert

DEBUG_VARIABLE = "BUTFOR_DEBUG"


def exit_code_for(error: BaseException, args: Sequence[str]) -> ExitCode:
    """The exit code for an error, after saying on stderr what happened and what to do next."""
    if _wants_traceback(args):
        traceback.print_exception(error, file=sys.stderr)
    match error:
        case click.exceptions.Abort() | KeyboardInterrupt():
            _say("interrupted; nothing was written")
            return ExitCode.INTERRUPTED
        case click.exceptions.NoArgsIsHelpError():
            click.echo(error.format_message(), err=True)
            return ExitCode.USAGE
        case click.ClickException():
            say_error(_uncapitalized(error.format_message()), _help_hint(error))
            return ExitCode.USAGE
        case ButforError():
            say_butfor_error(error)
            return error.exit_code
        case OSError() if error.errno in (errno.ENOSPC, errno.EDQUOT):
            say_error(
                f"the disk is full{_at(error)}", "free some space, or point BUTFOR_CACHE_DIR or TMPDIR to another disk"
            )
            return ExitCode.CANNOT_EXPLAIN
        case RecursionError():
            say_error("something in the program or in a file is nested more deeply than butfor can follow")
            return ExitCode.CANNOT_EXPLAIN
        case MemoryError():
            say_error("not enough memory", "try a shorter run, or a smaller --budget")
            return ExitCode.CANNOT_EXPLAIN
    kind = type(error).__name__
    say_error(f"internal error: {kind}: {error}" if str(error) else f"internal error: {kind}", _report_hint(args))
    return ExitCode.INTERNAL


def say_butfor_error(error: ButforError) -> None:
    """Write an error and its hint to stderr, after what the compiler wrote if that is where the error comes from."""
    if isinstance(error, CompileError) and error.stderr:
        click.echo(error.stderr.encode("utf-8", "surrogateescape"), err=True, nl=not error.stderr.endswith("\n"))
    say_error(error.message, error.hint)


def say_interrupted() -> None:
    """Say on stderr that the answer is what was known when the user interrupted."""
    _say("interrupted; the report holds what was known by then")


def say_batch_interrupted() -> None:
    """Say on stderr that the results of a batch until now are kept."""
    _say("interrupted; the same command goes on from here")


def say_error(message: str, hint: str = "") -> None:
    """Write `butfor: error: ...` and the hint to stderr."""
    _say(f"error: {message}")
    if hint:
        _say(f"hint: {hint}")


def _say(text: str) -> None:
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    shown = "\n".join(inert(line, encoding) for line in text.split("\n"))
    with contextlib.suppress(OSError):  # when stderr is closed, the exit code has to do
        click.echo(f"butfor: {shown}", err=True)


def _wants_traceback(args: Sequence[str]) -> bool:
    own = list(args)[: list(args).index("--")] if "--" in args else args
    return "--debug" in own or os.environ.get(DEBUG_VARIABLE, "") not in ("", "0")


def _at(error: OSError) -> str:
    return f": {error.filename}" if error.filename else ""


def _uncapitalized(text: str) -> str:
    """The message without the capital that click starts it with: ours follow "error: "."""
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def _help_hint(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "butfor"
    return f"`{path} --help` lists the options"


def _report_hint(args: Sequence[str]) -> str:
    if _wants_traceback(args):
        return "this is a defect of butfor; please report it with the lines above"
    return f"this is a defect of butfor; please report it. {DEBUG_VARIABLE}=1 or --debug shows where it happened"
