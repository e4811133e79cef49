"""Texts in memory, and the part of the input that they come from."""

from __future__ import annotations

import re
from dataclasses import dataclass

from butfor.concolic.search_inputs import STDIN
from butfor.concolic.shadow_state import Shadow
from butfor.logic.terms import Term

_MAX_TOKEN_BYTES = 4096  # longer texts are not words that a program interprets
_NUMBER = re.compile(rb"[ \t\n\v\f\r]*([-+]?[0-9]*)")
_WORD = re.compile(rb"[^ \t\n\v\f\r,;:=]*")


@dataclass(frozen=True, slots=True)
class InputToken:
    """Bytes `start` to `end` of standard input or an argument; `is_empty` when they are not the number looked for."""

    place: int
    start: int
    end: int
    is_empty: bool = False


def origin(term: Term | None) -> tuple[int, int] | None:
    """The place and position in the input of an unchanged byte of it; None for other terms."""
    if term is None or term.op != "var" or term.width != 8:
        return None
    name = str(term.data)
    if name[0] == "s":
        return STDIN, int(name[1:])
    if name[0] == "a":
        number, _, at = name[1:].partition("_")
        return int(number), int(at)
    return None


def token_at(shadow: Shadow, address: int | None) -> InputToken | None:
    """The part of the input that the text at an address is an unchanged copy of."""
    if address is None:
        return None
    first = origin(shadow.memory.byte(address)[0])
    if first is None:
        return None
    place, start = first
    end = start
    whole = shadow.given.text(place)
    for k, (term, value) in enumerate(shadow.memory.text(address, _MAX_TOKEN_BYTES)):
        if not value or origin(term) != (place, start + k) or start + k >= len(whole):
            break
        end = start + k + 1
    return InputToken(place, start, end)


def text_at(shadow: Shadow, address: int, most: int = 256) -> bytes:
    """The text at an address, up to its end, its first unknown byte or `most`."""
    out = bytearray()
    for _, byte in shadow.memory.text(address, most):
        if not byte:
            break
        out.append(byte)
    return bytes(out)


def number_of(shadow: Shadow, address: int | None) -> InputToken | None:
    """The number at the start of the text at an address; where there is none, the word at its place."""
    token = token_at(shadow, address)
    return None if token is None else number_in(shadow.given.text(token.place), token)


def number_in(text: bytes, token: InputToken) -> InputToken:
    """The number at the start of a token; where there is none, the word at its place."""
    found = _NUMBER.match(text, token.start, token.end)
    assert found is not None
    if found[1].strip(b"+-"):
        return InputToken(token.place, found.start(1), found.end(1))
    word = _WORD.match(text, found.start(1), token.end)
    assert word is not None
    return InputToken(token.place, word.start(), word.end(), is_empty=True)
