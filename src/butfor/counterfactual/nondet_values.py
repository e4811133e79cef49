"""The nondeterministic values that a run read, as numbers of their types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from butfor.ir.machine_types import Kind
from butfor.libc.library import NONDETERMINISTIC
from butfor.trace.log.record_layout import NONDET_STREAM, EventKind
from butfor.trace.recording import Recording
from butfor.trace.semantics.integers import signed
from butfor.trace.trace import Trace

_BITS_GIVEN = 64  # of a value that is given to a run
_UNSIGNED = ("u", "size", "bool", "_Bool")  # what the names of such calls go on with


@dataclass(frozen=True, slots=True)
class NondetType:
    """What a call returns; a call that fills memory instead has no bits."""

    bits: int
    is_signed: bool = True

    def fitting(self, value: int) -> int:
        """A value as the program sees it: cut to the type."""
        bits = self.bits or _BITS_GIVEN
        cut = value & (1 << bits) - 1
        return int(signed(cut, bits)) if self.is_signed else cut


def nondet_types(recording: Recording) -> list[NondetType]:
    """The types of the values that a run read, in their order."""
    events = recording.log.event
    read = events[(events["kind"] == EventKind.INPUT) & (events["stream"] == NONDET_STREAM)] if len(events) else ()
    return [_type_of(recording.trace, int(e["seg"])) for e in read]


def nondet_values(recording: Recording, given: Sequence[int]) -> tuple[int, ...]:
    """The values that a run read: those that were given to it, and zeros when they were used up."""
    types = nondet_types(recording)
    padded = (*given, *([0] * (len(types) - len(given))))
    return tuple(of_type.fitting(value) for of_type, value in zip(types, padded, strict=False))


def _type_of(trace: Trace, segment: int) -> NondetType:
    call = trace.at(segment).call
    if call is None or call.type.kind is not Kind.INT:
        return NondetType(0)
    name = (call.callee or "").removeprefix(NONDETERMINISTIC)
    return NondetType(call.type.bits, not name.startswith(_UNSIGNED))
