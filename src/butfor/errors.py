"""The errors butfor raises on purpose, and the exit codes they lead to."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import ClassVar


class ExitCode(enum.IntEnum):
    """What the exit status of the command line means. Part of the public interface."""

    OK = 0  # explained, or the program did not fail
    CAUSE_FOUND = 1  # explained, with --fail-on-cause
    USAGE = 2  # wrong use or configuration, a tool is missing, the program does not compile
    CANNOT_EXPLAIN = 3
    PARTIAL = 4  # a limit was reached; what is known so far was printed
    INTERNAL = 101
    INTERRUPTED = 130


class ButforError(Exception):
    """Root of all errors that a user can act on: `message` says what happened and where, `hint` what to do next."""

    exit_code: ClassVar[ExitCode] = ExitCode.CANNOT_EXPLAIN

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(ButforError):
    """Wrong options, a missing or unreadable file, a bad configuration or test file."""

    exit_code = ExitCode.USAGE


class CompileError(ButforError):
    """The compiler or linker refused the program; `stderr` is what it wrote, unchanged."""

    exit_code = ExitCode.USAGE

    def __init__(self, message: str, *, stderr: str = "", hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.stderr = stderr


class ToolMissing(ButforError):
    """A compiler or a package that is needed is not installed."""

    exit_code = ExitCode.USAGE

    def __init__(
        self, message: str, *, hint: str = "`butfor doctor` lists what is installed and how to get the rest"
    ) -> None:
        super().__init__(message, hint=hint)


class RecordingError(ButforError):
    """A recording is corrupt, truncated, of another version, or not a recording at all."""

    exit_code = ExitCode.USAGE


class CannotRecord(ButforError):
    """The run ended in a way that left no complete recording."""


class ReachesBeyond(CannotRecord):
    """A run that was only tried was kept from changing files, acting on other programs or on the machine."""


class OutOfTime(ButforError):
    """A step was given up because the time for it was over."""


class UnsupportedError(ButforError):
    """The program uses a construct that butfor cannot follow.

    `construct` names it; `file`, `line` and `column` say where it is (0: unknown).
    """

    exit_code = ExitCode.CANNOT_EXPLAIN

    def __init__(self, construct: str, *, file: str = "", line: int = 0, column: int = 0, hint: str = "") -> None:
        self.construct = construct
        self.file = file
        self.line = line
        self.column = column
        super().__init__(f"{self.location}{construct} is not supported", hint=hint)

    @property
    def location(self) -> str:
        """`file:line:column: ` as far as it is known, else the empty string."""
        if not self.file:
            return ""
        known = [str(number) for number in (self.line, self.column) if number > 0 and self.line > 0]
        return f"{':'.join((self.file, *known))}: "


class DiskFull(ButforError):
    """There was no room to write a recording, a cache entry or a report."""

    exit_code = ExitCode.CANNOT_EXPLAIN

    def __init__(
        self, message: str, *, hint: str = "free some space, or point BUTFOR_CACHE_DIR or TMPDIR to another disk"
    ) -> None:
        super().__init__(message, hint=hint)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` for the nearest known word, else the empty string."""
    import difflib  # late: needed only when something went wrong

    near = difflib.get_close_matches(word, sorted(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
