"""Programs with hooks for tests, without a recording."""

from __future__ import annotations

from pathlib import Path

from butfor.frontends.c.c_module import CSource
from butfor.frontends.c.hooked_build import HookedBuild, build_hooked
from butfor.frontends.c.record_run import compile_program
from butfor.ir.program import Program
from butfor.options import Options


def build_of(source: Path, *, checked: bool = False) -> tuple[HookedBuild, Program]:
    """The program of a C file with hooks, and its static side."""
    text = compile_program(Options(sources=(source,)), lambda text: None).module.read_bytes()
    module = CSource(text.decode("utf-8", "surrogateescape"))
    program = Program(module)
    return build_hooked(module, text, program, None, (), checked=checked), program
