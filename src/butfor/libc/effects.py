"""What a library function does to memory and pointers, as far as a may-analysis needs it.

A record lists the effects of its function with the builders below, which name parameters as the prototype does:

    (writes_text("to"), returns("to"))

Analyses get the same effects with the positions of the arguments (`Effect`), counted from 0. Everything that the
program could see in its own memory must be listed. `NOTHING` means that there is nothing to see. `ANYTHING` means that
the function may keep, change and call all that it is given; the same is assumed of functions without a record.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass


class EffectKind(enum.Enum):
    """What one effect is; the builder of the same name says which parameters it takes."""

    WRITES = enum.auto()
    WRITES_TEXT = enum.auto()
    WRITES_TEXT_BEHIND = enum.auto()
    WRITES_LISTED = enum.auto()
    WRITES_COUNTS = enum.auto()
    COPIES = enum.auto()
    RESULT_HOLDS = enum.auto()
    STORES_POINTER = enum.auto()
    STORES_NEW_BLOCK = enum.auto()
    RETURNS = enum.auto()
    RETURNS_INTO = enum.auto()
    RETURNS_INTO_POINTEE = enum.auto()
    RETURNS_NEW_BLOCK = enum.auto()
    RETURNS_STATIC = enum.auto()
    TOKENISES = enum.auto()
    CALLS = enum.auto()
    REGISTERS = enum.auto()
    REGISTERS_POINTEE = enum.auto()
    CALLS_REGISTERED = enum.auto()
    ANYTHING = enum.auto()


@dataclass(frozen=True, slots=True)
class Effect:
    """One effect of a call, by the positions of its arguments; -1 where the effect has no such argument."""

    kind: EffectKind
    argument: int = -1
    source: int = -1  # where what is copied, stored or filled in comes from
    count: int = -1  # a number of bytes
    is_exact: bool = False  # exactly `count` bytes, whatever they are
    is_variadic: bool = False  # at all later arguments too
    passed: tuple[
        tuple[int, bool], ...
    ] = ()  # arguments of a callback: a position, and whether it is one of its elements


@dataclass(frozen=True, slots=True)
class NamedEffect:
    """One effect by the names of parameters, as a record states it."""

    kind: EffectKind
    parameter: str = ""
    source: str = ""
    count: str = ""
    is_exact: bool = False
    is_variadic: bool = False
    passed: tuple[str, ...] = ()

    def at(self, positions: Mapping[str, int]) -> Effect:
        """The effect by positions; a KeyError names a parameter that the prototype does not have."""
        return Effect(
            self.kind,
            positions[self.parameter] if self.parameter else -1,
            positions[self.source] if self.source else -1,
            positions[self.count] if self.count else -1,
            self.is_exact,
            self.is_variadic,
            tuple((positions[name.removesuffix("[]")], name.endswith("[]")) for name in self.passed),
        )


Effects = tuple[NamedEffect, ...]
NOTHING: Effects = ()
ANYTHING: Effects = (NamedEffect(EffectKind.ANYTHING),)
UNKNOWN_EFFECTS = tuple(effect.at({}) for effect in ANYTHING)


def writes(to: str, count: str = "") -> NamedEffect:
    """Memory at `to` is written: `count` bytes, or nobody knows how many."""
    return NamedEffect(EffectKind.WRITES, to, count=count)


def fills(to: str, byte: str, count: str) -> NamedEffect:
    """`count` bytes at `to` become `byte`."""
    return NamedEffect(EffectKind.WRITES, to, byte, count, is_exact=True)


def writes_text(to: str, *, and_later: bool = False) -> NamedEffect:
    """A text or one number is written at `to`; also at all later arguments, the variable ones included."""
    return NamedEffect(EffectKind.WRITES_TEXT, to, is_variadic=and_later)


def writes_text_behind(place: str) -> NamedEffect:
    """A text is written where the pointer points that is stored at `place`."""
    return NamedEffect(EffectKind.WRITES_TEXT_BEHIND, place)


def writes_listed(arguments: str) -> NamedEffect:
    """Texts or numbers are written where the arguments in a va_list point to."""
    return NamedEffect(EffectKind.WRITES_LISTED, arguments)


def writes_counts(format_: str) -> NamedEffect:
    """Numbers are written at later arguments if the format has a %n."""
    return NamedEffect(EffectKind.WRITES_COUNTS, format_)


def copies(to: str, source: str, count: str) -> NamedEffect:
    """Exactly `count` bytes are copied from `source` to `to`."""
    return NamedEffect(EffectKind.COPIES, to, source, count, is_exact=True)


def copies_some(to: str, source: str, at_most: str = "") -> NamedEffect:
    """Bytes are copied from `source` to `to`, at most so many."""
    return NamedEffect(EffectKind.COPIES, to, source, at_most)


def result_holds(old: str) -> NamedEffect:
    """The memory that is returned holds what memory at `old` held."""
    return NamedEffect(EffectKind.RESULT_HOLDS, old)


def stores_pointer(place: str, into: str) -> NamedEffect:
    """A pointer into what `into` points to is stored at `place`."""
    return NamedEffect(EffectKind.STORES_POINTER, place, into)


def stores_new_block(place: str) -> NamedEffect:
    """A pointer to a new block is stored at `place`."""
    return NamedEffect(EffectKind.STORES_NEW_BLOCK, place)


def returns(parameter: str) -> NamedEffect:
    """The result is this argument."""
    return NamedEffect(EffectKind.RETURNS, parameter)


def returns_into(parameter: str) -> NamedEffect:
    """The result points into what this argument points to."""
    return NamedEffect(EffectKind.RETURNS_INTO, parameter)


def returns_into_pointee(place: str) -> NamedEffect:
    """The result points into what the pointer points to that is stored at `place`."""
    return NamedEffect(EffectKind.RETURNS_INTO_POINTEE, place)


def returns_new_block() -> NamedEffect:
    """The result points to a new block."""
    return NamedEffect(EffectKind.RETURNS_NEW_BLOCK)


def returns_static() -> NamedEffect:
    """The result points to memory of the library, the same in every call."""
    return NamedEffect(EffectKind.RETURNS_STATIC)


def tokenises(text: str) -> NamedEffect:
    """The result points into `text` or into that of an earlier call, and a text is written there."""
    return NamedEffect(EffectKind.TOKENISES, text)


def calls(callback: str, *passed: str) -> NamedEffect:
    """`callback` is called with these arguments; `base[]` stands for a pointer to an element of `base`."""
    return NamedEffect(EffectKind.CALLS, callback, passed=passed)


def registers(callback: str) -> NamedEffect:
    """A function is kept, to be called some time."""
    return NamedEffect(EffectKind.REGISTERS, callback)


def registers_pointee(place: str) -> NamedEffect:
    """The function that is stored at `place` is kept, to be called some time."""
    return NamedEffect(EffectKind.REGISTERS_POINTEE, place)


def calls_registered() -> NamedEffect:
    """Functions that were kept may be called."""
    return NamedEffect(EffectKind.CALLS_REGISTERED)
