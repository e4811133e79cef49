"""What the full replay compared, and where it disagreed with the recording."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

POISON = object()  # a value that the recording cannot give: never compared
_MAX_SHOWN = 20


@dataclass(slots=True)
class CheckResult:
    """Counts of what was compared; `shown` are the first mismatches in words."""

    instructions: int = 0
    loads: int = 0
    stores: int = 0
    branches: int = 0
    from_outside: int = 0
    mismatches: int = 0
    shown: list[str] = field(default_factory=list)

    def miss(self, text: str) -> None:
        """Counts one mismatch."""
        self.mismatches += 1
        if len(self.shown) < _MAX_SHOWN:
            self.shown.append(text)

    def compare(self, i: int, mine: Any, recorded: Any, what: str) -> None:
        """Counts a mismatch in segment i if a computed value is not the recorded one."""
        if mine is not POISON and mine != recorded:
            self.miss(f"segment {i}: {what}: computed {mine!r}, recorded {recorded!r}")
