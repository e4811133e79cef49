"""What holds in every run of a program: the result of the static analysis as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Interval:
    """A range of signed integers; None means unbounded."""

    low: int | None
    high: int | None


@dataclass(frozen=True, slots=True)
class CheckVerdict:
    """One check of an instruction, and its verdict.

    kind: bounds-low (not before the object), bounds-high (not past its end), null, division (no zero divisor, no
    overflow of the quotient), assertion (the call of a function that reports an error is unreachable).
    verdict: proved (holds whenever a run reaches it), unreachable (no run reaches it), open (unknown). A verdict is
    about all runs, each up to the point where it writes outside an object or uses freed memory: after that, anything
    can happen. Bounds are those of the variable or block, and of the row or member that an index is written for.
    """

    function: str
    instr: int
    kind: str
    verdict: str


@dataclass(frozen=True, slots=True)
class StaticFacts:
    """The verdicts on all checks, and what the proofs rest on.

    `allowed`: by (function, index of a store, conditional branch or call) the values of the stored value, the condition
    or the only integer argument outside which a proved check would be violated; a missing key is unconstrained.
    `trusted`: instructions that proofs depend on. `complete` is False when a part was given up; `reasons` say which.
    """

    checks: tuple[CheckVerdict, ...] = ()
    allowed: Mapping[tuple[str, int], Interval] = field(default_factory=dict)
    trusted: frozenset[tuple[str, int]] = frozenset()
    complete: bool = True
    reasons: tuple[str, ...] = ()
