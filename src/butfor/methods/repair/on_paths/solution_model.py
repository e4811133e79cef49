"""What the repair search on failing paths is given and what it gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from butfor.logic.sorts import Value
from butfor.logic.terms import Term
from butfor.source.edits import Edit
from butfor.trace.view.source_places import Place

PathSite = tuple[int, int, int]
"""What is changed on a path: the number of the path, the position of the instance, and which of its cells; WHETHER for its condition."""

CONDITION = -1
HOLE_PREFIX = "!"  # begins the names of values that a solution chooses; no cell has such a name
ANY_VALUE, TEMPLATE = "value", "synthesised"  # kinds of alternatives that are no edit by themselves


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
    trusted: bool = (
        True  # mined facts: assignments that proofs need are not changed, conditions that they need only in likely ways
    )
    strict: bool = False  # such conditions are not changed either, although a stronger one keeps what is proved
    earlier: bool = True  # the violated property holds in the rounds before, and still has to
    runs: bool = True  # a change of one statement that chooses nothing is run along the paths instead of asked for
    alike: int = 6  # solutions that change the same statements, 0 for any number
    most: int = 24  # solutions


@dataclass(frozen=True, slots=True)
class MinedFacts:
    """Facts that hold in every execution: bounds of what statements assign, read as signed numbers, and statements that proofs need."""

    allowed: Mapping[Place, tuple[int | None, int | None]] = field(default_factory=dict)
    trusted: frozenset[Place] = frozenset()


@dataclass(frozen=True, slots=True)
class Alternative:
    """What may stand in the place of a statement: its terms at all sites, over cells and over values to be chosen, which begin with HOLE.

    `text` is the statement then, with `{}` for a chosen value; `edits` make it of the source.
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
    """One statement as a solution changes it. `values` are what it gives then, by site, where the solution chooses them."""

    place: Place
    alternative: Alternative
    values: Mapping[PathSite, Value]
    hole: Value | None = None
    sites: tuple[PathSite, ...] = ()


@dataclass(frozen=True, slots=True)
class Solution:
    """Changes that avoid all failures; `skipped` steps of the paths do not run then, `loops` of the changes are in loops."""

    changes: tuple[StatementChange, ...]
    skipped: int
    loops: int

    @property
    def weight(self) -> float:
        """How likely it is, as its least likely change."""
        return min(c.alternative.weight for c in self.changes)

    @property
    def key(self) -> tuple[float, ...]:
        """Smaller is better: likely slips first, values from nowhere last; then as the paper has it, and of equals the likelier slip."""
        vague = sum({ANY_VALUE: 2, TEMPLATE: 1}.get(c.alternative.kind, 0) for c in self.changes)
        return (vague, self.skipped, len(self.changes), -sum(c.alternative.weight for c in self.changes), self.loops)


@dataclass(frozen=True, slots=True)
class Solutions:
    """Solutions, best first; `complete`: there is no other within the limits of the search."""

    found: tuple[Solution, ...]
    complete: bool
    statements: int = 0  # that could be changed
    alternatives: int = 0
