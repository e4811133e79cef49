"""Hooked programs for tests, without a recording."""

from __future__ import annotations

from pathlib import Path

from butfor.frontends.c.c_frontend import compile_program
from butfor.frontends.c.hooked_build import HookedBuild, build_hooked
from butfor.ir.program import Program
from butfor.options import Options


def build_of(source: Path, *, checked: bool = False) -> tuple[HookedBuild, Program]:
    """The hooked program of a C file, and its IR."""
    program = compile_program(Options(sources=(source,)), lambda text: None).code.program
    return build_hooked(program, None, (), checked=checked), program
