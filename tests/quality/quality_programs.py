"""Programs whose story is checked: each states in its first comment how it is run and what must be said of it.

args, stdin, expect, exit, steps: how it is run, and what should have come out (`\n` is a new line)
at: the function where the failure shows
says: a regular expression that the text of the story must match; `not:` one that it must not match
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.c"))
_LINE = re.compile(r"^ \* (args|stdin|expect|exit|steps|at|says|not): ?(.*)$")


@dataclass(slots=True)
class Expectation:
    """How a program is run and what its story must and must not say."""

    path: Path
    args: list[str] = field(default_factory=list)
    stdin: bytes = b""
    expect: bytes | None = None
    exit: int | None = None
    steps: int | None = None
    at: str = ""
    says: list[str] = field(default_factory=list)
    says_not: list[str] = field(default_factory=list)


def expectation(path: Path) -> Expectation:
    """What the first comment of a program states."""
    found = Expectation(path)
    for line in path.read_text().split("*/")[0].splitlines():
        match = _LINE.match(line)
        if match is None:
            continue
        key, text = match[1], match[2]
        if key == "args":
            found.args = text.split()
        elif key in ("stdin", "expect"):
            setattr(found, key, text.encode().decode("unicode_escape").encode("latin-1"))
        elif key in ("exit", "steps"):
            setattr(found, key, int(text))
        elif key == "at":
            found.at = text
        else:
            (found.says if key == "says" else found.says_not).append(text)
    return found
