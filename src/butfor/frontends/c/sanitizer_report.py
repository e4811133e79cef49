"""Reports of AddressSanitizer, UndefinedBehaviorSanitizer and libFuzzer: what they say about the run, to repeat it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from butfor.errors import UsageError
from butfor.explanation import Explanation, Failure
from butfor.files import read_bytes
from butfor.options import Options

_ERROR = re.compile(
    r"^==\d+==\s?ERROR: (?P<tool>\w+Sanitizer|libFuzzer): (?P<kind>.+?)(?: on (?:unknown )?address .*)?$", re.M
)
_RUNTIME_ERROR = re.compile(r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):\d+: runtime error: (?P<what>.*)$", re.M)
_FRAME = re.compile(r"^\s*#\d+ 0x[0-9a-f]+ in (?P<function>\S+) (?P<file>.+?):(?P<line>\d+)(?::\d+)?$", re.M)
_STACK = re.compile(r"(?:^\s*#\d+ .*\n?)+", re.M)
_COMMAND = re.compile(r"^Command: (?P<words>.*?) ?$", re.M)
_UNIT = re.compile(r"(?:Test unit written to|^Running:|^artifact:) (?P<path>\S+)", re.M)
_OF_THE_SANITIZER = ("libsanitizer", "compiler-rt")  # in the names of its own sources
_ARITHMETIC = re.compile(r"overflow|shift exponent|left shift|outside the range")
HOW_TO_GET_THE_COMMAND = "ASAN_OPTIONS=print_cmdline=1 lets a report say it; or give the arguments after --"


@dataclass(frozen=True, slots=True)
class SanitizerReport:
    """What a report says: the error, the places on its stack (the innermost first), and how the program was started."""

    error: str
    places: tuple[tuple[str, int], ...]
    words: tuple[str, ...] | None = None  # of the command, its name first; blanks inside of words are lost
    unit: str | None = None  # the file that a fuzzer wrote the input to

    @property
    def is_arithmetic(self) -> bool:
        """Whether the error is one that butfor looks for only when it is asked to."""
        return bool(_ARITHMETIC.search(self.error)) and "buffer" not in self.error

    def started(self, options: Options) -> Options:
        """The options with the arguments that the report names, unless there are some."""
        if self.is_arithmetic:
            options = replace(options, arithmetic_errors=True)
        if options.args:
            return options
        if self.words is not None:
            return replace(options, args=self.words[1:])
        return replace(options, args=(self.unit,)) if self.unit is not None else options

    def compared(self, answer: Explanation, options: Options) -> Explanation:
        """The explanation of the repeated run, with a note that says how it compares with the report."""
        where = f" at {self.places[0][0]}:{self.places[0][1]}" if self.places else ""
        told = f"the report tells of {self.error}{where}"
        if answer.failure is not None and self._is_at(answer.failure):
            return replace(answer, notes=(f"{told}; the repeated run fails there too", *answer.notes))
        if answer.failure is not None and not self.places:
            return replace(answer, notes=(f"{told}, but not where: it may be another failure", *answer.notes))
        if answer.failure is not None:
            note = f"{told}; the repeated run fails elsewhere, so it may be another failure"
        else:
            note = f"{told}, but the repeated run does not fail"
        return replace(answer, notes=(f"{note}: {self._missing(options)}", *answer.notes))

    def _is_at(self, failure: Failure) -> bool:
        own = PurePath(failure.file).name, failure.line
        return any((PurePath(file).name, line) == own for file, line in self.places)

    def _missing(self, options: Options) -> str:
        """What may be missing to repeat the run."""
        missing = []
        if self.words is None and self.unit is None and not options.args:
            missing.append(
                f"the report does not say with which arguments the program was started ({HOW_TO_GET_THE_COMMAND})"
            )
        elif self.words is not None and options.args == self.words[1:]:
            missing.append("if an argument has blanks, give the arguments after --: the report does not show which do")
        if not options.stdin:
            missing.append("standard input is empty here (--stdin FILE), and no report says what it was")
        return "; ".join(missing) or "files that it reads and the environment may differ"


def read_report(path: Path) -> SanitizerReport:
    """The first error of a report; a UsageError where there is none."""
    text = read_bytes(path).decode("utf-8", "replace")
    error, runtime = _ERROR.search(text), _RUNTIME_ERROR.search(text)
    if error is None and runtime is None:
        raise UsageError(
            f"{path}: there is no report of a sanitizer in it", hint="it is what the program wrote to stderr"
        )
    if runtime is not None and (error is None or runtime.start() < error.start()):
        what, begin = runtime["what"], runtime.end()
        places = [(runtime["file"], int(runtime["line"]))]
    else:
        assert error is not None
        what, begin, places = error["kind"], error.end(), []
    stack = _STACK.search(text, begin)
    if stack is not None:
        places += [(frame["file"], int(frame["line"])) for frame in _FRAME.finditer(stack[0])]
    command, unit = _COMMAND.search(text), _UNIT.search(text)
    return SanitizerReport(
        what,
        tuple(place for place in places if not any(part in place[0] for part in _OF_THE_SANITIZER)),
        tuple(command["words"].split(" ")) if command is not None else None,
        unit["path"] if unit is not None else None,
    )
