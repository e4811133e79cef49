"""The inputs of a run as units that can be changed one at a time: an argument, a word of standard input, a variable, a file, a nondet value."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from butfor.frontends.c.run_program import RunSpec

_WORD = re.compile(rb"\S+")
_INTEGER = re.compile(r"[-+]?\d{1,18}\Z")
_MOST_WORDS, _MOST_NONDET = 24, 16
MAX_ADDED_ARGUMENTS = 4  # more are rarely looked at
_LONGEST_FILE = 1 << 16


@dataclass(frozen=True, slots=True)
class Unit:
    """The bytes [start, end) of an input: source is argv, argc, stdin, file, env or nondet.

    Of a nondet value it is the number of the call.
    """

    source: str
    name: str
    start: int
    end: int
    text: str  # what it is in the failing run

    @property
    def shown(self) -> str:
        """How people call it."""
        match self.source:
            case "argv":
                return f"argv[{self.name}]"
            case "argc":
                return "the number of arguments"
            case "nondet":
                return f"the value of nondet call {self.start + 1}"
            case "env":
                return f"the environment variable {self.name}"
            case "file":
                return f"the file {self.name}{self._bytes()}"
        return f"standard input{self._bytes()}"

    def _bytes(self) -> str:
        return (
            f", byte {self.start}"
            if self.end - self.start == 1
            else f", bytes {self.start} to {self.end - 1}"
            if self.end > self.start
            else ""
        )


@dataclass(frozen=True, slots=True)
class World:
    """A run with the files that it reads, as far as they may be changed: their content by name."""

    spec: RunSpec
    files: tuple[tuple[str, bytes], ...] = ()


def world_of(spec: RunSpec, folder: str, literals: Iterable[str]) -> World:
    """The run with the files that arguments name, or names that the program itself has."""
    found: dict[str, bytes] = {}
    for name in (*spec.args, *literals):
        path = Path(folder, name)
        try:
            if name and "\0" not in name and path.is_file() and path.stat().st_size <= _LONGEST_FILE:
                found[name] = path.read_bytes()
        except OSError:
            continue
    return World(spec, tuple(found.items()))


def units_of(world: World, variables: Iterable[str], nondet: int) -> list[Unit]:
    """All units of a run: `variables` of the environment that it reads, and the number of nondet values."""
    spec = world.spec
    names = {name for name, _ in world.files}
    found = [
        Unit("argv", str(k + 1), 0, len(a.encode("utf-8", "surrogateescape")), a)
        for k, a in enumerate(spec.args)
        if a not in names
    ]
    found += [] if spec.args else [Unit("argv", "1", 0, 0, "")]
    found += [Unit("nondet", "", k, k + 1, str(v)) for k, v in enumerate(_padded(spec.nondet, nondet)[:_MOST_NONDET])]
    found += _words("stdin", "", spec.stdin)
    given = {**os.environ, **dict(spec.env)}
    found += [Unit("env", name, 0, len(given.get(name, "")), given.get(name, "")) for name in variables]
    for name, data in world.files:
        found += _words("file", name, data)
    return found


def whole_inputs(world: World) -> list[Unit]:
    """The number of arguments and all of standard input: what to change when changing parts of them avoids nothing."""
    spec = world.spec
    found = [Unit("argc", "", 0, 0, str(len(spec.args)))]
    return [*found, Unit("stdin", "", 0, len(spec.stdin), _text(spec.stdin))] if spec.stdin else found


def _padded(values: tuple[int, ...], count: int) -> tuple[int, ...]:
    return (*values, *([0] * (count - len(values))))


def _words(source: str, name: str, data: bytes) -> list[Unit]:
    found = [Unit(source, name, m.start(), m.end(), _text(m[0])) for m in _WORD.finditer(data)][:_MOST_WORDS]
    return [*found, Unit(source, name, 0, len(data), _text(data))] if len(found) != 1 else found


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def put(world: World, unit: Unit, text: str) -> World | None:
    """The run with another text in a unit; None when that cannot be."""
    spec = world.spec
    if "\0" in text and unit.source in ("argv", "env"):
        return None
    match unit.source:
        case "argv":
            k = int(unit.name) - 1
            old = (spec.args[k] if k < len(spec.args) else "").encode("utf-8", "surrogateescape")
            return replace(
                world, spec=replace(spec, args=(*spec.args[:k], _text(_cut(old, unit, text)), *spec.args[k + 1 :]))
            )
        case "argc":
            count = int(text)
            if not 0 <= count <= len(spec.args) + MAX_ADDED_ARGUMENTS:
                return None
            added = ("1",) * (count - len(spec.args))
            return replace(world, spec=replace(spec, args=(*spec.args[:count], *added)))
        case "nondet":
            values = list(_padded(spec.nondet, unit.start + 1))
            values[unit.start] = int(text)
            return replace(world, spec=replace(spec, nondet=tuple(values)))
        case "stdin":
            return replace(world, spec=replace(spec, stdin=_cut(spec.stdin, unit, text)))
        case "env":
            return replace(
                world, spec=replace(spec, env=(*(e for e in spec.env if e[0] != unit.name), (unit.name, text)))
            )
        case "file":
            return replace(
                world, files=tuple((n, _cut(d, unit, text) if n == unit.name else d) for n, d in world.files)
            )
    return None


def _cut(data: bytes, unit: Unit, text: str) -> bytes:
    return data[: unit.start] + text.encode("utf-8", "surrogateescape") + data[unit.end :]


def variants(unit: Unit) -> Iterator[str]:
    """Other texts for a unit, near ones first."""
    text = unit.text
    if _INTEGER.match(text):
        n = int(text)
        tried: Iterable[str] = map(str, (n - 1, n + 1, 0, 1, n // 2, -1, 2 * n, -n, 2, 3, 5, 10, 100, 1000))
    elif unit.source == "nondet":
        tried = ()
    else:
        half = len(text) // 2
        middle = (
            f"{text[:k]}{chr(ord(text[k]) ^ 1)}{text[k + 1 :]}"
            for k in sorted({0, half, len(text) - 1})
            if 0 <= k < len(text)
        )
        tried = (
            *middle,
            text[:-1],
            text[: 3 * len(text) // 4],
            text[:half],
            text[:1],
            "a",
            "1",
            "0",
            text + text,
            "A" * 64,
            "",
        )
    yield from (t for t in dict.fromkeys(tried) if t != text)


def is_number(text: str) -> bool:
    """Whether a text is a plain integer."""
    return _INTEGER.match(text) is not None
