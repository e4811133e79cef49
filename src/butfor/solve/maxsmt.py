"""Weighted MaxSMT: the cheapest way to fulfil hard constraints, by linear search on a stack of assertions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from butfor.encode.terms import Term, binary, compare, const, ite, variable
from butfor.solve.base import Layer, Limit, SolverResult, Stack, Verdict

_WIDTH = 24  # bits of sums


class Sum:
    """The sum of the weights of the booleans that hold, as a variable. `weights` are natural numbers whose sum fits in 24 bits."""

    def __init__(self, name: str, weights: Sequence[tuple[Term, int]]) -> None:
        if sum(w for _, w in weights) >= 1 << _WIDTH:
            raise ValueError("the weights are too large")
        self.term = variable(name, _WIDTH)
        self._weights = weights

    def definition(self) -> Term:
        """What makes the variable the sum: sums of pairs, then of pairs of sums."""
        sums = [ite(on, const(w, _WIDTH), const(0, _WIDTH)) for on, w in self._weights] or [const(0, _WIDTH)]
        while len(sums) > 1:
            sums = [binary("add", *sums[k : k + 2]) if k + 1 < len(sums) else sums[k] for k in range(0, len(sums), 2)]
        return compare("eq", self.term, sums[0])

    def at_most(self, bound: int) -> Term:
        """Whether the sum is not above a number."""
        return compare("ule", self.term, const(bound, _WIDTH))


@dataclass
class Cheapest:
    """A search for solutions of hard constraints with the least cost, one after another; constraints are only ever added.

    `floor` is what all further solutions cost at least.
    """

    stack: Stack
    cost: Sum
    ceiling: int  # no solution costs more
    floor: int = 0

    def best(self, layers: Sequence[Layer], limit: Limit, wanted: Iterable[Term]) -> tuple[SolverResult[None], bool]:
        """The cheapest solution, and whether it is surely the cheapest; UNSAT when there is none."""
        names = (*wanted, self.cost.term)
        found: SolverResult[None] | None = None
        bound = self.floor
        while self.floor <= bound:
            result = self.stack.check([*layers, (self.cost.at_most(bound),)], limit, names)
            if result.verdict is Verdict.UNKNOWN:
                return (found or result), False
            if result.verdict is Verdict.SAT:
                found = result
                bound = int(result.model[str(self.cost.term.data)]) - 1
            else:
                self.floor = bound + 1
                bound = bound if found is not None else self.ceiling
        return (found or SolverResult(Verdict.UNSAT)), True
