"""Texts in memory, and where in the input they were read from."""

from __future__ import annotations

import re
from dataclasses import dataclass

from butfor.concolic.search_inputs import STDIN
from butfor.concolic.shadow_state import Shadow
from butfor.logic.terms import Term

_LONGEST = 4096
_NUMBER = re.compile(rb"[ \t\n\v\f\r]*([-+]?[0-9]*)")
_WORD = re.compile(rb"[^ \t\n\v\f\r,;:=]*")


@dataclass(frozen=True, slots=True)
class Token:
    """Bytes start to end of standard input or an argument; `is_empty` when they are no number though one was looked for."""

    place: int
    start: int
    end: int
    is_empty: bool = False


def origin(term: Term | None) -> tuple[int, int] | None:
    """The place and position of a byte that is an unchanged byte of the input."""
    if term is None or term.op != "var" or term.width != 8:
        return None
    name = str(term.data)
    if name[0] == "s":
        return STDIN, int(name[1:])
    if name[0] == "a":
        number, _, at = name[1:].partition("_")
        return int(number), int(at)
    return None


def token_at(shadow: Shadow, address: int | None) -> Token | None:
    """The bytes of the input that lie at an address up to the end of the text, if they are there unchanged and in order."""
    if address is None:
        return None
    first = origin(shadow.memory.byte(address)[0])
    if first is None:
        return None
    place, start = first
    end = start
    whole = shadow.given.text(place)
    for k, (term, value) in enumerate(shadow.memory.text(address, _LONGEST)):
        if not value or origin(term) != (place, start + k) or start + k >= len(whole):
            break
        end = start + k + 1
    return Token(place, start, end)


def text_at(shadow: Shadow, address: int, most: int = 256) -> bytes:
    """The text at an address, up to its end, the first byte that is not known or `most`."""
    out = bytearray()
    for _, byte in shadow.memory.text(address, most):
        if not byte:
            break
        out.append(byte)
    return bytes(out)


def number_of(shadow: Shadow, address: int | None) -> Token | None:
    """The number at the beginning of a text of the input; where none is, the word that stands there."""
    token = token_at(shadow, address)
    return None if token is None else number_in(shadow.given.text(token.place), token)


def number_in(text: bytes, token: Token) -> Token:
    """The number at the beginning of a token; where none is, the word that stands there."""
    found = _NUMBER.match(text, token.start, token.end)
    assert found is not None
    if found[1].strip(b"+-"):
        return Token(token.place, found.start(1), found.end(1))
    word = _WORD.match(text, found.start(1), token.end)
    assert word is not None
    return Token(token.place, word.start(), word.end(), is_empty=True)
