"""A program with planted faults: one text, from which the right program and the one with faults are made.

A line that ends in `//@3` is part of the right program only, a line that begins with `//!3` of the one with fault 3.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from butfor.frontends.c import toolchain
from butfor.tests_file import TestCase, tests_text

PROGRAMS = Path(__file__).parent
_RIGHT = re.compile(r"(?P<line>.*\S)\s*//@(?P<fault>\d+)$")
_FAULTY = re.compile(r"(?P<indent>\s*)//!(?P<fault>\d+) (?P<line>.*)$")
_SECONDS = 10  # far more than a run takes


@dataclass(frozen=True, slots=True)
class FailingInput:
    """An input with which one fault shows, and no other."""

    fault: int
    stdin: bytes


@dataclass(frozen=True, slots=True)
class PlantedProgram:
    """A program, and how inputs are made that show one of its faults."""

    name: str
    triggers: Sequence[Callable[[Random], str]]  # for each fault, from 1: an input

    @property
    def faults(self) -> range:
        """The numbers of its faults."""
        return range(1, len(self.triggers) + 1)

    def source(self, faults: Collection[int]) -> str:
        """The program with these faults."""
        lines = []
        for line in (PROGRAMS / f"{self.name}.c").read_text("utf-8").splitlines():
            right, faulty = _RIGHT.match(line), _FAULTY.match(line)
            if right:
                lines += [right["line"]] * (int(right["fault"]) not in faults)
            elif faulty:
                lines += [faulty["indent"] + faulty["line"]] * (int(faulty["fault"]) in faults)
            else:
                lines.append(line)
        return "\n".join(lines) + "\n"

    def inputs(self, count: int, seed: int) -> list[FailingInput]:
        """So many inputs, the same number for each fault as far as that is possible, in random order."""
        random = Random(seed)
        made = [FailingInput(fault, self.triggers[fault - 1](random).encode()) for fault in self._spread(count)]
        random.shuffle(made)
        return made

    def write(self, folder: Path, count: int, seed: int) -> list[FailingInput]:
        """The failing inputs, after the program with all faults and its tests were written to a folder."""
        inputs = self.inputs(count, seed)
        (folder / f"{self.name}.c").write_text(self.source(self.faults), "utf-8")
        right = self.built(folder, (), "right")
        tests = [
            TestCase(f"{number:04}", stdin=one.stdin, expect_stdout=_output(right, one.stdin), expect_exit=0)
            for number, one in enumerate(inputs)
        ]
        (folder / "tests.json").write_text(tests_text(tests), "utf-8")
        return inputs

    def built(self, folder: Path, faults: Collection[int], name: str, command: Sequence[str] = ()) -> Path:
        """The program with these faults, built without butfor."""
        source, program = folder / f"{name}.c", folder / name
        source.write_text(self.source(faults), "utf-8")
        compiler = toolchain.find_compiler(None)
        words = command or (*compiler.command, *compiler.arch_flags)
        subprocess.run([*words, "-w", "-g", source, "-o", program], check=True, capture_output=True)
        source.unlink()
        return program

    def _spread(self, count: int) -> list[int]:
        return [self.faults[k % len(self.faults)] for k in range(count)]


def _output(program: Path, stdin: bytes) -> bytes:
    return subprocess.run([program], input=stdin, capture_output=True, check=True, timeout=_SECONDS).stdout
