"""The programs under tests/programs: what their head comments and markers say."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from butfor.options import Options

FOLDER = Path(__file__).parent / "programs"
_DIRECTIVE = re.compile(r"\s*\*?\s*([a-z-]+):\s?(.*?)\s*$")
_MARKER = re.compile(r"@(fail|cause|clean|omission)\b")


@dataclass(frozen=True, slots=True)
class Program:
    """One program with its expectation; lines are those that carry a marker."""

    path: Path
    head: dict[str, list[str]]
    fail: frozenset[int]
    cause: frozenset[int]
    clean: frozenset[int]
    omission: frozenset[int]

    def one(self, key: str) -> str | None:
        """The value of a directive that stands once."""
        return self.head[key][0] if key in self.head else None

    @property
    def options(self) -> Options:
        """The options that the head asks for."""
        stdin, expect = self.one("stdin"), self.one("expect-stdout")
        return Options(
            sources=(self.path,),
            args=tuple(shlex.split(self.one("args") or "")),
            stdin=None if stdin is None else json.loads(stdin).encode(),
            env=tuple((k, v) for k, _, v in (e.partition("=") for e in self.head.get("env", []))),
            nondet=tuple(int(x) for x in (self.one("nondet") or "").split()),
            cflags=tuple(shlex.split(self.one("cflags") or "")),
            libs=tuple(x.removeprefix("-l") for x in shlex.split(self.one("libs") or "")),
            expect_stdout=None if expect is None else json.loads(expect).encode(),
            expect_exit=None if self.one("expect-exit") is None else int(self.one("expect-exit") or "0"),
            time_limit=float(self.one("limit") or "10"),
            step_limit=None if self.one("steps") is None else int(self.one("steps") or "0"),
            check=self.one("failure") != "no-end",
        )


def read(path: Path) -> Program:
    """The program in a file."""
    text = path.read_text("latin-1")
    head: dict[str, list[str]] = {}
    for line in text[text.index("/*") + 2 : text.index("*/")].splitlines():
        m = _DIRECTIVE.match(line)
        if m:
            head.setdefault(m[1], []).append(m[2])
    marked: dict[str, set[int]] = {"fail": set(), "cause": set(), "clean": set(), "omission": set()}
    for number, line in enumerate(text.splitlines(), 1):
        for m in _MARKER.finditer(line):
            marked[m[1]].add(number)
    return Program(path, head, *(frozenset(marked[k]) for k in ("fail", "cause", "clean", "omission")))


def programs() -> list[Program]:
    """All programs, by name."""
    return [read(p) for p in sorted(FOLDER.glob("*.c"))]
