"""Library functions that measure, compare, copy, search and split texts."""

from __future__ import annotations

from typing import Any

from butfor.concolic import symbolic_addresses
from butfor.concolic.library_models.input_tokens import text_at, token_at
from butfor.concolic.library_models.library_call import Call, Taken
from butfor.concolic.path_condition import Edit, Other
from butfor.concolic.search_inputs import Field, Splice
from butfor.concolic.shadow_state import Shadow
from butfor.ir.machine_types import Type
from butfor.logic.byte_simplify import same
from butfor.logic.terms import TRUE, Term, compare, const, ite, negate

_LONGEST = 4096  # bytes of a text that is looked at
_LONGEST_MADE = 400  # bytes of a text that gets another length


def overfull(shadow: Shadow, call: Call) -> None:
    """A text that goes into an array of fixed size: a longer one may leave it."""
    target = call.args[0]
    bounds = shadow.objects.around(target) if isinstance(target, int) else None
    if bounds is None:
        return
    room = bounds[0] + bounds[1] - target
    for source in call.args[1:]:
        token = token_at(shadow, source) if isinstance(source, int) else None
        if token is not None and token.end - token.start <= room < _LONGEST:
            text = shadow.given.text(token.place)[token.start : token.end]
            longer = (text or b"A") + (text[-1:].strip() or b"A") * (room + 1 - len(text))
            shadow.edit(Edit(("overfull", *call.site, room), (Splice(token.place, token.start, token.end, longer),)))


def length(shadow: Shadow, call: Call, value: Any, result: Type, taken: Taken) -> Term | None:
    """strlen: the length of a text of the input can be chosen."""
    token = token_at(shadow, call.args[0])
    if token is None or token.end - token.start != value:
        if shadow.memory.is_symbolic(call.args[0] or 0, 1):
            _by_bytes(shadow, call, value)
        return None
    shadow.gaps.add("lengths of texts")
    term = shadow.field(Field("length", token.place, token.start, token.end, 64, False), value)
    shadow.bounds[str(term.data)] = compare("ule", term, const(_LONGEST_MADE, 64))
    return term


def _by_bytes(shadow: Shadow, call: Call, value: int) -> None:
    """The length of a text that is no part of the input as a whole: its bytes are not zero, its end is."""
    for k, (term, _) in enumerate(shadow.memory.text(call.args[0], min(value + 1, _LONGEST))):
        if term is not None:
            is_end = same(term, const(0, 8))
            held = is_end if k == value else negate(is_end)
            shadow.decide(held, (Other(negate(held), (*call.site, 10)),))


def comparison(shadow: Shadow, call: Call, value: Any, result: Type, taken: Taken) -> Term | None:
    """strcmp and its kin. The result: 0 if all bytes are the same, else by the first that differ."""
    x, y = call.args[:2]
    most = _LONGEST
    if len(call.args) > 2:
        if not isinstance(call.args[2], int):
            return None
        most = min(call.args[2], _LONGEST)
    is_text, folds = "mem" not in call.name and call.name != "bcmp", "case" in call.name
    if not isinstance(x, int) or not isinstance(y, int):
        return None
    pairs = list(zip(shadow.memory.text(x, most), shadow.memory.text(y, most), strict=False))
    if not any(a[0] is not None or b[0] is not None for a, b in pairs):
        return None
    _propose(shadow, call, x, y, most, is_text, value)
    return _order(pairs, is_text, folds, value, result.bits)


def _order(pairs: list[Any], is_text: bool, folds: bool, value: int, bits: int) -> Term | None:
    steps: list[tuple[Term, Term, Term]] = []
    for a, b in pairs:
        if a[1] is None or b[1] is None:
            return None
        left = a[0] if a[0] is not None else const(a[1], 8)
        right = b[0] if b[0] is not None else const(b[1], 8)
        if folds:
            left, right = (symbolic_addresses.mapped(t, "tolower", 8) for t in (left, right))
        steps.append(
            (
                same(left, right),
                compare("ult", left, right),
                same(left, const(0, 8)) if is_text else same(const(0, 1), const(1, 1)),
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


def _propose(shadow: Shadow, call: Call, x: int, y: int, most: int, is_text: bool, value: int) -> None:
    """The other text, put where the one from the input stands."""
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
        if not value or not text or len(text) > 1024:
            continue
        end = (
            max(token.end, token.start + len(text))
            if "mem" in call.name
            else token.start + min(len(text), token.end - token.start)
            if most < _LONGEST
            else token.end
        )
        place = shadow.given.text(token.place)
        shadow.edit(Edit(("text", *call.site, text), (Splice(token.place, token.start, min(end, len(place)), text),)))


def search(shadow: Shadow, call: Call, value: Any, result: Type, taken: Taken) -> Term | None:
    """strstr, strchr and the like: what is looked for is put in, or taken out."""
    token = token_at(shadow, call.args[0])
    if token is None or len(call.args) < 2 or not isinstance(call.args[1], int):
        return None
    shadow.gaps.add(f"the function {call.name}()")
    if call.name in ("strchr", "index", "strrchr", "rindex", "strchrnul", "memchr", "rawmemchr"):
        wanted = bytes([call.args[1] & 255])
    else:
        wanted = text_at(shadow, call.args[1])
    if call.name in ("strpbrk", "strspn", "strcspn", "strtok", "strtok_r", "strsep"):
        wanted = wanted[:1]
    if not wanted.strip(b"\0"):
        return None
    text = shadow.given.text(token.place)[token.start : token.end]
    middle = token.start + len(text) // 2
    if not value:
        shadow.edit(
            Edit(("find", *call.site, wanted, "end"), (Splice(token.place, token.end, token.end, wanted + b"1"),))
        )
        shadow.edit(Edit(("find", *call.site, wanted, "middle"), (Splice(token.place, middle, middle, wanted),)))
        shadow.edit(Edit(("find", *call.site, wanted, "all"), (Splice(token.place, token.start, token.end, wanted),)))
    elif wanted in text:
        at = token.start + text.index(wanted)
        shadow.edit(Edit(("miss", *call.site, wanted), (Splice(token.place, at, at + len(wanted), b""),)))
    return None


def split(shadow: Shadow, call: Call, value: Any, result: Type, taken: Taken) -> Term | None:
    """strtok: one more token can be added where the last one ended."""
    shadow.gaps.add(f"the function {call.name}()")
    if not isinstance(call.args[1], int):
        return None
    delimiter = text_at(shadow, call.args[1])[:1] or b" "
    if value:
        token = token_at(shadow, value)
        if token is not None:
            for text in (b"1", b"A", *shadow.facts.words[:6]):
                shadow.edit(
                    Edit(
                        ("token", *call.site, token.start, text),
                        (Splice(token.place, token.end, token.end, delimiter + text),),
                    )
                )
    return None
