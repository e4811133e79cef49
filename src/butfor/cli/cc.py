"""`butfor cc` and `butfor c++`: the user's compiler; the `butfor` command starts them before it comes here."""

from __future__ import annotations

import sys

import click

from butfor.compiler_wrapper.wrap_compiler import main

_HELP = """\b
Examples:
  make CC="butfor cc"
  ./configure CC="butfor cc" && make
  cmake -DCMAKE_C_COMPILER="$(butfor cc --print-path)" ..

Runs your own compiler, unchanged (BUTFOR_CC, else cc, gcc or clang; BUTFOR_CXX, else c++, g++ or clang++), with all
arguments. In addition, LLVM IR of each C file is kept in butfor's cache, so that `butfor explain ./binary` can look
into the program. If that fails, nothing happens: the file is then treated like a library.

--print-path prints the path of a script that does the same and starts faster, for build systems that want one word.
"""


@click.command(
    "cc",
    help=_HELP,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def command(ctx: click.Context, arguments: tuple[str, ...]) -> int:
    """The exit status of the compiler."""
    sys.stdout.flush()
    return main(ctx.info_name or "cc", list(arguments))
