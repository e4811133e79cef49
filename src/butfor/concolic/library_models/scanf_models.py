"""Models of the scanf family: numbers become fields, missing conversions become input edits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from butfor.concolic.library_models.input_tokens import InputToken, number_in, text_at, token_at
from butfor.concolic.library_models.number_models import propose_reals
from butfor.concolic.path_condition import InputEdit
from butfor.concolic.search_inputs import STDIN, InputField, Splice
from butfor.concolic.shadow_state import ConsumedInput, LibraryCall, Shadow
from butfor.ir.machine_types import Type
from butfor.libc.record import SearchModel

_CONVERSION = re.compile(rb"%(\*?)(\d*)(hh|h|ll|l|j|z|t|L|q|m)?(\[\^?\]?[^\]]*\]|[a-zA-Z%])")
_SIZES = {b"hh": 8, b"h": 16, None: 32, b"l": 64, b"ll": 64, b"j": 64, b"z": 64, b"t": 64, b"q": 64}
_DIGITS = re.compile(rb"[-+]?[0-9]+")
_MAX_FORMAT_BYTES = 512
_BLANKS = re.compile(rb"[ \t\n\v\f\r]*")


@dataclass(frozen=True, slots=True)
class Conversion:
    """One conversion of a format: the literal text before it, the bits of its target, its letter."""

    before: bytes
    bits: int
    kind: bytes


def scanned(shadow: Shadow, call: LibraryCall, value: Any, result: Type, taken: Sequence[ConsumedInput]) -> None:
    """Follow what a call of scanf, fscanf or sscanf stored."""
    from_text = call.is_known_as(SearchModel.SCANNED_TEXT)
    at = call.record.positions["format"] if call.record is not None else 0
    conversions = _conversions(shadow, call.args[at]) if isinstance(call.args[at], int) else []
    targets = call.args[at + 1 :]
    signed = value - (1 << 32) if isinstance(value, int) and value >> 31 else value or 0
    if from_text:
        _follow_sscanf(shadow, call, conversions, targets, signed)
        return
    if not any(stream == STDIN for _, _, stream, _ in taken):
        return
    shadow.reads.add("stdin")
    shadow.gaps.add(f"the function {call.name}()")
    stored = [row for row in taken if row[0]]
    text = shadow.given.stdin
    for conversion, target, row in zip(conversions, targets, stored, strict=False):
        address, length, _, offset = row
        if address == target and offset >= 0:
            token = InputToken(STDIN, offset, len(text))
            _follow_stored(
                shadow,
                call,
                conversion,
                address,
                length,
                number_in(text, token) if conversion.kind in b"dinux" else token,
            )
    done = max(signed, 0)
    here = next(
        (offset for address, _, stream, offset in taken if not address and stream == STDIN and offset >= 0), len(text)
    )
    _propose_missing(
        shadow,
        call,
        conversions[done:],
        STDIN,
        max([here, *(_conversion_end(text, row[3], p.kind) for p, row in zip(conversions, stored, strict=False))]),
    )


def _conversion_end(text: bytes, offset: int, kind: bytes) -> int:
    """The end of a conversion that began at an offset."""
    if kind in b"dinux":
        return number_in(text, InputToken(STDIN, offset, len(text))).end
    if kind == b"c":
        return offset + 1
    found = re.compile(rb"[^ \t\n\v\f\r]*").match(text, offset)
    return found.end() if found else offset


def _follow_sscanf(
    shadow: Shadow, call: LibraryCall, conversions: list[Conversion], targets: tuple[Any, ...], done: int
) -> None:
    """Follow sscanf, finding the positions of the numbers by scanning the text again."""
    whole = token_at(shadow, call.args[0])
    if whole is None:
        return
    shadow.gaps.add(f"the function {call.name}()")
    text = shadow.given.text(whole.place)
    at = whole.start
    for conversion, target in zip(conversions[: max(done, 0)], targets, strict=False):
        if conversion.kind in b"dinux":
            found = _DIGITS.match(text, _after_literal(text, at, conversion.before), whole.end)
            if found is None:
                break
            token = InputToken(whole.place, found.start(), found.end())
            _follow_stored(shadow, call, conversion, target, conversion.bits // 8, token)
            at = token.end
        else:
            at = max(_after_literal(text, at, conversion.before), _stored_length(shadow, target, whole.place))
    _propose_missing(
        shadow, call, conversions[max(done, 0) :], whole.place, min(at, whole.end) if done > 0 else whole.end
    )


def _after_literal(text: bytes, at: int, literal: bytes) -> int:
    """The start of a conversion: after blanks and the literal text of the format before it."""
    for byte in (*literal, None):
        blanks = _BLANKS.match(text, at)
        at = blanks.end() if blanks else at
        if byte is not None and text[at : at + 1] == bytes([byte]):
            at += 1
    return at


def _stored_length(shadow: Shadow, target: Any, place: int) -> int:
    token = token_at(shadow, target) if isinstance(target, int) else None
    return token.end if token is not None and token.place == place else 0


def _follow_stored(
    shadow: Shadow, call: LibraryCall, conversion: Conversion, address: int, length: int, token: InputToken
) -> None:
    kind, size = conversion.kind, conversion.bits
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
    term = shadow.field(InputField("number", token.place, token.start, token.end, size, kind != b"u"), value)
    shadow.memory.write(address, value.to_bytes(size // 8, "little"), term)


def _propose_missing(shadow: Shadow, call: LibraryCall, missing: list[Conversion], place: int, at: int) -> None:
    """Propose input for the conversions that found nothing, as the format wants it."""
    if not missing:
        return
    text = shadow.given.text(place)
    if place == STDIN and at >= len(text.rstrip()) and text.strip():
        shadow.edit(
            InputEdit(
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
            InputEdit(
                ("scan", *call.site, at, choice), (Splice(place, at, at, start + whole + b"\n" * (place == STDIN)),)
            )
        )
        if len(parts) > 1:
            shadow.edit(
                InputEdit(
                    ("scan one", *call.site, at, choice),
                    (Splice(place, at, at, start + parts[0] + b"\n" * (place == STDIN)),),
                )
            )
        if at < len(text):
            shadow.edit(
                InputEdit(("scan rest", *call.site, at, choice), (Splice(place, at, len(text), start + whole),))
            )
    for word in shadow.facts.words if first == b"s" else ():
        shadow.edit(InputEdit(("scan word", *call.site, at, word), (Splice(place, at, at, before + word + b"\n"),)))


def _example(kind: bytes, choice: int, shadow: Shadow) -> bytes:
    if kind in b"dinuxfegFEGX":
        return (b"1", b"0")[choice]
    if kind == b"s":
        return (b"A", shadow.facts.words[0] if shadow.facts.words else b"a")[choice]
    return (b"A", b"1")[choice]


def _conversions(shadow: Shadow, address: int) -> list[Conversion]:
    """The conversions of a format that store a value."""
    text = text_at(shadow, address, _MAX_FORMAT_BYTES)
    out, literal, at = [], b"", 0
    for m in _CONVERSION.finditer(text):
        star, _, size, kind = m.groups()
        literal, at = literal + text[at : m.start()].strip(), m.end()
        if kind == b"%":
            literal += b"%"
        elif star:
            literal += b"1"
        elif kind != b"n":
            out.append(Conversion(literal, _SIZES.get(size, 64), b"[" if kind.startswith(b"[") else kind))
            literal = b""
    return out
