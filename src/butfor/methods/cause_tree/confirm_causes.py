"""Causes re-checked by a solver: whether their instances alone force the property that they explain.

The solver is the last word: that folding constants shows it does not count, since causes are made smaller by folding.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from butfor.encode.trace_formula import recheck
from butfor.logic.solvers import Verdict, default_solver
from butfor.logic.terms import Term
from butfor.methods.case import FailingRun
from butfor.trace.trace import Node

MAX_RECHECK_SECONDS = 3.0  # for all causes of a tree
MAX_RECHECK_BUDGET_SHARE = 0.25  # the same for small budgets: other methods need time too
SECONDS_PER_RECHECK = 0.5  # a cause that takes longer rarely gets an answer
MAX_RECHECKED_INSTANCES = 1_000  # the solver rarely answers in time for larger causes
UNSLICED_FACTOR = 20  # without slicing the solver is given far more, to measure what slicing saves


@dataclass(frozen=True, slots=True)
class Claim:
    """The claim that some instances alone force the values of the roots. `complete`: no limit left an instance out."""

    nodes: tuple[Node, ...]
    roots: tuple[Node, ...]
    complete: bool
    held: Mapping[Node, Term] = field(default_factory=dict)  # decisions that it takes to have gone as recorded


class CauseConfirmation:
    """Re-checks claims in the order in which they come, until the time for it is used up."""

    def __init__(self, case: FailingRun, without: frozenset[str]) -> None:
        self.case = case
        self._left = min(MAX_RECHECK_SECONDS, case.options.budget * MAX_RECHECK_BUDGET_SHARE)
        self.constraints = 0  # instances that the solver was given, over all claims
        self._only_related = "unrelated" not in without
        self._only_slice = "slicing" not in without
        self._solver = default_solver(in_series=True)

    def confirms(self, claims: Iterable[Claim], others: Iterable[Node]) -> bool:
        """Whether the solver agrees with all claims; `others` are unrelated instances."""
        unrelated = () if self._only_related else tuple(others)
        return all(claim.complete and self._confirms(claim, unrelated) for claim in claims)

    def _confirms(self, claim: Claim, others: tuple[Node, ...]) -> bool:
        nodes = self._given(claim.nodes, others)
        most = MAX_RECHECKED_INSTANCES * (1 if self._only_slice else UNSLICED_FACTOR)
        if not claim.roots or self._left <= 0 or len(nodes) > most or self.case.budget.is_over():
            return False
        self.constraints += len(nodes)
        start = time.monotonic()
        verdict = recheck(
            self.case.trace,
            nodes,
            claim.roots,
            min(SECONDS_PER_RECHECK, self._left),
            dependence=self.case.dependence,
            held=claim.held,
            solver=self._solver,
        )
        self._left -= time.monotonic() - start
        return verdict is Verdict.UNSAT

    def _given(self, nodes: tuple[Node, ...], others: tuple[Node, ...]) -> dict[Node, None]:
        """The instances that the solver is given: those of the cause; without optimisations, unrelated ones too."""
        given = dict.fromkeys((*nodes, *others))
        if not self._only_slice:
            trace, last = self.case.trace, max((n[0] for n in given), default=-1)
            given = {
                **{(i, n): None for i in range(last + 1) for n in range(trace.at(i).seg.start, trace.at(i).seg.end)},
                **given,
            }
        return given
