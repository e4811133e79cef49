"""What one print statement would have had to write for the output to be right, all others unchanged.

This works on text alone: the pieces that were written, by whom, and the expected output. A rewrite of one statement's
output is classified by how much it looks like a slip in that statement: another text, another way to write the same
numbers, numbers that are all off by the same amount. A text that another statement writes, or numbers that merely
differ, suggest that something went wrong earlier.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
_NUMBER = re.compile(rb"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.]*[A-Za-z_])|\d+(?:\.\d+)?")
MAX_ALIGNMENTS_PER_PIECE = 60  # occurrences of the following text that may end a rewritten piece: short texts recur
MIN_SIMILARITY_OF_MISSPELLING = 0.5  # less similar texts are two texts, not one misspelt
MAX_ROUNDING_ERROR = 1e-3  # relative, between two ways to write one number
MAX_OFF_BY = 2  # larger differences are no slips such as a wrong bound
_WORD_VALUES = 1 << 32  # differences of multiples of it come from a cut to 32 bits
MIN_MODULUS = 10  # smaller numbers reduce too many others to the expected ones by chance
MAX_OUTPUT_BYTES = 200_000  # alignment takes quadratic time at worst


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A change of one statement's texts that makes the whole output right.

    Its kind: `unwritten`: it writes nothing; `once`: one text of it is left out; `text`: other words; `other`: words
    that are written elsewhere or have nothing in common with the old ones; `layout`: the same numbers in another
    format; `shift`: several numbers that are all off by the same amount; `near`: the only number is off by one or two;
    `remainder`: numbers that should have been taken modulo a number of the program; `wrap`: numbers cut to 32 bits.
    """

    kind: str
    before: bytes
    after: bytes


@dataclass(frozen=True, slots=True)
class ProgramConstants:
    """The constants of the program: the texts that it could have written instead, and its numbers."""

    texts: bytes = b""
    numbers: frozenset[int] = frozenset()


def rewrites(
    written: Sequence[tuple[K, bytes]], expected: bytes, writers: Iterable[K], program: ProgramConstants
) -> Iterator[tuple[K, Rewrite]]:
    """For each of some writers the rewrite that makes the output the expected one, where there is one.

    `written` says who wrote what, in order.
    """
    if len(expected) > MAX_OUTPUT_BYTES or sum(len(text) for _, text in written) > MAX_OUTPUT_BYTES:
        return
    for writer in dict.fromkeys(writers):
        found = _left_out(written, expected, writer) or _rewritten(written, expected, writer, program)
        if found is not None:
            yield writer, found


def _left_out(written: Sequence[tuple[K, bytes]], expected: bytes, writer: K) -> Rewrite | None:
    own = [k for k, (w, text) in enumerate(written) if w == writer and text]
    if b"".join(text for w, text in written if w != writer) == expected:
        return Rewrite("unwritten", written[own[0]][1], b"") if own else None
    for k in (own[0], own[-1]) if len(own) > 1 else ():
        if b"".join(text for j, (_, text) in enumerate(written) if j != k) == expected:
            return Rewrite("once", written[k][1], b"")
    return None


def _rewritten(
    written: Sequence[tuple[K, bytes]], expected: bytes, writer: K, program: ProgramConstants
) -> Rewrite | None:
    pairs = _aligned(written, expected, writer)
    if not pairs:
        return None
    changed = [(old, new) for old, new in pairs if old != new]
    kind = _kind(pairs, program) if changed else None
    return None if kind is None else Rewrite(kind, *changed[0])


def _aligned(written: Sequence[tuple[K, bytes]], expected: bytes, writer: K) -> list[tuple[bytes, bytes]]:
    """What the writer wrote and should have written, piece by piece; empty when no rewrite makes the output right."""
    groups = [(own, b"".join(text for _, text in part)) for own, part in groupby(written, lambda row: row[0] == writer)]
    pairs: list[tuple[bytes, bytes]] = []
    at = 0
    for k, (own, text) in enumerate(groups):
        if not own:
            if not expected.startswith(text, at):
                return []
            at += len(text)
            continue
        end = _end(expected, at, text, groups[k + 1][1] if k + 1 < len(groups) else None)
        if end is None:
            return []
        pairs.append((text, expected[at:end]))
        at = end
    return pairs if at == len(expected) else []


def _end(expected: bytes, at: int, old: bytes, following: bytes | None) -> int | None:
    """The end of the new text: before the following text, with as many numbers in it as in the old one."""
    if following is None:
        return len(expected)
    count = len(_NUMBER.findall(old))
    end = expected.find(following, at)
    for _ in range(MAX_ALIGNMENTS_PER_PIECE):
        if end < 0 or len(_NUMBER.findall(expected[at:end])) == count:
            break
        end = expected.find(following, end + 1)
    return end if end >= 0 else None


def _kind(pairs: Sequence[tuple[bytes, bytes]], program: ProgramConstants) -> str | None:
    numbers = [(_NUMBER.findall(old), _NUMBER.findall(new)) for old, new in pairs]
    if any(len(old) != len(new) for old, new in numbers):
        return None
    old_numbers, new_numbers = [n for old, _ in numbers for n in old], [n for _, new in numbers for n in new]
    if old_numbers == new_numbers:
        return "other" if any(_is_other(old, new, program.texts) for old, new in pairs if old != new) else "text"
    if all(_same_value(a, b) for a, b in zip(old_numbers, new_numbers, strict=True)):
        return "layout"
    try:
        return _arithmetic([int(n) for n in old_numbers], [int(n) for n in new_numbers], program.numbers)
    except ValueError:
        return None


def _arithmetic(old: Sequence[int], new: Sequence[int], numbers: Iterable[int]) -> str | None:
    """How integers differ, if they all differ in the same way."""
    gaps = {b - a for a, b in zip(old, new, strict=True)}
    if all(gap % _WORD_VALUES == 0 for gap in gaps):
        return "wrap"
    if len(gaps) == 1 and abs(next(iter(gaps))) <= MAX_OFF_BY:
        return "shift" if len(set(old)) > 1 else "near"
    if any(n >= MIN_MODULUS and all(a % n == b for a, b in zip(old, new, strict=True)) for n in numbers):
        return "remainder"
    return None


def _is_other(old: bytes, new: bytes, elsewhere: bytes) -> bool:
    """Whether one text is not the other misspelt: they have little in common, or the program contains the new one."""
    words = new.strip()
    if words and words != old.strip() and words in elsewhere:
        return True
    a, b = old.decode("latin-1"), new.decode("latin-1")
    if not a.strip() or not b.strip():
        return False
    return SequenceMatcher(None, a, b, autojunk=False).ratio() < MIN_SIMILARITY_OF_MISSPELLING


def _same_value(a: bytes, b: bytes) -> bool:
    x, y = float(a), float(b)
    return abs(x - y) <= MAX_ROUNDING_ERROR * max(abs(x), abs(y)) and (
        a == b or b"." in a or b"." in b or int(float(a)) == int(float(b))
    )
