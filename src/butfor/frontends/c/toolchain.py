"""The C compiler: sources to LLVM assembly, objects to a program."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from butfor.errors import CompileError, DiskFull, ToolMissing
from butfor.frontends.c.build_cache import cache_dir

Progress = Callable[[str], None]

_COMMON = ("-g", "-O0", "-fno-stack-protector", "-fno-omit-frame-pointer")
_OLD_STYLE = (
    "-Wno-implicit-function-declaration",
    "-Wno-implicit-int",
    "-Wno-int-conversion",
    "-Wno-return-type",
    "-Wno-deprecated-non-prototype",
    "-Wno-incompatible-pointer-types",
    "-Wno-incompatible-function-pointer-types",
    "-Wno-return-mismatch",
)


@dataclass(frozen=True, slots=True)
class Compiler:
    """How a compiler is called. `is_zig` compilers need flags of their own."""

    command: tuple[str, ...]
    is_zig: bool

    @property
    def arch_flags(self) -> tuple[str, ...]:
        """Flags that keep the code plain and portable between machines."""
        return ("-fno-sanitize=all", "-march=x86_64") if self.is_zig else ("-march=x86-64",)


def find_compiler(name: str | None) -> Compiler:
    """The compiler that the user asked for, by default the one of the `ziglang` package."""
    if name is None or name == "zig":
        if importlib.util.find_spec("ziglang") is None:
            raise ToolMissing(
                "the C compiler of the package `ziglang` is not installed",
                hint="pip install ziglang, or name a clang with --cc",
            )
        return Compiler((sys.executable, "-m", "ziglang", "cc"), True)
    path = shutil.which(name)
    if path is None:
        raise ToolMissing(
            f"the compiler {name!r} is not on the PATH",
            hint="leave --cc out to use the compiler that comes with butfor",
        )
    return Compiler((path,), "zig" in Path(path).name)


def run_tool(command: Sequence[str], what: str, cwd: Path | None = None) -> str:
    """What the tool wrote to stderr; a CompileError with that text as it is when it fails."""
    env = dict(os.environ, LC_ALL="C.UTF-8")
    try:
        done = subprocess.run(command, capture_output=True, cwd=cwd, env=env, stdin=subprocess.DEVNULL, check=False)
    except OSError as e:
        raise ToolMissing(f"{command[0]} cannot be started: {e.strerror}") from e
    text = done.stderr.decode("utf-8", "replace")
    if done.returncode != 0:
        if "No space left on device" in text or "NoSpaceLeft" in text:
            raise DiskFull(f"{what}: no space left on the disk")
        raise CompileError(what, stderr=_without_noise(text))
    return text


def _without_noise(text: str) -> str:
    """The compiler's text without the warning that zig's own driver causes."""
    return "".join(
        line for line in text.splitlines(keepends=True) if "argument unused during compilation: '-c'" not in line
    )


def compile_to_ir(compiler: Compiler, source: Path, out: Path, flags: Sequence[str], old_style: bool = True) -> str:
    """Compiles one C file to LLVM assembly at `out`; returns the compiler's warnings."""
    quiet = _OLD_STYLE if old_style else ()
    command = (
        *compiler.command,
        "-S",
        "-emit-llvm",
        *_COMMON,
        *compiler.arch_flags,
        *quiet,
        *flags,
        _no_option(source),
        "-o",
        str(out),
    )
    return _without_noise(run_tool(command, f"{source} does not compile"))


def _no_option(file: Path) -> str:
    """A file name that no compiler takes for an option."""
    return str(file.absolute() if str(file).startswith("-") else file)


def compile_object(compiler: Compiler, source: Path, out: Path, flags: Sequence[str]) -> None:
    """Compiles one C file of the runtime to an object."""
    command = (
        *compiler.command,
        "-O2",
        "-fomit-frame-pointer",
        "-w",
        *compiler.arch_flags,
        "-fno-stack-protector",
        "-fno-builtin",
        "-fno-delete-null-pointer-checks",
        *flags,
        "-c",
        str(source),
        "-o",
        str(out),
    )
    run_tool(command, f"butfor's own runtime ({source.name}) does not compile")


def link(compiler: Compiler, objects: Sequence[Path], out: Path, flags: Sequence[str]) -> None:
    """Links a program."""
    command = (*compiler.command, *compiler.arch_flags, *map(str, objects), "-o", str(out), *flags)
    run_tool(command, "the program does not link")


def warm_up(compiler: Compiler, progress: Progress) -> None:
    """Says that the first link takes a while, the first time a zig compiler is used."""
    if not compiler.is_zig:
        return
    stamp = cache_dir() / "zig-libc-built"
    if not stamp.exists():
        progress("first use: building the C library for linking (about ten seconds, once)")


def warmed_up(compiler: Compiler) -> None:
    """Remembers that the first link is done."""
    if compiler.is_zig:
        stamp = cache_dir() / "zig-libc-built"
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.touch()
