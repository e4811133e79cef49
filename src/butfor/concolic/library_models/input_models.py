"""Models of functions that read standard input or a nondeterministic value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from butfor.concolic.path_condition import Alternative, InputEdit
from butfor.concolic.search_inputs import STDIN, Splice
from butfor.concolic.shadow_state import ConsumedInput, LibraryCall, Shadow
from butfor.ir.machine_types import Kind, Type
from butfor.libc.library import NONDETERMINISTIC
from butfor.libc.record import SearchModel
from butfor.logic.byte_rules import simple_equal
from butfor.logic.terms import Term, const, ite, negate, resize

_EOF = -1
_MAX_WORDS_AS_LINES = 8  # words of the program tried as one more line
_SMALL_BLOCK_BYTES = 16  # appended where a whole block is missing: often its head is enough
_MAX_BLOCK_BYTES = 256  # of a block that is appended as a whole


def nondet(shadow: Shadow, call: LibraryCall, value: Any, result: Type, taken: Sequence[ConsumedInput]) -> Term | None:
    """The result of __VERIFIER_nondet_int and the like."""
    kind = call.name.removeprefix(NONDETERMINISTIC)
    shadow.reads.add("nondet")
    if not taken or result.kind not in (Kind.INT, Kind.PTR):
        shadow.gaps.add(f"the values of {call.name}()")
        return None
    number = taken[-1][3]
    given = shadow.given.nondet[number] if number < len(shadow.given.nondet) else 0
    whole = shadow.variable(f"n{number}", 64, given)
    if kind in ("bool", "_Bool"):
        return resize(resize(whole, 1), result.bits)
    return resize(whole, result.bits) if result.bits <= 64 else None


def character(
    shadow: Shadow, call: LibraryCall, value: Any, result: Type, taken: Sequence[ConsumedInput]
) -> Term | None:
    """The result of getchar and the like: a byte, or EOF."""
    at = _stdin_offset(taken)
    if at is None:
        return None
    shadow.reads.add("stdin")
    if at < len(shadow.given.stdin):
        _decide_not_end(shadow, at, call)
        return resize(shadow.variable(f"s{at}", 8, shadow.given.stdin[at]), result.bits)
    if at > len(shadow.given.stdin):
        return None
    more = shadow.variable("more", 1, 0)
    byte = shadow.variable(f"s{at}", 8, 10)
    return ite(simple_equal(more, const(1, 1)), resize(byte, result.bits), const(_EOF, result.bits))


def _decide_not_end(shadow: Shadow, at: int, call: LibraryCall) -> None:
    """Decide that standard input does not end before a byte."""
    there = simple_equal(shadow.variable(f"keep{at}", 1, 1), const(1, 1))
    shadow.decide(there, (Alternative(negate(there), (*call.site, 7)),))


def _stdin_offset(taken: Sequence[ConsumedInput]) -> int | None:
    return next((offset for _, _, stream, offset in taken if stream == STDIN and offset >= 0), None)


def line(shadow: Shadow, call: LibraryCall, value: Any, result: Type, taken: Sequence[ConsumedInput]) -> Term | None:
    """No term; decide where the line ends that fgets, gets or getline reads, and propose one more."""
    at = _stdin_offset(taken)
    if at is None:
        return None
    shadow.reads.add("stdin")
    stdin = shadow.given.stdin
    length = sum(n for address, n, stream, _ in taken if address and stream == STDIN)
    site = (*call.site, 8)
    for k in range(at, at + length):
        is_end = simple_equal(shadow.variable(f"s{k}", 8, stdin[k]), const(10, 8))
        held = is_end if stdin[k] == 10 else negate(is_end)
        shadow.decide(held, (Alternative(negate(held), site),))
    if length:
        _decide_not_end(shadow, at, call)
    ended = at + length >= len(stdin) and (not length or stdin[-1:] != b"\n")
    if ended:
        over = simple_equal(shadow.variable("more", 1, 0), const(0, 1))
        shadow.decide(over, (Alternative(negate(over), (*call.site, 9)),))
    if at + length >= len(stdin):
        lines = [line.rstrip(b"\n") + b"\n" for line in stdin.splitlines(keepends=True)]
        repeated = (lines[0], lines[-1]) if lines else ()
        for text in dict.fromkeys(
            (*repeated, b"A\n", b"1\n", *(w + b"\n" for w in shadow.facts.words[:_MAX_WORDS_AS_LINES]))
        ):
            start = b"" if not stdin or stdin.endswith(b"\n") else b"\n"
            shadow.edit(InputEdit(("line", *call.site, text), (Splice(STDIN, len(stdin), len(stdin), start + text),)))
    return None


def block(shadow: Shadow, call: LibraryCall, value: Any, result: Type, taken: Sequence[ConsumedInput]) -> Term | None:
    """No term; propose what is missing for fread or read."""
    at = _stdin_offset(taken)
    if at is None or not all(isinstance(a, int) for a in call.args[1:3]):
        return None
    shadow.reads.add("stdin")
    shadow.gaps.add(f"the function {call.name}()")
    is_item = call.is_known_as(SearchModel.ITEM_INPUT)
    wanted = call.args[1] * call.args[2] if is_item else call.args[2]
    stdin = shadow.given.stdin
    missing = at + wanted - len(stdin)
    if missing > 0:
        small = min(missing, _SMALL_BLOCK_BYTES)
        for size in dict.fromkeys((small, missing if missing <= _MAX_BLOCK_BYTES else _SMALL_BLOCK_BYTES)):
            for filler in (b"\0", b"A", b"\1") if size == small else (b"A",):
                shadow.edit(
                    InputEdit(
                        ("block", *call.site, filler, at, size), (Splice(STDIN, len(stdin), len(stdin), filler * size),)
                    )
                )
        if not is_item:
            over = simple_equal(shadow.variable("more", 1, 0), const(0, 1))
            shadow.decide(over, (Alternative(negate(over), (*call.site, 9)),))
    if at < len(stdin):
        _decide_not_end(shadow, at, call)
    return None
