"""Random mutations of a given input: on most of them the fault does not show, so the program is right."""

from __future__ import annotations

import os
import random
import re
import zlib
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from butfor.frontends.c.run_program import RunSpec

_INTEGER = re.compile(r"[-+]?\d{1,18}\Z")
_REAL = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+)(?:[eE][-+]?\d+)?\Z")
_TOKEN = re.compile(rb"[-+]?\d+(?:\.\d+)?|[A-Za-z_]\w*|[^\s\w]|\s+")

_MAX_ATTEMPTS_PER_INPUT = 8  # a short input has few different mutations
_SEED_BYTES = 65536  # of standard input
_LONG_WORD_BYTES = 8  # a word of so many may have been too long for the program
_LONG_WORD = re.compile(rb"\w{%d,}" % _LONG_WORD_BYTES)
_MAX_WORDS_CUT = 3  # of standard input, the longest ones


def similar_inputs(spec: RunSpec, count: int) -> Iterator[RunSpec]:
    """Up to `count` different inputs made from this one by small changes, the same ones every time."""
    known = {(spec.args, spec.stdin, spec.nondet)}
    for new in chain(_with_shorter_words(spec), _with_mutations(spec, _MAX_ATTEMPTS_PER_INPUT * count)):
        key = (new.args, new.stdin, new.nondet)
        if key not in known:
            known.add(key)
            yield new
            if len(known) > count:
                return


def _with_shorter_words(spec: RunSpec) -> Iterator[RunSpec]:
    """The input with one of its longest words cut to half: what was too long for the program may fit then."""
    longest = sorted(set(_LONG_WORD.findall(spec.stdin[:_SEED_BYTES])), key=len, reverse=True)[:_MAX_WORDS_CUT]
    for word in longest:
        yield replace(spec, stdin=spec.stdin.replace(word, word[: len(word) // 2]))
    for k, word in enumerate(spec.args):
        if len(word) >= _LONG_WORD_BYTES and not os.path.exists(word):
            yield replace(spec, args=(*spec.args[:k], word[: len(word) // 2], *spec.args[k + 1 :]))


def _with_mutations(spec: RunSpec, attempts: int) -> Iterator[RunSpec]:
    seed = zlib.crc32(repr((spec.args, spec.nondet)).encode("utf-8", "surrogateescape") + spec.stdin[:_SEED_BYTES])
    pick = random.Random(seed)
    parts = [
        part for part, there in (("args", spec.args), ("stdin", spec.stdin.strip()), ("nondet", spec.nondet)) if there
    ]
    size = max(4, min(40, len(spec.args) + len(spec.nondet) + len(_TOKEN.findall(spec.stdin)) // 2))
    mutations = (1, 2, 1 + size // 4, 1 + size // 2, size)  # from near inputs to far ones in turn
    for attempt in range(attempts if parts else 0):
        new = spec
        for _ in range(mutations[attempt % len(mutations)]):
            new = _mutated(new, pick.choice(parts), pick)
        yield new


def _mutated(spec: RunSpec, part: str, pick: random.Random) -> RunSpec:
    if part == "args":
        return replace(spec, args=_mutated_arguments(spec.args, pick))
    if part == "stdin":
        return replace(spec, stdin=_mutated_text(spec.stdin, pick))
    numbers = list(spec.nondet)
    k = pick.randrange(len(numbers))
    numbers[k] = _mutated_integer(numbers[k], pick)
    return replace(spec, nondet=tuple(numbers))


def _mutated_arguments(args: tuple[str, ...], pick: random.Random) -> tuple[str, ...]:
    words = list(args)
    k = pick.randrange(len(words))
    if _INTEGER.match(words[k]) or _REAL.match(words[k]):
        if pick.random() < 0.15:
            other = pick.randrange(len(words))
            words[k], words[other] = words[other], words[k]
        else:
            words[k] = _mutated_number(words[k], pick)
    elif not os.path.exists(words[k]):
        words[k] = (
            _mutated_text(words[k].encode("utf-8", "surrogateescape"), pick)
            .replace(b"\0", b"")
            .decode("utf-8", "surrogateescape")
        )
    return tuple(words)


def _mutated_number(text: str, pick: random.Random) -> str:
    if _INTEGER.match(text):
        return str(_mutated_integer(int(text), pick))
    value = float(text)
    return f"{pick.choice((value + 1, value - 1, value * 2, value / 2, -value, 0.0, value + pick.uniform(-2, 2))):g}"


def _mutated_integer(n: int, pick: random.Random) -> int:
    far = abs(n) + 2
    return pick.choice(
        (
            n + 1,
            n - 1,
            n + pick.randint(2, 9),
            n - pick.randint(2, 9),
            0,
            1,
            2 * n,
            n // 2,
            pick.randint(0, far),
            pick.randint(0, far),
            -n,
        )
    )


def _mutated_text(data: bytes, pick: random.Random) -> bytes:
    """The text with a line or a token deleted, repeated, moved or changed."""
    lines = data.splitlines(keepends=True)
    kind = pick.random()
    if len(lines) > 1 and kind < 0.4:
        k, other = pick.randrange(len(lines)), pick.randrange(len(lines))
        if kind < 0.15:
            del lines[k]
        elif kind < 0.25:
            lines.insert(other, lines[k])
        else:
            lines[k], lines[other] = lines[other], lines[k]
        return b"".join(lines)
    tokens = _TOKEN.findall(data)
    if not tokens:
        return data + b"a"
    k = pick.randrange(len(tokens))
    if re.fullmatch(rb"[-+]?\d+(?:\.\d+)?", tokens[k]) and kind < 0.85:
        tokens[k] = _mutated_number(tokens[k].decode(), pick).encode()
    elif kind < 0.6:
        del tokens[k]
    elif kind < 0.75:
        tokens.insert(pick.randrange(len(tokens)), tokens[k])
    elif kind < 0.9:
        tokens[k] = tokens[pick.randrange(len(tokens))]
    else:
        at = pick.randrange(len(tokens[k]))
        tokens[k] = tokens[k][:at] + bytes([pick.choice(b"aZ09 _-x")]) + tokens[k][at + 1 :]
    return b"".join(tokens)
