"""The options of one explanation in groups: the program, its run, the analysis, settings of single methods.

`Options` is all of them in one immutable value, checked when it is made. A layer declares the group that it needs and
sees no other.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

from butfor.errors import UsageError, did_you_mean
from butfor.files import read_bytes

Inputs = Literal["pinned", "free"]

DEFAULT_BUDGET = 30.0  # seconds: as long as a person waits for an answer
DEFAULT_TIME_LIMIT = 10.0  # seconds: a program that takes longer is taken not to end
DEFAULT_OUTPUT_LIMIT = 64 * 2**20  # bytes: a program that writes more is taken not to end
DEFAULT_LOG_LIMIT = 8 * 2**30  # bytes: some 3,000 million instructions
MIN_LOG_LIMIT = 2**20  # bytes: parts of a log are written in pieces of 256 KB for each column
_MACHINE_MEGABYTES = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
DEFAULT_MEMORY_LIMIT = max(256, _MACHINE_MEGABYTES // 2)  # megabytes: with more, the machine begins to swap

PLACE = re.compile(r"(?:(?P<file>.+):)?(?P<line>[1-9][0-9]*)\Z")  # how users name a line
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*\Z")
_METHOD = re.compile(r"[A-Za-z][\w.-]*\Z")


@dataclass(frozen=True, kw_only=True)
class ProgramOptions:
    """Which program, how it is compiled and where it starts."""

    sources: tuple[Path, ...] = ()  # files of one kind of program, see frontends/program_kinds.py
    cc: str | None = None  # None: the compiler of the ziglang package; else a name or a path
    cflags: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    libs: tuple[str, ...] = ()
    entry: str | None = None  # the procedure that a search starts at

    def __post_init__(self) -> None:
        _check_words((*self.cflags, *self.includes, *self.defines, *self.libs))
        _require(self.entry is None or _IDENTIFIER.match(self.entry), f"{self.entry!r} is not the name of a function")
        _require(
            self.cc is None or self.cc.strip(),
            "the compiler name is empty",
            "leave --cc out to use butfor's own compiler",
        )


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """One run: what goes in, how it should have ended, and what ends it early."""

    args: tuple[str, ...] = ()
    stdin: bytes | Path | None = None  # the content, a file, or nothing
    env: tuple[tuple[str, str], ...] = ()  # set on top of butfor's own environment
    nondet: tuple[int, ...] = ()  # results of the __VERIFIER_nondet_* calls, in order
    witness: Path | None = None  # a violation witness that gives them

    expect_stdout: bytes | None = None
    expect_exit: int | None = None
    memory_errors: bool = True  # look for memory errors that the run survived
    arithmetic_errors: bool = False  # look for signed overflow and its kind, which a run survives too

    time_limit: float = DEFAULT_TIME_LIMIT  # seconds
    step_limit: int | None = None
    output_limit: int = DEFAULT_OUTPUT_LIMIT  # bytes the program may write to stdout and stderr
    log_limit: int = DEFAULT_LOG_LIMIT  # bytes of the log; of a longer run the last part is recorded
    record_last: int | None = None  # instructions of a longer run that are kept at least
    memory_limit: int = DEFAULT_MEMORY_LIMIT  # megabytes the program may use, with what recording it takes

    def __post_init__(self) -> None:
        _check_words(self.args)
        for name, value in self.env:
            _require(
                name and "=" not in name and "\0" not in name + value,
                f"{name + '=' + value!r} is not an environment setting",
                "write NAME=VALUE",
            )
        for number in self.nondet:
            _require(-(2**63) <= number < 2**64, f"the nondet value {number} does not fit in 64 bits")
        _require(
            self.witness is None or not self.nondet,
            "a witness brings the nondet values",
            "leave out --nondet, or --witness",
        )
        _require(
            self.expect_exit is None or 0 <= self.expect_exit <= 255,
            f"an exit status is between 0 and 255, not {self.expect_exit}",
        )
        _check_seconds("time_limit", self.time_limit)
        _check_count("step_limit", self.step_limit)
        _check_count("output_limit", self.output_limit)
        _check_count("log_limit", self.log_limit, least=MIN_LOG_LIMIT)
        _check_count("record_last", self.record_last)
        _check_count("memory_limit", self.memory_limit)


@dataclass(frozen=True, kw_only=True)
class AnalysisOptions:
    """What is asked: which runs, which methods, what is known to be right, and how far to look."""

    tests: Path | None = None  # a file with runs, of which the failing ones are explained
    shrink: bool = False  # first look for a smaller input that fails in the same way
    methods: tuple[str, ...] = ()  # empty: the default set
    budget: float = DEFAULT_BUDGET  # seconds for the analysis
    bound: int | None = None  # rounds of a loop and nested calls, for a search; None: the search's own choice
    trust: tuple[str, ...] = ()  # functions that are taken to be right
    benign: tuple[str, ...] = ()  # places (FILE:LINE or LINE) that the user believes right
    guilty: tuple[str, ...] = ()  # places that the user found to be the fault
    unmark: tuple[str, ...] = ()  # places whose marks are forgotten
    marks: Path | None = None  # file that keeps the marks; None: next to the recording, if there is one
    check: bool = False  # replay everything and compare with the recorded values
    story: bool = False  # tell the run step by step, for reports that show it

    def __post_init__(self) -> None:
        _check_seconds("budget", self.budget)
        _check_count("bound", self.bound)
        for name in self.trust:
            _require(
                _IDENTIFIER.match(name),
                f"{name!r} is not the name of a function",
                "--trust takes names as written in the source",
            )
        for name in self.methods:
            _require(
                _METHOD.match(name), f"{name!r} is not the name of a method", "--method takes names separated by commas"
            )
        for where in (*self.benign, *self.guilty, *self.unmark):
            _require(
                PLACE.match(where.strip()), f"{where!r} is not a place in the source", "write FILE:LINE, or LINE alone"
            )
        _require(
            self.tests is None or not self.shrink,
            "the inputs of tests are not reduced",
            "of the failing tests, the shortest run is explained",
        )


@dataclass(frozen=True, kw_only=True)
class MethodSettings:
    """Options of single methods, which have them as fields; None or empty where the method's own default holds."""

    depth: int | None = None
    path_conditions: bool | None = None
    without: tuple[str, ...] = ()
    annotations: Path | None = None
    inputs: Inputs | None = None
    pre: str | None = None
    flow_insensitive: bool | None = None
    method_options: tuple[tuple[str, str, str], ...] = ()  # method, field, value: for fields that have no flag

    def __post_init__(self) -> None:
        _check_count("depth", self.depth, least=0)
        _require(
            self.pre is None or self.pre.strip(),
            "the precondition is empty",
            "write a condition, such as --pre 'n > 0'",
        )
        _require(self.inputs in (None, "pinned", "free"), f"inputs must be 'pinned' or 'free', not {self.inputs!r}")

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings by the names of the methods' fields, without those that are for one method only."""
        names = (field.name for field in fields(MethodSettings))
        return {name: getattr(self, name) for name in names if name != "method_options"}


@dataclass(frozen=True, kw_only=True)
class Options(ProgramOptions, RunOptions, AnalysisOptions, MethodSettings):
    """All options of one explanation. A value that makes no sense is a UsageError."""

    def __post_init__(self) -> None:
        for group in GROUPS:
            group.__post_init__(self)
        alone = self.expect_stdout is None and self.expect_exit is None and not self.args and self.stdin is None
        _require(
            self.tests is None or alone,
            "tests bring their own arguments, input and expectations",
            "leave out --tests, or the arguments, --stdin, --expect-stdout and --expect-exit",
        )
        _require(
            self.witness is None or self.tests is None, "a witness is for one run", "leave out --tests, or --witness"
        )

    @property
    def given(self) -> tuple[str, ...]:
        """The names of the options that do not have their default value."""
        return tuple(field.name for field in fields(self) if getattr(self, field.name) != field.default)


GROUPS = (ProgramOptions, RunOptions, AnalysisOptions, MethodSettings)


def make_options(sources: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], **knobs: Any) -> Options:
    """Options from the values that people write: lists for tuples, text for bytes, strings for paths.

    `env` may be a mapping, `method_options` a mapping of mappings: `{"recent": {"max_commits": 5}}`.
    For `stdin` and `expect_stdout`, text is the content and a `Path` is a file.
    """
    given = [sources] if isinstance(sources, str | os.PathLike) else list(sources)
    names = {field.name for field in fields(Options)}
    unknown = sorted(set(knobs) - names)
    if unknown:
        raise TypeError(f"explain() has no option {unknown[0]!r}{did_you_mean(unknown[0], names)}")
    return Options(
        sources=tuple(Path(source) for source in given),
        **{name: _normalised(name, value) for name, value in knobs.items()},
    )


_TUPLES = frozenset(
    {"args", "cflags", "includes", "defines", "libs", "methods", "trust", "benign", "guilty", "unmark", "without"}
)


def _normalised(name: str, value: Any) -> Any:
    if name in _TUPLES:
        if isinstance(value, str):
            raise UsageError(f"{name} must be a list of strings, not the string {value!r}")
        return tuple(os.fspath(item) if isinstance(item, os.PathLike) else str(item) for item in value)
    if name == "nondet":
        return tuple(value)
    if name == "method_options" and isinstance(value, Mapping):
        return tuple((method, key, str(item)) for method, own in value.items() for key, item in own.items())
    if name == "env" and isinstance(value, Mapping):
        return tuple((str(key), str(item)) for key, item in value.items())
    if name in ("stdin", "expect_stdout") and isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    if name == "expect_stdout" and isinstance(value, os.PathLike):
        return read_bytes(Path(value))
    if name in ("tests", "marks", "witness", "annotations") and isinstance(value, str):
        return Path(value)
    return value


def _require(condition: object, message: str, hint: str = "") -> None:
    if not condition:
        raise UsageError(message, hint=hint)


def _check_words(words: Iterable[str]) -> None:
    for text in words:
        _require("\0" not in text, f"{text!r} contains a NUL character, which no argument can hold")


def _check_seconds(name: str, seconds: float) -> None:
    _require(seconds > 0 and math.isfinite(seconds), f"{name} must be a positive number of seconds, not {seconds}")


def _check_count(name: str, count: int | None, least: int = 1) -> None:
    _require(count is None or count >= least, f"{name} must be at least {least}, not {count}")
