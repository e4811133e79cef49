"""What interpolation asks of the solver, within a limit; answers that did not come count as no."""

from __future__ import annotations

from collections.abc import Sequence

from butfor.logic.solvers import Limit, Stack, Verdict, default_stack
from butfor.logic.terms import Term, conjunction, negate
from butfor.methods.error_invariants.contradiction_chain import Chain

_LONGEST = 2.0  # seconds for one question

Layers = Sequence[tuple[Term, ...]]


class Questions:
    """Questions with one limit; solvers are made when first asked."""

    def __init__(self, limit: Limit) -> None:
        self.limit = limit
        self.asked = 0
        self.unknown = 0
        self._small: Stack | None = None
        self._before: Stack | None = None
        self._after: Stack | None = None

    @property
    def is_over(self) -> bool:
        """Whether there is no time left."""
        return self.limit.left <= 0.0

    def _ask(self, stack: Stack, layers: Layers) -> bool:
        if self.is_over:
            self.unknown += 1
            return False
        self.asked += 1
        verdict = stack.check(layers, Limit.after(min(_LONGEST, self.limit.left), self.limit.is_cancelled)).verdict
        self.unknown += verdict is Verdict.UNKNOWN
        return verdict is Verdict.UNSAT

    def impossible(self, *terms: Term) -> bool:
        """Whether these few terms cannot hold together."""
        if self._small is None:
            self._small = default_stack()
        return self._ask(self._small, [tuple(terms)])

    def leads(self, chain: Chain, position: int, before: Sequence[Term], after: Sequence[Term]) -> bool:
        """Whether atoms before a step give those after it; behind the last step: whether they contradict the goal."""
        known = [chain.put(a, position) for a in before]
        if position == len(chain):
            return self.impossible(*known, *chain.links(position), chain.check)
        wanted = conjunction(chain.put(a, position + 1) for a in after)
        return self.impossible(*known, *chain.links(position), *chain.steps[position].terms, negate(wanted))

    def follows(self, chain: Chain, position: int, atom: Term) -> bool:
        """Whether an atom follows from all that comes before a position."""
        if self._before is None:
            self._before = default_stack()
        return self._ask(self._before, [*chain.prefix(position), (negate(chain.put(atom, position)),)])

    def contradicts(self, chain: Chain, position: int, atom: Term) -> bool:
        """Whether an atom contradicts all that comes after a position."""
        if self._after is None:
            self._after = default_stack()
        return self._ask(self._after, [*chain.suffix(position), (chain.put(atom, position),)])
