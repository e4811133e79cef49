"""The command that shows a changed run, for the report: the one that was given, with `replay` and the change."""

from __future__ import annotations

import shlex
from pathlib import Path

import click
from click.core import ParameterSource

from butfor.options import Options

_KEPT = "stdin env nondet time_limit step_limit output_limit cc cflags includes defines libs expect_stdout expect_exit".split()
CHANGE = "CHANGE"


def again_command(ctx: click.Context, options: Options) -> str:
    """`butfor replay prog.c --with CHANGE -- ARGS` for the command under way; CHANGE stands for the text of the change.

    INPUT stands for what was piped into the command, if something was.
    """
    words = ["butfor", "replay", *map(str, ctx.params["sources"])]
    for option in ctx.command.params:
        name = option.name or ""
        if name not in _KEPT or ctx.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            continue
        value = ctx.params[name]
        for each in value if isinstance(value, tuple) else (value,):
            words += [option.opts[0], str(each) if isinstance(each, Path) else f"{each}"]
    if not options.memory_errors:
        words.append("--no-memory-errors")
    args = ctx.params.get("args", ())
    piped = " < INPUT" if isinstance(options.stdin, bytes) and options.stdin else ""
    return f"{shlex.join(words)} --with {CHANGE}{' -- ' + shlex.join(args) if args else ''}{piped}"
