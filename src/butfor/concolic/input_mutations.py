"""Random mutations of inputs, with the words and numbers that occur in the program."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace

from butfor.concolic.search_inputs import MAX_ARGUMENTS, ProgramInput

_TOKEN = re.compile(rb"[-+]?\d+|[A-Za-z_]\w*|\s+|.", re.DOTALL)
_NUMBERS = (0, 1, -1, 2, 3, 4, 5, 7, 8, 9, 10, 16, 100, 127, 128, 255, 256, 1000, 65535, 2**31 - 1, -(2**31))
_MAX_MUTATED_LENGTH = 512  # bytes of a text, values of a list: longer inputs only make runs slower


class Mutator:
    """Random mutations, the same ones in every search. `words` and `numbers` are those of the program."""

    def __init__(self, words: Sequence[bytes], numbers: Sequence[int], reads: frozenset[str]) -> None:
        self.pick = random.Random(1)
        self.numbers = tuple(dict.fromkeys((*_NUMBERS, *(n + d for n in numbers for d in (-1, 0, 1)))))
        characters = [bytes([n]) for n in numbers if 32 <= n < 127 or n in (9, 10)]
        self.words = tuple(dict.fromkeys((*words, *characters, b" ", b"\n", b"a", b"A", b"0", b"1", b",", b"-")))
        self.reads = sorted(reads) or ["stdin"]

    def change(self, given: ProgramInput, other: ProgramInput) -> ProgramInput:
        """The input with one to four mutations; `other` lends parts."""
        result = given
        for _ in range(self.pick.choice((1, 1, 2, 2, 3, 4))):
            match self.pick.choice(self.reads):
                case "args":
                    result = replace(result, args=self._arguments(list(result.args), other.args))
                case "nondet":
                    result = replace(result, nondet=self._values(list(result.nondet)))
                case _:
                    result = replace(result, stdin=self._text(result.stdin, other.stdin))
        return result

    def _word(self) -> bytes:
        return (
            self.pick.choice(self.words) if self.pick.random() < 0.6 else str(self.pick.choice(self.numbers)).encode()
        )

    def _text(self, text: bytes, other: bytes) -> bytes:
        pick = self.pick
        tokens = _TOKEN.findall(text)
        others = _TOKEN.findall(other)
        at = pick.randrange(len(tokens) + 1)
        end = min(len(tokens), at + pick.choice((1, 1, 1, 2, 4)))
        kind = pick.random()
        if kind < 0.3 and at < len(tokens):
            tokens[at:end] = [self._like(tokens[at])]
        elif kind < 0.5:
            gap = [b" "] if at and tokens[at - 1].isalnum() else []
            tokens[at:at] = [*gap, self._word(), *(pick.choice(([], [b" "], [b"\n"])))]
        elif kind < 0.6:
            del tokens[at:end]
        elif kind < 0.75:
            tokens[at:at] = tokens[max(0, at - pick.choice((2, 4, 6))) : at]
        elif kind < 0.85 and others:
            start = pick.randrange(len(others))
            tokens[at:] = others[start : start + 8]
        elif tokens and at < len(tokens) and len(tokens[at]):
            token = tokens[at]
            k = pick.randrange(len(token))
            tokens[at] = token[:k] + bytes([pick.randrange(256)]) + token[k + 1 :]
        else:
            tokens.append(b"\n" + self._word() + b"\n")
        return b"".join(tokens)[:_MAX_MUTATED_LENGTH]

    def _like(self, token: bytes) -> bytes:
        if re.fullmatch(rb"[-+]?\d+", token):
            return str(
                self.pick.choice(
                    (int(token) + 1, int(token) - 1, self.pick.choice(self.numbers), self.pick.randint(0, 9))
                )
            ).encode()
        return token + token if self.pick.random() < 0.1 else self._word()

    def _arguments(self, args: list[bytes], other: tuple[bytes, ...]) -> tuple[bytes, ...]:
        at = self.pick.randrange(len(args) + 1)
        kind = self.pick.random()
        if kind < 0.25 and len(args) < MAX_ARGUMENTS:
            args.insert(at, self._word())
        elif kind < 0.35 and at < len(args):
            del args[at]
        elif at < len(args):
            args[at] = self._text(args[at], b" ".join(other))
        return tuple(a.replace(b"\0", b"") for a in args)

    def _values(self, values: list[int]) -> tuple[int, ...]:
        at = self.pick.randrange(len(values) + 1)
        kind = self.pick.random()
        value = self.pick.choice((self.pick.choice(self.numbers), self.pick.randint(0, 9))) & (2**64 - 1)
        if kind < 0.3 or at == len(values):
            values.insert(at, value)
        elif kind < 0.4:
            del values[at]
        elif kind < 0.5:
            values[at:at] = values[max(0, at - 2) : at]
        else:
            values[at] = value
        return tuple(values[:_MAX_MUTATED_LENGTH])
