"""What a batch consists of: programs, and the runs of each."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from butfor.errors import UsageError
from butfor.files import read_bytes
from butfor.options import Options


@dataclass(frozen=True, slots=True)
class BatchProgram:
    """One program of a batch; `options` says how it is compiled and what is asked about each of its runs."""

    name: str
    options: Options


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file that is named among the arguments of a run, as it was when the batch began."""

    path: Path
    size: int
    digest: str

    @classmethod
    def read(cls, path: Path) -> InputFile:
        """The file as it is now."""
        data = read_bytes(path)
        return cls(path, len(data), hashlib.sha256(data).hexdigest())

    def check(self) -> None:
        """Raise a UsageError where a run would read something else."""
        if InputFile.read(self.path) != self:
            raise UsageError(f"{self.path}: has changed since the batch began", hint="give the same command again")


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """One run of a program that the batch is to make."""

    name: str  # of the test or the input
    options: Options  # those of the program with the arguments, the input and the expectations of this run
    input_file: InputFile | None = None
    is_recorded: bool = False  # the run was made before, and the file is its recording


@dataclass(frozen=True, slots=True)
class BatchItem:
    """One run of one program. Items are numbered from 0 in the order of the manifest."""

    number: int
    program: BatchProgram
    run: PlannedRun

    @property
    def name(self) -> str:
        """The name of the test or the input."""
        return self.run.name

    @property
    def options(self) -> Options:
        """The options of this run."""
        return self.run.options

    @property
    def input_bytes(self) -> int:
        """The size of what goes into the run: the shortest input stands for a group."""
        stdin, file = self.options.stdin, self.run.input_file
        given = len(stdin) if isinstance(stdin, bytes) else 0
        words = sum(len(word.encode("utf-8", "surrogateescape")) + 1 for word in self.options.args)
        read = file.size if file is not None and not self.run.is_recorded else 0
        return given + words + read

    @property
    def title(self) -> str:
        """The program and the run, for messages."""
        return f"{self.program.name}: {self.name}"


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """What ends an item or the batch early."""

    jobs: int | None  # items that are under way at once; None: as many as there are cores for them
    item_seconds: float
    item_megabytes: int
    max_seconds: float | None = None  # of the whole batch
    fail_fast: bool = False  # no new items are begun after the first failing run
