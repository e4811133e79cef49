"""The inputs of a run as units that can be changed one at a time: arguments, words, variables, files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from butfor.counterfactual.nondet_values import NondetType
from butfor.frontends.c.run_program import RunSpec

_WORD = re.compile(rb"\S+")
_INTEGER = re.compile(r"[-+]?\d{1,18}\Z")
MAX_WORDS_PER_SOURCE = 24  # each costs a dozen runs
MAX_NONDET_VALUES = 16  # as these do
MAX_ADDED_ARGUMENTS = 4  # more are rarely looked at
MAX_FILE_BYTES = 1 << 16  # in larger ones a single word rarely decides about a failure


@dataclass(frozen=True, slots=True)
class InputUnit:
    """The bytes [start, end) of one input."""

    source: str  # argv, argc, stdin, file, env or nondet
    name: str  # the number of an argument, or the name of a file or variable
    start: int  # of a nondet value: the number of the call
    end: int
    text: str  # in the failing run
    nondet: NondetType | None = None

    def fitting(self, text: str) -> str:
        """A text as the program sees it: a nondet value is cut to its type."""
        return text if self.nondet is None or not is_number(text) else str(self.nondet.fitting(int(text)))

    @property
    def shown(self) -> str:
        """The unit as messages name it."""
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
        if self.end - self.start == 1:
            return f", byte {self.start}"
        return f", bytes {self.start} to {self.end - 1}" if self.end > self.start else ""


@dataclass(frozen=True, slots=True)
class RunInputs:
    """All inputs of a run: its specification, and the contents of the files that it may read, by name."""

    spec: RunSpec
    files: tuple[tuple[str, bytes], ...] = ()


def run_inputs(spec: RunSpec, folder: str, literals: Iterable[str]) -> RunInputs:
    """The inputs of a run, with the files that its arguments or literals of the program name."""
    found: dict[str, bytes] = {}
    for name in (*spec.args, *literals):
        path = Path(folder, name)
        try:
            if name and "\0" not in name and path.is_file() and path.stat().st_size <= MAX_FILE_BYTES:
                found[name] = path.read_bytes()
        except OSError:
            continue
    return RunInputs(spec, tuple(found.items()))


def input_units(inputs: RunInputs, variables: Iterable[str], nondet: Sequence[NondetType]) -> list[InputUnit]:
    """All units of a run's inputs; `variables` are those of the environment it reads, `nondet` the values it reads."""
    spec = inputs.spec
    names = {name for name, _ in inputs.files}
    found = [
        InputUnit("argv", str(k + 1), 0, len(a.encode("utf-8", "surrogateescape")), a)
        for k, a in enumerate(spec.args)
        if a not in names
    ]
    found += [] if spec.args else [InputUnit("argv", "1", 0, 0, "")]
    values = zip(_padded(spec.nondet, len(nondet)), nondet, strict=False)  # more may be given than are read
    found += [_nondet(k, value, of_type) for k, (value, of_type) in enumerate(values) if k < MAX_NONDET_VALUES]
    found += _words("stdin", "", spec.stdin)
    given = {**os.environ, **dict(spec.env)}
    found += [InputUnit("env", name, 0, len(given.get(name, "")), given.get(name, "")) for name in variables]
    for name, data in inputs.files:
        found += _words("file", name, data)
    return found


def whole_inputs(inputs: RunInputs) -> list[InputUnit]:
    """The number of arguments and all of standard input, to change if changing parts of them avoids nothing."""
    spec = inputs.spec
    found = [InputUnit("argc", "", 0, 0, str(len(spec.args)))]
    return [*found, InputUnit("stdin", "", 0, len(spec.stdin), _text(spec.stdin))] if spec.stdin else found


def _nondet(number: int, value: int, of_type: NondetType) -> InputUnit:
    return InputUnit("nondet", "", number, number + 1, str(of_type.fitting(value)), of_type)


def _padded(values: tuple[int, ...], count: int) -> tuple[int, ...]:
    return (*values, *([0] * (count - len(values))))


def _words(source: str, name: str, data: bytes) -> list[InputUnit]:
    found = [InputUnit(source, name, m.start(), m.end(), _text(m[0])) for m in _WORD.finditer(data)][
        :MAX_WORDS_PER_SOURCE
    ]
    return [*found, InputUnit(source, name, 0, len(data), _text(data))] if len(found) != 1 else found


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def with_text(inputs: RunInputs, unit: InputUnit, text: str) -> RunInputs | None:
    """The inputs with another text in a unit; None if that is impossible."""
    spec = inputs.spec
    if "\0" in text and unit.source in ("argv", "env"):
        return None
    match unit.source:
        case "argv":
            k = int(unit.name) - 1
            old = (spec.args[k] if k < len(spec.args) else "").encode("utf-8", "surrogateescape")
            return replace(
                inputs,
                spec=replace(spec, args=(*spec.args[:k], _text(_replaced(old, unit, text)), *spec.args[k + 1 :])),
            )
        case "argc":
            count = int(text)
            if not 0 <= count <= len(spec.args) + MAX_ADDED_ARGUMENTS:
                return None
            added = ("1",) * (count - len(spec.args))
            return replace(inputs, spec=replace(spec, args=(*spec.args[:count], *added)))
        case "nondet":
            values = list(_padded(spec.nondet, unit.start + 1))
            values[unit.start] = int(text)
            return replace(inputs, spec=replace(spec, nondet=tuple(values)))
        case "stdin":
            return replace(inputs, spec=replace(spec, stdin=_replaced(spec.stdin, unit, text)))
        case "env":
            return replace(
                inputs, spec=replace(spec, env=(*(e for e in spec.env if e[0] != unit.name), (unit.name, text)))
            )
        case "file":
            return replace(
                inputs, files=tuple((n, _replaced(d, unit, text) if n == unit.name else d) for n, d in inputs.files)
            )
    return None


def _replaced(data: bytes, unit: InputUnit, text: str) -> bytes:
    return data[: unit.start] + text.encode("utf-8", "surrogateescape") + data[unit.end :]


def other_texts(unit: InputUnit) -> Iterator[str]:
    """Other texts for a unit, similar ones first."""
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
