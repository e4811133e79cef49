"""What holds in every execution of a program that is searched, by static analysis; as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from butfor.trace.view.source_places import Place


@dataclass(frozen=True, slots=True)
class CheckFact:
    """A check, or one conjunct of it, with its verdict: proved, unreachable or open; and the trusted statements.

    `needs` are the statements that its proof depends on: without one of them, a violation might be reached.
    """

    place: Place
    text: str
    verdict: str
    needs: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class ProgramFacts:
    """The verdicts on all checks, and what the proofs rest on.

    `allowed`: for assignments, the bounds outside which a proved check would be violated (None: no bound).
    """

    checks: tuple[CheckFact, ...] = ()
    allowed: Mapping[Place, tuple[int | None, int | None]] = field(default_factory=dict)
    complete: bool = True

    @property
    def trusted(self) -> frozenset[Place]:
        """The statements that some proof depends on."""
        return frozenset(place for check in self.checks for place in check.needs)
