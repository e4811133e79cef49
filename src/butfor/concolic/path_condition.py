"""What one run says about others: the decisions it took, each with what would have gone another way, and edits worth a try."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from butfor.concolic.search_inputs import Field, Splice
from butfor.logic.terms import Term

Site = tuple[str, int, int]  # function, instruction, which way


@dataclass(frozen=True, slots=True)
class Other:
    """Another way that a decision can go. `target` is the static segment it leads to, -1 if unknown; `is_error` when it leads to a failure."""

    term: Term
    site: Site
    target: int = -1
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """A condition on the input that held in the run. A pinned one only keeps an address where it was: it may be given up."""

    held: Term
    others: tuple[Other, ...] = ()
    is_pinned: bool = False


@dataclass(frozen=True, slots=True)
class Edit:
    """A concrete change of the input that may lead elsewhere; the same `key` is not tried over and over."""

    key: tuple[object, ...]
    splices: tuple[Splice, ...]


@dataclass(frozen=True, slots=True)
class PathCondition:
    """All of it for one run. `values` are the values of the variables in the run; `gaps` say in words what was not followed."""

    decisions: tuple[Decision, ...]
    bounds: Mapping[str, Term]  # what a variable can be at all
    edits: tuple[Edit, ...]
    fields: Mapping[str, Field]
    values: Mapping[str, int]
    reads: frozenset[str]  # of "args", "stdin", "nondet"
    gaps: frozenset[str]
