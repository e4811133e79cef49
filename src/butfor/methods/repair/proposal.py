"""What is proposed as a repair, whoever proposes it."""

from __future__ import annotations

from dataclasses import dataclass

from butfor.source.edits import Edit
from butfor.trace.view.source_places import Place


@dataclass(frozen=True, slots=True)
class Proposal:
    """Edits of source text, why they may be right in words, and a weight: 30 for the likeliest slip, 0 for the last resort.

    `place` is the statement that is changed. `rank` says how suspicious that is, 0 the most.
    `near` are other statements that it could be said to be about: what is put after one statement stands before the next.
    `skips`: statements that do not run any more because of it, `in_loop`: it is a part of a loop.
    """

    edits: tuple[Edit, ...]
    why: str
    weight: float
    place: Place
    family: str = ""
    rank: int = 0
    skips: bool = False
    in_loop: bool = False
    near: tuple[Place, ...] = ()

    @property
    def size(self) -> int:
        """How many bytes change."""
        return sum(len(e.new) + e.end - e.start for e in self.edits)

    @property
    def order(self) -> float:
        """Proposals with a smaller number are tried first."""
        return self.rank + 0.7 * (30 - self.weight)
