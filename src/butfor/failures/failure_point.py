"""The failure of one run, with the instances from which an explanation starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from butfor.explanation import FailureKind
from butfor.trace.trace import Node


@dataclass(frozen=True, slots=True)
class Printed:
    """The piece of output that holds the first wrong byte."""

    argument: int | None  # its index in the call that printed it, None for the format itself
    text: bytes  # what was shown for it
    at: int  # of the wrong byte in `text`
    expected: bytes  # the expected output from where `text` begins
    after: bytes  # what was printed after `text`

    @property
    def wanted(self) -> int | None:
        """The byte that was expected in place of the wrong one; None when the expected output ends there."""
        return self.expected[self.at] if self.at < len(self.expected) else None


@dataclass(frozen=True, slots=True)
class FailurePoint:
    """One failure: where it shows, and the instances whose results were wrong there.

    `node` is the instance where it shows; the question there is why it was reached. `roots` are the instances whose
    results were wrong: the condition that failed, the printed argument, the address, the divisor. `possible_roots` are
    instances that could have prevented the failure, such as those that ended a text too early. Between the two segment
    instances of `silent_interval` something else could have been printed. `wrong_text_bytes` are bytes that a library
    call read and that came out wrong or ended a text too early: the call's event and the byte's offset in what it read.
    """

    kind: FailureKind
    message: str
    node: Node | None
    roots: tuple[Node, ...]
    details: Mapping[str, Any] = field(default_factory=dict)
    possible_roots: tuple[Node, ...] = ()
    silent_interval: tuple[int, int] | None = None
    wrong_text_bytes: tuple[tuple[int, int], ...] = ()
    printed: Printed | None = None

    @property
    def is_survivable(self) -> bool:
        """Whether a run may go on as if nothing had happened: only a program that is checked for it ends there."""
        return self.kind in (FailureKind.MEMORY, FailureKind.ARITHMETIC)


class Unsupported(Exception):
    """Raised when a run met something that cannot be recorded; `node` is where."""

    def __init__(self, what: str, node: Node | None) -> None:
        super().__init__(what)
        self.what = what
        self.node = node
