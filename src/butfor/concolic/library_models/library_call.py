"""A call of a library function, as the models of such functions get it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from butfor.logic.terms import Term

Taken = list[tuple[int, int, int, int]]  # address, length, stream, offset


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a library function: its arguments, None where the value is not known, and their terms."""

    name: str
    args: tuple[Any, ...]
    terms: tuple[Term | None, ...]
    function: str
    index: int

    @property
    def site(self) -> tuple[str, int]:
        """Where it stands."""
        return self.function, self.index
