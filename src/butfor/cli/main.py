"""The `butfor` command: its subcommands, and the one place that ends the process."""

from __future__ import annotations

import gc
import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from butfor import __version__
from butfor.cli.error_messages import exit_code_for
from butfor.cli.shared_options import debug_option
from butfor.errors import UsageError, did_you_mean
from butfor.frontends.program_kinds import kind_of_file

_HELP = """\b
Examples:
  butfor explain prog.c -- 6 5 4
  butfor explain prog.c --stdin in.txt --expect-stdout out.txt
  butfor explain main.c util.c --cflags '-std=gnu89' -lm --format json
  butfor find prog.c
  butfor repair prog.c --tests tests.json
  butfor record prog.c -o run.bfr -- 6 5 4
  butfor replay run.bfr -o report.html
  butfor why prog.c:26:last -- 6 5 4
  butfor batch prog.c --tests tests.json
  butfor explain ./prog -- 6 5 4        a program that was built with CC="butfor cc"
  butfor doctor

Takes a C program and one failing run, and answers which statements caused the failure. The program's own arguments go
after `--`.

\b
Exit status:
  0    explained, or the program did not fail
  1    explained, with --fail-on-cause
  2    wrong use, or the program does not compile
  3    cannot be explained
  4    partial result: a limit was reached
  101  an error in butfor itself
  130  interrupted
"""

_OBJECTS_BETWEEN_COLLECTIONS = 50_000  # imports and analyses make many objects that stay, and few cycles

_COMMANDS = {
    "explain": "Run a program and explain its failure.",
    "find": "Search for inputs with which a program fails, and explain the first failure.",
    "repair": "Find edits that fix a failing program.",
    "record": "Run a program and save the run.",
    "replay": "Explain a saved run.",
    "why": "Say where a value came from, who printed an output, or why a line did not run.",
    "cc": 'Compile as usual, and keep what `butfor explain ./binary` needs (CC="butfor cc").',
    "c++": 'The same for C++ compilers (CXX="butfor c++").',
    "batch": "Run many tests or crashing inputs, and explain the failing ones by cause.",
    "run": "Run a command such as `make check`, and record what fails in it.",
    "show": "Browse a report in the terminal.",
    "cache": "Show how large the cache of compiled programs is, or clear it.",
    "doctor": "Say what is installed, what is missing and how to get it.",
}


_MODULES = {"c++": "cc"}  # of commands whose names are no names of modules


class ButforGroup(click.Group):
    """The group of commands; each is imported when it is used, and no exception leaves `main`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands, in the order of the help text."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, if there is one."""
        if cmd_name not in _COMMANDS:
            return None
        command = importlib.import_module(f"butfor.cli.{_MODULES.get(cmd_name, cmd_name)}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the arguments name; a file in its place gets a hint."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            if not args:
                raise
            program = kind_of_file(Path(args[0])) is not None
            suggestion = f"; did you mean `butfor explain {args[0]}`?" if program else did_you_mean(args[0], _COMMANDS)
            raise click.UsageError(f"No such command {args[0]!r}{suggestion}", ctx) from error

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any) -> NoReturn:  # type: ignore[override]
        """Exit with the status that the command returned, or that its error stands for."""
        given = list(sys.argv[1:] if args is None else args)
        extra["standalone_mode"] = False  # so that errors and results come here
        try:
            _check_working_directory()
            result = super().main(given, prog_name or "butfor", **extra)
            code = result if isinstance(result, int) else 0
        except (Exception, KeyboardInterrupt) as error:
            code = exit_code_for(error, given)
        sys.exit(int(code))


def _check_working_directory() -> None:
    """Raise a UsageError when the folder that relative paths are meant from is gone."""
    try:
        os.getcwd()
    except OSError as error:
        raise UsageError("the working directory has been removed", hint="change to another one") from error


@click.group(
    "butfor",
    cls=ButforGroup,
    help=_HELP,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
)
@click.version_option(__version__, message="butfor %(version)s")
@debug_option
def cli() -> None:
    """Do nothing: the subcommands do the work."""


def main() -> NoReturn:
    """Run the command line of this process, and exit."""
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    cli.main()
