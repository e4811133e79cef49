"""The data of the repair search on failing paths: options, alternatives, mined facts, solutions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from butfor.logic.sorts import Value
from butfor.logic.terms import Term
from butfor.methods.repair.slip_library import SYNTHESISED
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
class MinedFacts:
    """Facts of every execution: signed bounds of the values that statements assign, and statements that proofs need."""

    allowed: Mapping[Place, tuple[int | None, int | None]] = field(default_factory=dict)
    trusted: frozenset[Place] = frozenset()


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


@dataclass(frozen=True, slots=True)
class Solution:
    """Changes that avoid all failures; `skipped` steps of the paths no longer run, `loops` changes are in loops."""

    changes: tuple[StatementChange, ...]
    skipped: int
    loops: int

    @property
    def weight(self) -> float:
        """The weight of its least likely change."""
        return min(c.alternative.weight for c in self.changes)

    @property
    def key(self) -> tuple[float, ...]:
        """A key that sorts the best first: likely slips before any value, then in the order of the paper."""
        vague = sum({ANY_VALUE: 2, SYNTHESISED: 1}.get(c.alternative.kind, 0) for c in self.changes)
        return (vague, self.skipped, len(self.changes), -sum(c.alternative.weight for c in self.changes), self.loops)


@dataclass(frozen=True, slots=True)
class Solutions:
    """Solutions, best first; `complete`: there is no other within the limits of the search."""

    found: tuple[Solution, ...]
    complete: bool
