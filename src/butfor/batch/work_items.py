"""What a batch consists of: programs, and the runs of each."""

from __future__ import annotations

from dataclasses import dataclass

from butfor.options import Options


@dataclass(frozen=True, slots=True)
class BatchProgram:
    """One program of a batch; `options` says how it is compiled and what is asked about each of its runs."""

    name: str
    options: Options


@dataclass(frozen=True, slots=True)
class BatchItem:
    """One run of one program. Items are numbered from 0 in the order of the manifest."""

    number: int
    program: BatchProgram
    name: str  # of the test or the input
    options: Options  # those of the program with the arguments, the input and the expectations of this run

    @property
    def input_bytes(self) -> int:
        """The size of what goes into the run: the shortest input stands for a group."""
        stdin = self.options.stdin
        given = stdin if isinstance(stdin, bytes) else b""
        return len(given) + sum(len(word.encode("utf-8", "surrogateescape")) + 1 for word in self.options.args)

    @property
    def title(self) -> str:
        """The program and the run, for messages."""
        return f"{self.program.name}: {self.name}"


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """What ends an item or the batch early."""

    jobs: int  # items that are under way at once
    item_seconds: float
    item_megabytes: int
    max_seconds: float | None = None  # of the whole batch
    fail_fast: bool = False  # no new items are begun after the first failing run
