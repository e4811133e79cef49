"""The data of the repair search on failing paths: options, alternatives, mined facts, solutions."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from butfor.logic.sorts import Value
from butfor.logic.terms import Term
from butfor.source.edits import Edit
from butfor.trace.view.source_places import Place

# the number of a path, the position of an instance on it, and the number of a cell that it assigns, or CONDITION
PathSite = tuple[int, int, int]

CONDITION = -1
HOLE_PREFIX = "!"  # begins the names of values that a solution chooses; no cell has such a name
ANY_VALUE = "value"  # like SYNTHESISED a kind of alternative that is no edit by itself


@dataclass(frozen=True, slots=True)
class SolutionOptions:
    """The improvements of the paper, each of which can be switched off."""

    alternatives: bool = True  # the annotation library: likely slips instead of any value
    templates: bool = True  # `c`, `v + c`, where the search chooses c
    free: bool = True  # any value, as the last resort
    correlated: bool = True  # the instances of a statement change together
    use_def: bool = True  # a changed definition excludes a change of the only statement that uses it
    minimal: bool = True  # no solution has more statements than another within it
    changes: int = 2  # statements that may change together, 0 for any number
    allowed: bool = True  # mined facts: what a changed assignment may give
    trusted: bool = True  # mined facts: proofs need some assignments unchanged, and some conditions nearly so
    strict: bool = False  # such conditions are not changed either, although a stronger one keeps the proof
    earlier: bool = True  # the violated property held in earlier iterations, and still has to
    runs: bool = True  # changes of one statement without a hole are evaluated along the paths, not solved for
    alike: int = 6  # solutions that change the same statements, 0 for any number
    most: int = 24  # solutions


@dataclass(frozen=True, slots=True)
class RepairSettings:
    """What the user may choose: more slips, how many failing traces are looked at, the improvements of the search."""

    annotations: Path | None
    traces: int
    search: SolutionOptions


@dataclass(frozen=True, slots=True)
class Alternative:
    """An alternative of a statement: its terms at all sites, over cells and holes, which begin with HOLE_PREFIX.

    `text` is the changed statement, with `{}` for the value of the hole; `edits` make it from the source.
    """

    text: str
    why: str
    weight: float
    kind: str
    terms: Mapping[PathSite, Term]
    edits: tuple[Edit, ...] = ()
    hole: Term | None = None


@dataclass(frozen=True, slots=True)
class StatementChange:
    """One statement as a solution changes it. `values` are its values by site, where the solution chooses them."""

    place: Place
    alternative: Alternative
    values: Mapping[PathSite, Value]
    hole: Value | None = None


class Standing(enum.IntEnum):
    """What is known about the whole program with a solution, the best first; along the paths all of them help."""

    HOLDS = 0  # no check fails, whatever the inputs are: in a search up to a bound
    PASSES = 1  # the failing runs pass, and so do all other tests
    OPEN = 2  # nothing: the program was not run with it
    FAILS = 3  # the failing runs pass, or end with another failure; some other run fails
    SILENCES = 4  # no run comes to the failed check any more


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the program does with a solution, in words."""

    standing: Standing = Standing.OPEN
    words: str = ""


@dataclass(frozen=True, slots=True)
class Solution:
    """Changes that avoid all failures; `skipped` steps of the paths no longer run, `loops` changes are in loops.

    `left` has the position at which each path is left, None where it is followed and the check holds.
    """

    changes: tuple[StatementChange, ...]
    skipped: int
    loops: int
    left: tuple[int | None, ...] = ()
    judgement: Judgement = Judgement()

    @property
    def weight(self) -> float:
        """The weight of its least likely change."""
        return min(c.alternative.weight for c in self.changes)

    @property
    def key(self) -> tuple[float, ...]:
        """A key that sorts the best first, in the order of the paper.

        What is known to fail elsewhere comes after the others, and what only silences the check after all.
        """
        weight = sum(c.alternative.weight for c in self.changes)
        late = max(0, self.judgement.standing - Standing.OPEN)
        return late, self.skipped, len(self.changes), self.loops, -weight


@dataclass(frozen=True, slots=True)
class Solutions:
    """Solutions, best first; `complete`: no other statements can be changed, within the limit of changes."""

    found: tuple[Solution, ...]
    complete: bool
