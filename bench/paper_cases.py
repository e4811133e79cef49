"""Faulty programs in folders as `bench.papers` reads them: `DIR/SUITE/PROGRAM/VERSION/case.json`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from butfor.errors import UsageError
from butfor.options import Options
from butfor.tests_file import TestCase, read_tests

TIME_LIMIT = 5.0  # seconds of one run of a program: the suites' programs take milliseconds
LAYOUT = """\
`DIR/SUITE/PROGRAM/VERSION/` holds the sources of one faulty version and two files:

- `tests.json`: tests in the format of `butfor explain --tests`, with the output of the correct program;
- `case.json`: an object with these keys.

| key | meaning |
|---|---|
| `sources` | files to compile, relative to the folder |
| `cflags`, `libs` | flags for the compiler and libraries to link, may be left out |
| `trust` | functions that are not part of the program, such as those that feed it, may be left out |
| `failing` | the names of the failing tests; the first is the failing run that is explained |
| `faulty` | the faulty lines by file, `{"prog.c": [12, 13]}`; any of them counts as found |
| `failing_in_suite` | how many tests of the whole suite fail, may be left out |

Faulty lines are those that differ from the correct version, comments, white space, braces and prototypes apart. Where
lines are only missing, the lines before and after. For a changed `#define` or declaration, the lines that use it. All
lines of a condition or call that spans several. For a label, also the statement that it leads to.
"""


@dataclass(frozen=True, slots=True)
class Case:
    """One faulty version of a program."""

    folder: Path
    suite: str
    program: str
    version: str
    sources: tuple[str, ...]
    cflags: tuple[str, ...]
    libs: tuple[str, ...]
    trust: tuple[str, ...]
    failing: tuple[TestCase, ...]
    faulty: frozenset[tuple[str, int]]
    failing_in_suite: int | None

    @property
    def name(self) -> str:
        """The folder below the data folder."""
        return f"{self.suite}/{self.program}/{self.version}"

    def options(self, **more: Any) -> Options:
        """The failing run; sources are relative to the folder, which must be the current one."""
        test = self.failing[0]
        return Options(
            sources=tuple(map(Path, self.sources)),
            cflags=self.cflags,
            libs=self.libs,
            trust=self.trust,
            args=test.args,
            stdin=test.stdin,
            nondet=test.nondet,
            expect_stdout=test.expect_stdout,
            expect_exit=test.expect_exit,
            time_limit=TIME_LIMIT,
            **more,
        )

    def options_of_tests(self, **more: Any) -> Options:
        """All tests of the version."""
        return Options(
            sources=tuple(map(Path, self.sources)),
            cflags=self.cflags,
            libs=self.libs,
            trust=self.trust,
            tests=self.folder / "tests.json",
            time_limit=TIME_LIMIT,
            **more,
        )


def read_case(folder: Path) -> Case:
    """The case in a folder; a UsageError says what is wrong with it."""
    file = folder / "case.json"
    try:
        top = json.loads(file.read_text("utf-8"))
        tests = {test.name: test for test in read_tests(folder / "tests.json")} if top["failing"] else {}
        return Case(
            folder,
            suite=folder.parts[-3],
            program=folder.parts[-2],
            version=folder.parts[-1],
            sources=tuple(top["sources"]),
            cflags=tuple(top.get("cflags", ())),
            libs=tuple(top.get("libs", ())),
            trust=tuple(top.get("trust", ())),
            failing=tuple(tests[name] for name in top["failing"]),
            faulty=frozenset((name, line) for name, lines in top["faulty"].items() for line in lines),
            failing_in_suite=top.get("failing_in_suite"),
        )
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise UsageError(f"{file}: {error}") from error
    except KeyError as error:
        raise UsageError(f"{file}: {error.args[0]!r} is missing") from error


def read_cases(data: Path) -> Iterator[Case]:
    """The cases of a data folder that fail in some test, in order; version 2 comes before version 10."""
    folders = {file.parent.absolute() for file in data.glob("*/*/*/case.json")}
    if not folders:
        raise UsageError(
            f"{data} holds no SUITE/PROGRAM/VERSION/case.json", hint="docs/evaluation.md says what it should hold"
        )
    for folder in sorted(folders, key=_in_order):
        case = read_case(folder)
        if case.failing:
            yield case


def _in_order(folder: Path) -> tuple[str, str, int, str]:
    suite, program, version = folder.parts[-3:]
    number = "".join(c for c in version if c.isdigit())
    return suite, program, int(number or 0), version
