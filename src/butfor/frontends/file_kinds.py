"""The kinds of file that programs are given as, with their suffixes.

This is the one table of suffixes. `program_kinds.py` says which kinds of program are made of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Refusal:
    """Options that have no effect, and why: a clause that a message can begin with."""

    names: tuple[str, ...]  # fields of `Options`, or parameters of a command
    reason: str
    hint: str = "leave it out"


@dataclass(frozen=True, slots=True)
class FileKind:
    """One kind of file that is part of a program."""

    suffixes: tuple[str, ...]
    is_ir: bool = False  # compiled to LLVM IR already
    refusals: tuple[Refusal, ...] = ()  # where all files of a program are of this kind


C_SOURCE = FileKind((".c",))
LLVM_IR = FileKind(
    (".ll", ".bc"),
    is_ir=True,
    refusals=(Refusal(("cflags", "includes", "defines"), "LLVM IR is not compiled from source"),),
)
C_PROGRAM_FILES = (C_SOURCE, LLVM_IR)
BOOGIE_SOURCE = FileKind((".bpl",))
RECORDING_FILE = FileKind((".bfr",))


def is_ir(path: Path) -> bool:
    """Whether this file of a C program is LLVM IR, which is not compiled again."""
    return any(kind.is_ir and path.suffix in kind.suffixes for kind in C_PROGRAM_FILES)
