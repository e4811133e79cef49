"""The scanf family: numbers become fields, and what a conversion did not find is put into the input."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from butfor.concolic.library_models.input_tokens import Token, number_in, text_at, token_at
from butfor.concolic.library_models.library_call import Call, Taken
from butfor.concolic.library_models.number_models import propose_reals
from butfor.concolic.path_condition import Edit
from butfor.concolic.search_inputs import STDIN, Field, Splice
from butfor.concolic.shadow_state import Shadow
from butfor.ir.machine_types import Type

_CONVERSION = re.compile(rb"%(\*?)(\d*)(hh|h|ll|l|j|z|t|L|q|m)?(\[\^?\]?[^\]]*\]|[a-zA-Z%])")
_SIZES = {b"hh": 8, b"h": 16, None: 32, b"l": 64, b"ll": 64, b"j": 64, b"z": 64, b"t": 64, b"q": 64}
_DIGITS = re.compile(rb"[-+]?[0-9]+")
_LONGEST_FORMAT = 512
_BLANKS = re.compile(rb"[ \t\n\v\f\r]*")


@dataclass(frozen=True, slots=True)
class Piece:
    """One conversion: the text that must come before it, the bits of its target, its letter."""

    before: bytes
    bits: int
    kind: bytes


def scanned(shadow: Shadow, call: Call, value: Any, result: Type, taken: Taken) -> None:
    """Follows what a call of scanf, fscanf or sscanf stored."""
    from_text = "sscanf" in call.name
    at = 0 if "fscanf" not in call.name and not from_text else 1
    conversions = _conversions(shadow, call.args[at]) if isinstance(call.args[at], int) else []
    targets = call.args[at + 1 :]
    signed = value - (1 << 32) if isinstance(value, int) and value >> 31 else value or 0
    if from_text:
        _from_text(shadow, call, conversions, targets, signed)
        return
    if not any(stream == STDIN for _, _, stream, _ in taken):
        return
    shadow.reads.add("stdin")
    shadow.gaps.add(f"the function {call.name}()")
    stored = [row for row in taken if row[0]]
    text = shadow.given.stdin
    for piece, target, row in zip(conversions, targets, stored, strict=False):
        address, length, _, offset = row
        if address == target and offset >= 0:
            token = Token(STDIN, offset, len(text))
            _stored(shadow, call, piece, address, length, number_in(text, token) if piece.kind in b"dinux" else token)
    done = max(signed, 0)
    here = next(
        (offset for address, _, stream, offset in taken if not address and stream == STDIN and offset >= 0), len(text)
    )
    _missing(
        shadow,
        call,
        conversions[done:],
        STDIN,
        max([here, *(_end(text, row[3], p.kind) for p, row in zip(conversions, stored, strict=False))]),
    )


def _end(text: bytes, offset: int, kind: bytes) -> int:
    """Where a conversion that began at an offset ended."""
    if kind in b"dinux":
        return number_in(text, Token(STDIN, offset, len(text))).end
    if kind == b"c":
        return offset + 1
    found = re.compile(rb"[^ \t\n\v\f\r]*").match(text, offset)
    return found.end() if found else offset


def _from_text(shadow: Shadow, call: Call, conversions: list[Piece], targets: tuple[Any, ...], done: int) -> None:
    """sscanf: the positions of the numbers are found by going through the text once more."""
    whole = token_at(shadow, call.args[0])
    if whole is None:
        return
    shadow.gaps.add(f"the function {call.name}()")
    text = shadow.given.text(whole.place)
    at = whole.start
    for piece, target in zip(conversions[: max(done, 0)], targets, strict=False):
        if piece.kind in b"dinux":
            found = _DIGITS.match(text, _after_literal(text, at, piece.before), whole.end)
            if found is None:
                break
            token = Token(whole.place, found.start(), found.end())
            _stored(shadow, call, piece, target, piece.bits // 8, token)
            at = token.end
        else:
            at = max(_after_literal(text, at, piece.before), _stored_length(shadow, target, whole.place))
    _missing(shadow, call, conversions[max(done, 0) :], whole.place, min(at, whole.end) if done > 0 else whole.end)


def _after_literal(text: bytes, at: int, literal: bytes) -> int:
    """Where a conversion begins: after blanks and the text that the format asks for before it."""
    for byte in (*literal, None):
        blanks = _BLANKS.match(text, at)
        at = blanks.end() if blanks else at
        if byte is not None and text[at : at + 1] == bytes([byte]):
            at += 1
    return at


def _stored_length(shadow: Shadow, target: Any, place: int) -> int:
    token = token_at(shadow, target) if isinstance(target, int) else None
    return token.end if token is not None and token.place == place else 0


def _stored(shadow: Shadow, call: Call, piece: Piece, address: int, length: int, token: Token) -> None:
    kind, size = piece.kind, piece.bits
    if kind in b"fegFEG":
        shadow.gaps.add("floating point")
        propose_reals(shadow, call.site, number_in(shadow.given.text(token.place), token))
    if kind not in b"sc[":
        shadow.memory.forget(address, length)  # the bytes of a number are not those of its text
    if kind not in b"diu" or token.is_empty:
        return
    text = shadow.given.text(token.place)[token.start : token.end]
    try:
        value = int(text) & (1 << size) - 1
    except ValueError:
        return
    term = shadow.field(Field("number", token.place, token.start, token.end, size, kind != b"u"), value)
    shadow.memory.write(address, value.to_bytes(size // 8, "little"), term)


def _missing(shadow: Shadow, call: Call, missing: list[Piece], place: int, at: int) -> None:
    """What the conversions that found nothing would have taken, as the format asks for it."""
    if not missing:
        return
    text = shadow.given.text(place)
    if place == STDIN and at >= len(text.rstrip()) and text.strip():
        shadow.edit(
            Edit(
                ("scan again", *call.site, at),
                (Splice(place, len(text), len(text), b"\n" * (not text.endswith(b"\n")) + text),),
            )
        )
    blanks = _BLANKS.match(text, min(at, len(text)))
    at = blanks.end() if blanks else at
    before = b" " if at and text[at - 1 : at].strip() else b""
    first = missing[0].kind
    for choice in range(2):
        parts = [p.before + _example(p.kind, choice, shadow) for p in missing]
        whole = b"".join(parts) if any(p.before for p in missing[1:]) else b" ".join(parts)
        start = before if not missing[0].before else b""
        shadow.edit(
            Edit(("scan", *call.site, at, choice), (Splice(place, at, at, start + whole + b"\n" * (place == STDIN)),))
        )
        if len(parts) > 1:
            shadow.edit(
                Edit(
                    ("scan one", *call.site, at, choice),
                    (Splice(place, at, at, start + parts[0] + b"\n" * (place == STDIN)),),
                )
            )
        if at < len(text):
            shadow.edit(Edit(("scan rest", *call.site, at, choice), (Splice(place, at, len(text), start + whole),)))
    for word in shadow.facts.words if first == b"s" else ():
        shadow.edit(Edit(("scan word", *call.site, at, word), (Splice(place, at, at, before + word + b"\n"),)))


def _example(kind: bytes, choice: int, shadow: Shadow) -> bytes:
    if kind in b"dinuxfegFEGX":
        return (b"1", b"0")[choice]
    if kind == b"s":
        return (b"A", shadow.facts.words[0] if shadow.facts.words else b"a")[choice]
    return (b"A", b"1")[choice]


def _conversions(shadow: Shadow, address: int) -> list[Piece]:
    """The conversions of a format that store something."""
    text = text_at(shadow, address, _LONGEST_FORMAT)
    out, literal, at = [], b"", 0
    for m in _CONVERSION.finditer(text):
        star, _, size, kind = m.groups()
        literal, at = literal + text[at : m.start()].strip(), m.end()
        if kind == b"%":
            literal += b"%"
        elif star:
            literal += b"1"
        elif kind != b"n":
            out.append(Piece(literal, _SIZES.get(size, 64), b"[" if kind.startswith(b"[") else kind))
            literal = b""
    return out
