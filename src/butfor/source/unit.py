"""A statement-like unit as byte offsets, before it is turned into text."""

from __future__ import annotations

from dataclasses import dataclass

from butfor.source.source_model import Role


@dataclass(frozen=True, slots=True)
class Unit:
    """The byte span of a unit, with the span of the lvalue that it assigns, if any."""

    start: int
    end: int
    role: Role
    target: tuple[int, int] | None = None
    keyword: str | None = None
    declares: bool = False
