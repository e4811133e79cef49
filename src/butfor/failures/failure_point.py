"""The failure of one run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from butfor.explanation import FailureKind
from butfor.trace.trace import Node


@dataclass(frozen=True, slots=True)
class Printed:
    """What stands in the output where it is wrong: the number of the argument that was shown as `text`, None for the
    format itself, and the byte in that which is wrong.

    `expected` is the output that was expected from where the text begins, `after` what was printed behind it.
    """

    argument: int | None
    text: bytes
    at: int
    expected: bytes
    after: bytes

    @property
    def wanted(self) -> int | None:
        """The byte that was expected in the place of the wrong one; None when nothing was."""
        return self.expected[self.at] if self.at < len(self.expected) else None


@dataclass(frozen=True, slots=True)
class FailurePoint:
    """One failure. `node` is the instance where it shows; the question there is why it was reached.

    `roots` are the instances whose results were wrong: the condition that failed, the printed argument, the address, the divisor. `maybe` are
    instances that could have kept the failure away: a text that ended too early. `silence`: between these segment instances something else could
    have been printed. `texts` are bytes that a library call read and that came out wrong, or ended a text too early: the call's event and the byte's
    place in what it read.
    """

    kind: FailureKind
    message: str
    node: Node | None
    roots: tuple[Node, ...]
    details: Mapping[str, Any] = field(default_factory=dict)
    maybe: tuple[Node, ...] = ()
    silence: tuple[int, int] | None = None
    texts: tuple[tuple[int, int], ...] = ()
    printed: Printed | None = None


class Unsupported(Exception):
    """The run met something that cannot be recorded; `node` is where."""

    def __init__(self, what: str, node: Node | None) -> None:
        super().__init__(what)
        self.what = what
        self.node = node
