"""What a print statement would have had to write for the output to be right, when all others write what they wrote.

Pure text: what was written in pieces, by whom, and what was expected. A change of what one statement writes, the same wherever it writes, is told
apart by how much it looks like a slip in that statement: another text, another way to write the same numbers, numbers that are all off by the
same amount. A text that another statement writes, or numbers that merely differ, say that something else went wrong earlier.
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
_MOST_TRIED = 60  # places at which the text after a changed one is looked for
_ALIKE = 0.5  # similarity from which on one text is a misspelt other one
_CLOSE = 1e-3  # of two ways to write one number
_FAR = 2  # the largest amount by which a number is off by a slip
_WORD = 1 << 32
_LEAST_REDUCED = 9  # by smaller numbers too many others are reduced to what is expected
_LONGEST = 200_000  # bytes of output that are looked at


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A change of what one statement writes that makes the whole output right.

    kind: `unwritten` it writes nothing, `once` one text of it is left out, `text` other words, `other` words that are written elsewhere or have
    nothing in common, `layout` the same numbers written otherwise, `shift` several numbers that are all off by the same amount, `near` the only
    number is off by one or two, `remainder` numbers that should have been reduced by a number of the program, `wrap` numbers cut to 32 bits.
    """

    kind: str
    before: bytes
    after: bytes
    times: int


@dataclass(frozen=True, slots=True)
class Mentioned:
    """What the program mentions: the texts that it could have written instead, and its numbers."""

    texts: bytes = b""
    numbers: frozenset[int] = frozenset()


def rewrites(
    written: Sequence[tuple[K, bytes]], expected: bytes, writers: Iterable[K], program: Mentioned
) -> Iterator[tuple[K, Rewrite]]:
    """For each of some writers the change of its texts that makes the output the expected one, where there is one. `written`: who wrote what."""
    if len(expected) > _LONGEST or sum(len(text) for _, text in written) > _LONGEST:
        return
    for writer in dict.fromkeys(writers):
        found = _left_out(written, expected, writer) or _rewritten(written, expected, writer, program)
        if found is not None:
            yield writer, found


def _left_out(written: Sequence[tuple[K, bytes]], expected: bytes, writer: K) -> Rewrite | None:
    own = [k for k, (w, text) in enumerate(written) if w == writer and text]
    if b"".join(text for w, text in written if w != writer) == expected:
        return Rewrite("unwritten", written[own[0]][1], b"", len(own)) if own else None
    for k in (own[0], own[-1]) if len(own) > 1 else ():
        if b"".join(text for j, (_, text) in enumerate(written) if j != k) == expected:
            return Rewrite("once", written[k][1], b"", 1)
    return None


def _rewritten(written: Sequence[tuple[K, bytes]], expected: bytes, writer: K, program: Mentioned) -> Rewrite | None:
    pairs = _aligned(written, expected, writer)
    if not pairs:
        return None
    changed = [(old, new) for old, new in pairs if old != new]
    kind = _kind(pairs, program) if changed else None
    return None if kind is None else Rewrite(kind, *changed[0], len(changed))


def _aligned(written: Sequence[tuple[K, bytes]], expected: bytes, writer: K) -> list[tuple[bytes, bytes]]:
    """What the writer wrote and what it would have had to write there, piece by piece; empty when no such change makes the output right."""
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
    """Where the new text ends: before what follows, with as many numbers in it as before."""
    if following is None:
        return len(expected)
    count = len(_NUMBER.findall(old))
    end = expected.find(following, at)
    for _ in range(_MOST_TRIED):
        if end < 0 or len(_NUMBER.findall(expected[at:end])) == count:
            break
        end = expected.find(following, end + 1)
    return end if end >= 0 else None


def _kind(pairs: Sequence[tuple[bytes, bytes]], program: Mentioned) -> str | None:
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
    """How whole numbers differ, when they all differ in the same way."""
    gaps = {b - a for a, b in zip(old, new, strict=True)}
    if all(gap % _WORD == 0 for gap in gaps):
        return "wrap"
    if len(gaps) == 1 and abs(next(iter(gaps))) <= _FAR:
        return "shift" if len(set(old)) > 1 else "near"
    if any(n > _LEAST_REDUCED and all(a % n == b for a, b in zip(old, new, strict=True)) for n in numbers):
        return "remainder"
    return None


def _is_other(old: bytes, new: bytes, elsewhere: bytes) -> bool:
    """Whether a text is not a misspelt other one: they have little in common, or the program has the other one too."""
    words = new.strip()
    if words and words != old.strip() and words in elsewhere:
        return True
    a, b = old.decode("latin-1"), new.decode("latin-1")
    return bool(a.strip()) and bool(b.strip()) and SequenceMatcher(None, a, b, autojunk=False).ratio() < _ALIKE


def _same_value(a: bytes, b: bytes) -> bool:
    x, y = float(a), float(b)
    return abs(x - y) <= _CLOSE * max(abs(x), abs(y)) and (
        a == b or b"." in a or b"." in b or int(float(a)) == int(float(b))
    )
