"""Proposals, and repairs: proposals with what came of them on all tests, best first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from butfor.methods.repair.slip_library import MAX_WEIGHT, SYNTHESISED
from butfor.methods.repair.trial_runs import Tally
from butfor.source.edits import Edit, apply_edits, lines_touched, unified_diff
from butfor.trace.view.source_places import Place

RANKS_PER_WEIGHT = 0.7  # how much later a less likely edit is tried
MAX_RANK = 15  # statements further down are all equally unlikely
MAX_REPAIRS_PER_STATEMENT = 3  # before those of others: the next one is rarely better than another place
# what makes a repair worse, in weights
_COST_PER_RANK = 0.8
_COST_OF_CHANGED_BEHAVIOUR = 10.0  # on all similar inputs, when passing tests judge the repair
_COST_OF_CHANGED_BEHAVIOUR_UNTESTED = 32.0  # ... when nothing else does
_COST_OF_SKIPPING = 5.0
_COST_IN_LOOP = 0.5
_COST_OF_OTHER_OUTPUT = 6.0  # before the failure
_COST_OF_SYNTHESIS = 10.0  # a value that was found for this run alone


@dataclass(frozen=True, slots=True)
class Proposal:
    """Edits of the source with the reason in words, and a weight: 30 for the likeliest slip, 0 for the last resort.

    `place` is the statement that is changed, `rank` how suspicious it is, 0 the most; `near` are the other statements
    that the edit stands beside: an insertion after one statement is before the next. `skips`: a statement no longer
    runs because of it; `in_loop`: the edit is in a loop; `silences`: it only keeps the failed check from running.
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
    silences: bool = False

    @property
    def size(self) -> int:
        """How many bytes change."""
        return sum(len(e.new) + e.end - e.start for e in self.edits)

    @property
    def order(self) -> float:
        """Proposals with a smaller number are tried first."""
        return self.rank + RANKS_PER_WEIGHT * (MAX_WEIGHT - self.weight)


@dataclass(frozen=True, slots=True)
class Repair:
    """A proposal and what came of it on all tests."""

    proposal: Proposal
    tally: Tally
    failing: int
    passing: int

    @property
    def is_complete(self) -> bool:
        """Whether all failing tests pass and all passing ones still do."""
        return self.tally.fixed == self.failing and self.tally.kept == self.passing

    @property
    def key(self) -> tuple[float, ...]:
        """A key that sorts the best first: by the tests, by the number of edits, by its cost, by its size.

        What only silences the check comes after all that does as well on the tests.
        """
        p, t = self.proposal, self.tally
        missed = (self.failing - t.fixed) / max(self.failing, 1) + (self.passing - t.kept) / max(self.passing, 1)
        share = t.differs / t.similar if t.similar else 0.0
        changed = _COST_OF_CHANGED_BEHAVIOUR if self.passing else _COST_OF_CHANGED_BEHAVIOUR_UNTESTED
        cost = MAX_WEIGHT - p.weight + _COST_PER_RANK * min(p.rank, MAX_RANK) + changed * share
        cost += _COST_OF_SKIPPING * p.skips + _COST_IN_LOOP * p.in_loop + _COST_OF_OTHER_OUTPUT * (not t.keeps_output)
        cost += _COST_OF_SYNTHESIS * (p.family == SYNTHESISED and not self.passing)
        return missed, p.silences, len(p.edits), cost, p.size

    @property
    def label(self) -> str:
        """The verdict of the tests, in words."""
        words = f"fixes {self.tally.fixed} of {self.failing} failing"
        words += (
            f", keeps {self.tally.kept} of {self.passing} passing"
            if self.passing
            else "; no passing tests given: may overfit"
        )
        if self.tally.similar:
            words += f"; changes the output of {self.tally.differs} of {self.tally.similar} similar inputs"
        if self.proposal.silences:
            words += "; only silences the check, which no longer runs"
        return words

    def to_dict(self, texts: Mapping[str, bytes], shown: Mapping[str, str]) -> dict[str, Any]:
        """The repair in the JSON report. `texts` are the files by path, `shown` their names as the user wrote them."""
        p = self.proposal
        line, before, after = lines_touched(texts[p.edits[0].path], p.edits[0])
        paths = dict.fromkeys(e.path for e in p.edits)
        new = {path: apply_edits(texts[path], [e for e in p.edits if e.path == path]) for path in paths}
        return {
            "file": shown[p.edits[0].path],
            "line": line,
            "before": before,
            "after": after,
            "diff": "".join(unified_diff(texts[path], new[path], shown[path]) for path in paths),
            "failing_fixed": self.tally.fixed,
            "failing_total": self.failing,
            "passing_kept": self.tally.kept,
            "passing_total": self.passing,
            "similar_changed": self.tally.differs,
            "similar_total": self.tally.similar,
            "why": p.why,
            "weight": p.weight,
            "kind": p.family,
            "label": self.label,
            "silences": p.silences,
            "statement": {"file": p.place.file, "line": p.place.line, "text": p.place.text},
            "edits": [
                {"file": shown[e.path], "start": e.start, "end": e.end, "new": e.new.decode("utf-8", "surrogateescape")}
                for e in p.edits
            ],
        }


def best_first(repairs: Iterable[Repair]) -> list[Repair]:
    """The repairs, best first; of many of one statement the best few come before those of others, the rest after."""
    first: list[Repair] = []
    later: list[Repair] = []
    met: dict[object, int] = {}
    for r in sorted(repairs, key=lambda r: r.key):
        count = met[r.proposal.place] = met.get(r.proposal.place, 0) + 1
        (first if count <= MAX_REPAIRS_PER_STATEMENT and r.is_complete else later).append(r)
    return [*first, *sorted(later, key=lambda r: r.key)]


def best_by_statement(repairs: Sequence[Repair]) -> dict[Any, Repair]:
    """The first repair of each statement."""
    found: dict[Any, Repair] = {}
    for r in repairs:
        found.setdefault(r.proposal.place, r)
    return found
