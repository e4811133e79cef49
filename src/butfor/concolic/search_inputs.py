"""Program inputs as named variables, and how a solver's model becomes another input.

Names of variables: `s3` byte 3 of standard input, `a1_0` byte 0 of the first argument (its terminator counts as a
byte), `n2` the third nondeterministic value, `argc`; `more` is 1 when standard input goes on where it ended, `keep3` is
0 when it ends at byte 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from butfor.frontends.c.run_program import RunSpec
from butfor.ir.machine_types import signed_value

STDIN = 0  # the place of standard input; arguments are 1, 2, ...
MAX_ARGUMENTS = 8  # of an input that is made: each one more multiplies the paths
MAX_TEXT_BYTES = 1 << 16  # of a text that is lengthened: enough for any buffer of usual size
NEW_ARGUMENT = b"1"
_FILLER = b"A"


@dataclass(frozen=True, slots=True)
class ProgramInput:
    """One input of the program: arguments, standard input, nondeterministic values."""

    args: tuple[bytes, ...] = ()
    stdin: bytes = b""
    nondet: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """The number of bytes and nondeterministic values."""
        return len(self.stdin) + sum(len(a) + 1 for a in self.args) + len(self.nondet)

    def text(self, place: int) -> bytes:
        """Standard input, or an argument; empty where there is none."""
        return self.stdin if place == STDIN else self.args[place - 1] if place <= len(self.args) else b""

    def with_text(self, place: int, text: bytes) -> ProgramInput:
        """This input with another text at a place; arguments end at a zero byte."""
        if place == STDIN:
            return replace(self, stdin=text)
        args = list(self.args) + [NEW_ARGUMENT] * (place - len(self.args))
        args[place - 1] = text.partition(b"\0")[0]
        return replace(self, args=tuple(args))

    def run_spec(self, like: RunSpec) -> RunSpec:
        """The run with this input under the same limits."""
        return replace(
            like,
            args=tuple(a.decode("utf-8", "surrogateescape") for a in self.args),
            stdin=self.stdin,
            nondet=self.nondet,
        )


def input_of(spec: RunSpec) -> ProgramInput:
    """The input of a run."""
    return ProgramInput(tuple(a.encode("utf-8", "surrogateescape") for a in spec.args), spec.stdin, spec.nondet)


@dataclass(frozen=True, slots=True)
class Splice:
    """A replacement for bytes `start` to `end` of the text at a place."""

    place: int
    start: int
    end: int
    text: bytes


@dataclass(frozen=True, slots=True)
class InputField:
    """A number that library code computed from bytes `start` to `end` of a text; another number rewrites those bytes.

    kind: number (the bytes are its decimal digits), length (the bytes are cut or padded to it).
    """

    kind: str
    place: int
    start: int
    end: int
    bits: int
    is_signed: bool

    def splice(self, value: int, text: bytes) -> Splice:
        """The replacement that gives the field this value."""
        if self.kind == "number":
            shown = signed_value(value, self.bits) if self.is_signed else value
            return Splice(self.place, self.start, self.end, str(shown).encode())
        old = text[self.start : self.end]
        return Splice(
            self.place,
            self.start,
            self.end,
            (old + (old[-1:].strip() or _FILLER) * min(value, MAX_TEXT_BYTES))[: min(value, MAX_TEXT_BYTES)],
        )


def with_splices(given: ProgramInput, splices: Iterable[Splice]) -> ProgramInput:
    """The input with these replacements; of overlapping ones the first wins."""
    result = given
    done: list[Splice] = []
    for s in splices:
        if all(s.place != d.place or s.end <= d.start or s.start >= d.end for d in done):
            done.append(s)
    for s in sorted(done, key=lambda s: (s.place, s.start), reverse=True):
        text = result.text(s.place)
        result = result.with_text(s.place, text[: s.start] + s.text + text[s.end :])
    return result


def input_from_model(given: ProgramInput, model: Mapping[str, int], fields: Mapping[str, InputField]) -> ProgramInput:
    """The input that a solver's model describes; what the model does not name stays as it is."""
    result = _with_arguments(given, model)
    stdin, ends = bytearray(given.stdin), len(given.stdin)
    nondet = list(given.nondet)
    for name, value in model.items():
        if name[0] == "s" and int(name[1:]) < len(stdin):
            stdin[int(name[1:])] = value
        elif name.startswith("keep") and not value:
            ends = min(ends, int(name[4:]))
        elif name[0] == "n" and name[1:].isdigit():
            nondet += [0] * (int(name[1:]) + 1 - len(nondet))
            nondet[int(name[1:])] = value
    if model.get("more") and ends == len(given.stdin):
        stdin += bytes([model.get(f"s{len(stdin)}", 10)])
    result = replace(result, stdin=bytes(stdin[:ends] if ends < len(given.stdin) else stdin), nondet=tuple(nondet))
    moved = {name: f for name, f in fields.items() if name in model}
    return with_splices(result, [f.splice(model[name], given.text(f.place)) for name, f in moved.items()])


def _with_arguments(given: ProgramInput, model: Mapping[str, int]) -> ProgramInput:
    args = [bytearray(a) + b"\0" for a in given.args]
    for name, value in model.items():
        if name[0] == "a" and name != "argc":
            number, _, at = name[1:].partition("_")
            if int(number) <= len(args) and int(at) < len(args[int(number) - 1]):
                args[int(number) - 1][int(at)] = value
    count = min(max(model.get("argc", len(args) + 1) - 1, 0), MAX_ARGUMENTS)
    texts = [bytes(a).partition(b"\0")[0] for a in args][:count]
    return replace(given, args=tuple(texts + [NEW_ARGUMENT] * (count - len(texts))))
