"""The path condition of a run: its decisions with their alternatives, and input edits worth trying."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from butfor.concolic.search_inputs import InputField, Splice
from butfor.logic.terms import Term

AlternativeSite = tuple[str, int, int]  # function, instruction, which alternative of it


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another outcome of a decision: its condition and the static segment it leads to, -1 if unknown."""

    term: Term
    site: AlternativeSite
    target: int = -1
    is_error: bool = False  # it leads to a failure


@dataclass(frozen=True, slots=True)
class InputDecision:
    """A condition on the input that held in the run. A pinned one only fixes an address, and may be given up."""

    held: Term
    others: tuple[Alternative, ...] = ()
    is_pinned: bool = False


@dataclass(frozen=True, slots=True)
class InputEdit:
    """A concrete change of the input that may lead to another path; edits with the same `key` are tried a few times."""

    key: tuple[object, ...]
    splices: tuple[Splice, ...]


@dataclass(frozen=True, slots=True)
class PathCondition:
    """What one run says about others. `values` are those of the variables in it; `gaps` names what was not followed."""

    decisions: tuple[InputDecision, ...]
    bounds: Mapping[str, Term]  # which values a variable can have at all
    edits: tuple[InputEdit, ...]
    fields: Mapping[str, InputField]
    values: Mapping[str, int]
    reads: frozenset[str]  # of "args", "stdin", "nondet"
    gaps: frozenset[str]
