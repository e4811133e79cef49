"""What the user may choose of error invariants."""

from __future__ import annotations

from dataclasses import dataclass

from butfor.options import Inputs

FORMULA = "formula"  # the flow-sensitive trace formula, or the plain one
RECURSIVE = "recursive"  # the algorithm that asks again for each condition
ENGINES = (FORMULA, RECURSIVE)


@dataclass(frozen=True, slots=True)
class StorySettings:
    """The options of the method, which says what they mean."""

    inputs: Inputs | None = None
    pre: str | None = None
    flow_insensitive: bool = False
    engine: str = FORMULA
