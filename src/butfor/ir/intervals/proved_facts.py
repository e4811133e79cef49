"""What holds in every run of a program: the result of the static analysis, as plain data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from butfor.ir.program import Program


@dataclass(frozen=True, slots=True)
class Interval:
    """A range of integers; None is unbounded. Values of integer types are read as signed numbers of their width."""

    low: int | None
    high: int | None


@dataclass(frozen=True, slots=True)
class Check:
    """One check of an instruction and what is known of it.

    kind: bounds-low (not before the object), bounds-high (not past its end), null, division (no zero divisor, no overflow of the quotient),
    assertion (the call of a function that reports an error is never reached).
    verdict: proved (holds whenever a run gets there), unreachable (no run gets there), open (not known). Both are about all runs, each up to the
    point where it writes outside of an object or uses memory that is gone, if it does: after that, anything can happen. Bounds are those of the
    whole variable or block, not of a member.
    """

    function: str
    instr: int
    kind: str
    verdict: str


@dataclass(frozen=True, slots=True)
class Facts:
    """What was found.

    `allowed`: by (function, index of a store, conditional branch or call) the values of the stored value, condition or only integer argument outside
    of which a proved check would be violated; a key that is missing is unconstrained. `trusted`: instructions that proofs depend on.
    `complete` is False when something was given up; `reasons` say what.
    """

    checks: tuple[Check, ...] = ()
    allowed: Mapping[tuple[str, int], Interval] = field(default_factory=dict)
    trusted: frozenset[tuple[str, int]] = frozenset()
    complete: bool = True
    reasons: tuple[str, ...] = ()


def analyse(program: Program, is_over: Callable[[], bool]) -> Facts:
    """What holds in every run of the program, from main with any arguments and any input; what time did not allow for is open."""
    from butfor.ir.intervals.whole_program import found_facts

    return found_facts(program, is_over)
