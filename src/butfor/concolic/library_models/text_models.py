"""Models of functions that measure, compare, copy, search and split texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from butfor.concolic.library_models.character_models import converted_character
from butfor.concolic.library_models.input_tokens import text_at, token_at
from butfor.concolic.path_condition import Alternative, InputEdit
from butfor.concolic.search_inputs import InputField, Splice
from butfor.concolic.shadow_state import ConsumedInput, LibraryCall, Shadow
from butfor.ir.machine_types import Type
from butfor.libc.record import SearchModel
from butfor.logic.byte_rules import simple_equal
from butfor.logic.terms import TRUE, Term, compare, const, ite, negate

_MAX_TEXT_BYTES = 4096  # of a text that is followed: its terms have one part for each
_MAX_CHOSEN_LENGTH = 400  # bytes of a text whose length the solver chooses: beyond most fixed buffers
_MAX_WANTED_BYTES = 1024  # of a text that is put into the input
_MAX_WORDS_AFTER_TOKEN = 6  # words of the program tried as one more token


def overfull(shadow: Shadow, call: LibraryCall) -> None:
    """Propose a text that is too long for the array that it is copied to."""
    target = call.args[0]
    bounds = shadow.objects.around(target) if isinstance(target, int) else None
    if bounds is None:
        return
    room = bounds[0] + bounds[1] - target
    for source in call.args[1:]:
        token = token_at(shadow, source) if isinstance(source, int) else None
        if token is not None and token.end - token.start <= room < _MAX_TEXT_BYTES:
            text = shadow.given.text(token.place)[token.start : token.end]
            longer = (text or b"A") + (text[-1:].strip() or b"A") * (room + 1 - len(text))
            shadow.edit(
                InputEdit(("overfull", *call.site, room), (Splice(token.place, token.start, token.end, longer),))
            )


def length(shadow: Shadow, call: LibraryCall, value: Any, result: Type, taken: Sequence[ConsumedInput]) -> Term | None:
    """The result of strlen: a field if the text is part of the input."""
    token = token_at(shadow, call.args[0])
    if token is None or token.end - token.start != value:
        if shadow.memory.is_symbolic(call.args[0] or 0, 1):
            _decide_length(shadow, call, value)
        return None
    shadow.gaps.add("lengths of texts")
    term = shadow.field(InputField("length", token.place, token.start, token.end, 64, False), value)
    shadow.bounds[str(term.data)] = compare("ule", term, const(_MAX_CHOSEN_LENGTH, 64))
    return term


def _decide_length(shadow: Shadow, call: LibraryCall, value: int) -> None:
    """Decide the length of a text that is not part of the input as a whole: no byte of it is zero, its end is."""
    for k, (term, _) in enumerate(shadow.memory.text(call.args[0], min(value + 1, _MAX_TEXT_BYTES))):
        if term is not None:
            is_end = simple_equal(term, const(0, 8))
            held = is_end if k == value else negate(is_end)
            shadow.decide(held, (Alternative(negate(held), (*call.site, 10)),))


def comparison(
    shadow: Shadow, call: LibraryCall, value: Any, result: Type, taken: Sequence[ConsumedInput]
) -> Term | None:
    """The result of strcmp and the like: 0 if all bytes are equal, else by the first that differ."""
    x, y = call.args[:2]
    most = _MAX_TEXT_BYTES
    if len(call.args) > 2:
        if not isinstance(call.args[2], int):
            return None
        most = min(call.args[2], _MAX_TEXT_BYTES)
    is_text = not call.is_known_as(SearchModel.MEMORY_COMPARISON)
    folds = call.is_known_as(SearchModel.CASELESS_COMPARISON)
    if not isinstance(x, int) or not isinstance(y, int):
        return None
    pairs = list(zip(shadow.memory.text(x, most), shadow.memory.text(y, most), strict=False))
    if not any(a[0] is not None or b[0] is not None for a, b in pairs):
        return None
    _propose_equal(shadow, call, x, y, most, is_text, value)
    return _comparison_term(pairs, is_text, folds, value, result.bits)


def _comparison_term(pairs: list[Any], is_text: bool, folds: bool, value: int, bits: int) -> Term | None:
    steps: list[tuple[Term, Term, Term]] = []
    for a, b in pairs:
        if a[1] is None or b[1] is None:
            return None
        left = a[0] if a[0] is not None else const(a[1], 8)
        right = b[0] if b[0] is not None else const(b[1], 8)
        if folds:
            left, right = (converted_character(t, 8, to_lower=True) for t in (left, right))
        steps.append(
            (
                simple_equal(left, right),
                compare("ult", left, right),
                simple_equal(left, const(0, 8)) if is_text else simple_equal(const(0, 1), const(1, 1)),
            )
        )
        if is_text and ((b[1] == 0 and b[0] is None) or (a[1] == 0 and a[0] is None)):
            break
    signed = value - (1 << bits) if value >> bits - 1 else value
    down, up = (signed, 1) if signed < 0 else (-1, signed) if signed > 0 else (-1, 1)
    outcome = const(0, bits)
    for equal, is_less, ends in reversed(steps):
        rest = outcome if ends is not TRUE else const(0, bits)
        if ends.op not in ("all", "any"):
            rest = ite(ends, const(0, bits), rest) if rest.op != "const" or rest.data else rest
        outcome = ite(equal, rest, ite(is_less, const(down, bits), const(up, bits)))
    return outcome


def _propose_equal(shadow: Shadow, call: LibraryCall, x: int, y: int, most: int, is_text: bool, value: int) -> None:
    """Propose the other text in place of the one from the input."""
    for mine, other in ((x, y), (y, x)):
        token = token_at(shadow, mine)
        if token is None:
            continue
        wanted = bytearray()
        for _, byte in shadow.memory.text(other, most):
            if byte is None or (is_text and byte == 0):
                break
            wanted.append(byte)
        text = bytes(wanted)
        if not value or not text or len(text) > _MAX_WANTED_BYTES:
            continue
        end = (
            max(token.end, token.start + len(text))
            if not is_text
            else token.start + min(len(text), token.end - token.start)
            if most < _MAX_TEXT_BYTES
            else token.end
        )
        place = shadow.given.text(token.place)
        shadow.edit(
            InputEdit(("text", *call.site, text), (Splice(token.place, token.start, min(end, len(place)), text),))
        )


def search(shadow: Shadow, call: LibraryCall, value: Any, result: Type, taken: Sequence[ConsumedInput]) -> Term | None:
    """No term; propose to insert what strstr, strchr and the like search for, or to remove it."""
    token = token_at(shadow, call.args[0])
    if token is None or len(call.args) < 2 or not isinstance(call.args[1], int):
        return None
    shadow.gaps.add(f"the function {call.name}()")
    if call.is_known_as(SearchModel.CHARACTER_SEARCH):
        wanted = bytes([call.args[1] & 255])
    else:
        wanted = text_at(shadow, call.args[1])
    if call.is_known_as(SearchModel.SET_SEARCH):
        wanted = wanted[:1]
    if not wanted.strip(b"\0"):
        return None
    text = shadow.given.text(token.place)[token.start : token.end]
    middle = token.start + len(text) // 2
    if not value:
        shadow.edit(
            InputEdit(("find", *call.site, wanted, "end"), (Splice(token.place, token.end, token.end, wanted + b"1"),))
        )
        shadow.edit(InputEdit(("find", *call.site, wanted, "middle"), (Splice(token.place, middle, middle, wanted),)))
        shadow.edit(
            InputEdit(("find", *call.site, wanted, "all"), (Splice(token.place, token.start, token.end, wanted),))
        )
    elif wanted in text:
        at = token.start + text.index(wanted)
        shadow.edit(InputEdit(("miss", *call.site, wanted), (Splice(token.place, at, at + len(wanted), b""),)))
    return None


def split(shadow: Shadow, call: LibraryCall, value: Any, result: Type, taken: Sequence[ConsumedInput]) -> Term | None:
    """No term; propose one more token for strtok after the one that it returned."""
    shadow.gaps.add(f"the function {call.name}()")
    if not isinstance(call.args[1], int):
        return None
    delimiter = text_at(shadow, call.args[1])[:1] or b" "
    if value:
        token = token_at(shadow, value)
        if token is not None:
            for text in (b"1", b"A", *shadow.facts.words[:_MAX_WORDS_AFTER_TOKEN]):
                shadow.edit(
                    InputEdit(
                        ("token", *call.site, token.start, text),
                        (Splice(token.place, token.end, token.end, delimiter + text),),
                    )
                )
    return None
