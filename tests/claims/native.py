"""Programs compiled by gcc and run natively: what the interpreter is compared with, and what runs patched sources."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.claims.small_program import Program

_SANITIZERS = ("-fsanitize=bounds,null,integer-divide-by-zero", "-fno-sanitize-recover=all", "-fwrapv")
ALL_SANITIZERS = ("-fsanitize=undefined,address", "-fno-sanitize-recover=all")  # an overflow is a failure too
SECONDS = 2.0  # a program takes milliseconds
_NONDET = """\
#include <stdlib.h>
#include <string.h>
int __VERIFIER_nondet_int(void) {
    static char *rest;
    if (!rest)
        rest = getenv("NONDET");
    return rest ? (int)strtol(rest, &rest, 10) : 0;
}
"""


def compiler() -> str | None:
    """The C compiler of the machine, if there is one."""
    return shutil.which("gcc") or shutil.which("cc")


class NativeProgram:
    """A C program that was compiled; it is removed with the folder it is in."""

    def __init__(self, text: str, folder: Path, sanitizers: Sequence[str] = _SANITIZERS) -> None:
        found = compiler()
        assert found is not None
        with tempfile.NamedTemporaryFile("w", suffix=".c", dir=folder, delete=False) as f:
            f.write(text)
        nondet = folder / "nondet.c"
        if not nondet.exists():
            nondet.write_text(_NONDET)
        self.path = Path(f.name).with_suffix("")
        flags = ["-O1", "-w", *sanitizers, "-o", str(self.path)]
        done = subprocess.run([found, *flags, f.name, str(nondet)], capture_output=True, text=True)
        self.error = done.stderr if done.returncode else ""

    def fails(self, program: Program, inputs: Sequence[int]) -> bool:
        """Whether a run with these inputs fails."""
        args, stdin, env = native_input(program, inputs)
        try:
            done = subprocess.run(
                [str(self.path), *args],
                input=stdin,
                env={**os.environ, **env},
                capture_output=True,
                timeout=SECONDS,
                preexec_fn=_no_core,
            )
        except subprocess.TimeoutExpired:
            return True
        return done.returncode != 0


def _no_core() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def native_input(program: Program, inputs: Sequence[int]) -> tuple[list[str], bytes, dict[str, str]]:
    """Arguments, standard input and environment with which a native program reads these inputs."""
    match program.style:
        case "nondet":
            return [], b"", {"NONDET": " ".join(map(str, inputs))}
        case "atoi":
            return [str(i) for i in inputs], b"", {}
        case "getchar":
            return [], bytes(inputs), {}
        case "scanf":
            return [], " ".join(map(str, inputs)).encode(), {}
