"""C code of butfor itself, compiled once and loaded into this process."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from pathlib import Path

from butfor.errors import ButforError
from butfor.native import build_cache
from butfor.native.c_compiler import find_compiler
from butfor.native.installed_packages import installed_as
from butfor.native.run_tool import run_tool

_FLAGS = (
    "-O2",
    "-fPIC",
    "-shared",
    "-w",
    "-fno-stack-protector",
    "-fomit-frame-pointer",
    "-ffp-contract=off",
    "-nostdlib",  # what it needs of a C library the process has already, and none has to be built
    "-Wl,-z,undefs",
)


def load_library(name: str, sources: Sequence[Path], headers: Mapping[str, str]) -> ctypes.CDLL | None:
    """The shared library of these C files, from the cache when it was built before; None if it cannot be built here.

    `headers` are made by the caller: texts by file name. Other headers lie beside the sources.
    """
    try:
        compiler = find_compiler(None)
        folders = dict.fromkeys(source.parent for source in sources)
        texts = [path.read_bytes() for folder in folders for path in sorted(folder.glob("*.[ch]"))]
        key = build_cache.key_of(
            [*installed_as("ziglang"), *_FLAGS, *compiler.arch_flags, *headers, *headers.values(), *texts]
        )

        def make(work: Path) -> None:
            for file, text in headers.items():
                (work / file).write_text(text, "utf-8")
            run_tool(
                [*compiler.command, *_FLAGS, *compiler.arch_flags, f"-I{work}", *map(str, sources)]
                + ["-o", str(work / "library.so")],
                f"butfor's own {name} does not compile",
            )

        return ctypes.CDLL(str(build_cache.entry("libraries", key, make) / "library.so"))
    except (ButforError, OSError):
        return None
