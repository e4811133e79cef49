"""Rules: what a changed run does differently at one site."""

from __future__ import annotations

import enum
import struct
from dataclasses import dataclass


class Op(enum.IntEnum):
    """What happens at a site, numbered as in hooks.h."""

    PROBE = 0
    SET = 1
    ADD = 2
    NEGATE = 3
    NOT = 4
    KEEP = 5
    LOCAL = 6
    GLOBAL = 7
    FLIP = 8
    TRUE = 9
    FALSE = 10
    FLIP_EQUAL = 11
    FLIP_LESS = 12
    FLIP_GREATER = 13
    SHIFT = 14
    OPERATOR = 15
    RIGHT = 16
    ONLY_LEFT = 17
    ONLY_RIGHT = 18
    SWAP = 19
    SKIP = 20
    CALL = 21
    RIGHT_LOCAL = 22
    RIGHT_GLOBAL = 23
    RELATION = 24
    COMPOUND = 25
    PLUS_LOCAL = 26
    ADDRESS_LOCAL = 27
    ADDRESS_GLOBAL = 28
    INITIAL = 29
    VARIANT = 30
    ALLOW = 31
    ASSIGN_LOCAL = 32
    ASSIGN_GLOBAL = 33


MAX_RULES_PER_RUN = 254  # as server.c has it


@dataclass(frozen=True, slots=True)
class Rule:
    """At this site, do `op` with the operands `a` and `b`; at every occurrence, or only at occurrence number `only`.

    Three operations have no site. INITIAL adds `a` to global number `only` at offset `b` before the program starts,
    VARIANT runs variant number `a` of a function in its place, ALLOW tolerates memory errors at check number `a`.
    `size` is the size of the variable that is read or changed or whose address is taken (LOCAL, GLOBAL, RIGHT_*,
    PLUS_LOCAL, ADDRESS_LOCAL, INITIAL, ASSIGN_*); `name` is that variable, or the function called instead. The rules of
    one site stand one behind the other; of those that apply, the first one counts.
    """

    site: int
    op: Op
    a: int = 0
    b: int = 0
    only: int = 0
    size: int = 0
    name: str = ""


def real_bits(value: float) -> int:
    """The bits of a double as a signed number, which is how rules hold them."""
    bits: int = struct.unpack("<q", struct.pack("<d", value))[0]
    return bits


def real_of(bits: int) -> float:
    """The double with these bits."""
    value: float = struct.unpack("<d", struct.pack("<q", bits))[0]
    return value
