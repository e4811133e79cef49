"""The failing cases of a test run, from its JUnit XML, as runs of programs: a manifest says which case is which run."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from xml.etree import ElementTree as Xml

from butfor.batch.work_items import PlannedRun
from butfor.errors import UsageError
from butfor.files import read_bytes
from butfor.options import Options
from butfor.tests_file import TestCase


@dataclass(frozen=True, slots=True)
class FailingCase:
    """A test case that failed."""

    suite: str  # its class, as JUnit calls it
    name: str

    @property
    def title(self) -> str:
        """How reports and patterns name it."""
        return f"{self.suite}.{self.name}" if self.suite else self.name

    def matches(self, patterns: Iterable[str]) -> bool:
        """Whether one of these patterns is for it, such as `parser.*`."""
        return any(fnmatch.fnmatchcase(self.title, pattern) for pattern in patterns)

    def run(self, options: Options) -> PlannedRun:
        """The run with its name among the arguments, which should end with exit status 0."""
        args = tuple(word.replace("{class}", self.suite).replace("{name}", self.name) for word in options.args)
        expected = 0 if options.expect_exit is None else options.expect_exit
        return PlannedRun(self.title, replace(options, args=args, stdin=b"", expect_exit=expected))

    def test(self, tests: Sequence[TestCase], where: str) -> TestCase:
        """The test of its name."""
        found = [test for test in tests if test.name in (self.name, self.title)]
        if len(found) != 1:
            raise UsageError(f"{where}: {len(found) or 'no'} tests are called {self.name!r}")
        return found[0]


def failing_cases(path: Path) -> tuple[FailingCase, ...]:
    """The cases with a failure or an error, in order, each once."""
    try:
        top = Xml.fromstring(read_bytes(path))
    except Xml.ParseError as error:
        raise UsageError(f"{path}: cannot be read as JUnit XML: {error}") from error
    failing = [case for case in top.iter("testcase") if any(case.find(how) is not None for how in ("failure", "error"))]
    return tuple(dict.fromkeys(FailingCase(case.get("classname", ""), case.get("name", "")) for case in failing))
