"""The solver's word on causes: whether their instances alone force what they explain, within a share of the time."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

from butfor.encode.cause_recheck import recheck
from butfor.logic.solvers import Verdict
from butfor.methods.case import FailingRun
from butfor.trace.trace import Node

_SOLVING, _EACH = 3.0, 0.5  # seconds for all re-checks, and for one
_SHARE = 0.25  # of the budget, at most
_MOST_SOLVED = 1_000  # instances of a cause that is re-checked


@dataclass(frozen=True, slots=True)
class Claim:
    """These instances alone force the values of the roots. `complete`: no instance was left out for its number."""

    nodes: tuple[Node, ...]
    roots: tuple[Node, ...]
    complete: bool


class Confirming:
    """Asks a solver about claims, in the order in which they come, until its time is used up."""

    def __init__(self, case: FailingRun, without: frozenset[str]) -> None:
        self.case = case
        self._left = min(_SOLVING, case.options.budget * _SHARE)
        self._only_related = "unrelated" not in without
        self._only_slice = "slicing" not in without

    def confirms(self, claims: Iterable[Claim], others: Iterable[Node]) -> bool:
        """Whether the solver agrees with all claims; `others` are instances that have nothing to do with them."""
        related = () if self._only_related else tuple(others)
        return all(claim.complete and self._confirms(claim, related) for claim in claims)

    def _confirms(self, claim: Claim, others: tuple[Node, ...]) -> bool:
        nodes = self._given(claim.nodes, others)
        if not claim.roots or self._left <= 0 or len(nodes) > _MOST_SOLVED * (1 if self._only_slice else 20):
            return False
        start = time.monotonic()
        is_over = self.case.budget.is_over
        verdict = recheck(
            self.case.trace,
            nodes,
            claim.roots,
            min(_EACH, self._left),
            dependence=self.case.dependence,
            is_cancelled=is_over,
        )
        self._left -= time.monotonic() - start
        return verdict is Verdict.UNSAT

    def _given(self, nodes: tuple[Node, ...], others: tuple[Node, ...]) -> dict[Node, None]:
        """The instances that the solver is given: the cause itself; without optimisations also what has nothing to do with it."""
        given = dict.fromkeys((*nodes, *others))
        if not self._only_slice:
            trace, last = self.case.trace, max((n[0] for n in given), default=-1)
            given = {
                **{(i, n): None for i in range(last + 1) for n in range(trace.at(i).seg.start, trace.at(i).seg.end)},
                **given,
            }
        return given
