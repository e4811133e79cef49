"""Programs with hooks for tests, without a recording."""

from __future__ import annotations

from pathlib import Path

from butfor.frontends.c.hooked import HookedBuild, build_hooked
from butfor.frontends.c.record import compile_program
from butfor.frontends.c.source import CSource
from butfor.options import Options
from butfor.program.program import Program


def build_of(source: Path, *, checked: bool = False) -> tuple[HookedBuild, Program]:
    """The program of a C file with hooks, and its static side."""
    text = compile_program(Options(sources=(source,)), lambda text: None).module.read_bytes()
    module = CSource(text.decode("utf-8", "surrogateescape"))
    program = Program(module)
    return build_hooked(module, text, program, None, (), checked=checked), program
