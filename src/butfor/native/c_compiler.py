"""The C compiler: where it is, how it is called, what is left out of what it says."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from butfor.errors import ToolMissing


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
        package = importlib.util.find_spec("ziglang")
        if package is None:
            raise ToolMissing(
                "the C compiler of the package `ziglang` is not installed",
                hint="pip install ziglang, or name a clang with --cc",
            )
        # what `python -m ziglang` starts; a Python for each compilation would take as long as the compilation itself
        zig = Path(package.origin or "").with_name("zig")
        return Compiler((str(zig), "cc") if zig.exists() else (sys.executable, "-m", "ziglang", "cc"), True)
    path = shutil.which(name)
    if path is None:
        raise ToolMissing(
            f"the compiler {name!r} is not on the PATH",
            hint="leave --cc out to use the compiler that comes with butfor",
        )
    return Compiler((path,), "zig" in Path(path).name)


def without_noise(text: str) -> str:
    """The compiler's text without the warning that zig's own driver causes."""
    return "".join(
        line for line in text.splitlines(keepends=True) if "argument unused during compilation: '-c'" not in line
    )
