"""Weighted MaxSMT: the cheapest solution of hard constraints, by linear search."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from butfor.logic.solvers.solver import Layer, Limit, SolverResult, Stack, Verdict
from butfor.logic.sorts import INT
from butfor.logic.terms import Term, arithmetic, binary, compare, const, ite, number, order, variable

SUM_BITS = 24  # 16 million; the weights of all choices together stay far below


class Sum:
    """The sum of the weights of the booleans that hold, as a variable. `weights` are natural numbers.

    `unbounded`: the sum is an unbounded number, for problems that have such numbers; else it has so many bits.
    """

    def __init__(
        self, name: str, weights: Sequence[tuple[Term, int]], *, unbounded: bool = False, bits: int = SUM_BITS
    ) -> None:
        if not unbounded and sum(w for _, w in weights) >= 1 << bits:
            raise ValueError("the weights are too large")
        self.unbounded = unbounded
        self.bits = bits
        self.term = variable(name, INT if unbounded else bits)
        self._weights = weights

    def definition(self) -> Term:
        """What makes the variable the sum: sums of pairs, then of pairs of sums."""
        sums = [ite(on, self._number(w), self._number(0)) for on, w in self._weights] or [self._number(0)]
        while len(sums) > 1:
            sums = [self._sum(*sums[k : k + 2]) if k + 1 < len(sums) else sums[k] for k in range(0, len(sums), 2)]
        return compare("eq", self.term, sums[0])

    def at_most(self, bound: int) -> Term:
        """Whether the sum is not above a number."""
        return (
            order("le", self.term, self._number(bound))
            if self.unbounded
            else compare("ule", self.term, self._number(bound))
        )

    def _number(self, value: int) -> Term:
        return number(value, INT) if self.unbounded else const(value, self.bits)

    def _sum(self, x: Term, y: Term) -> Term:
        return arithmetic("plus", x, y) if self.unbounded else binary("add", x, y)


@dataclass
class Cheapest:
    """A search for the cheapest solutions of hard constraints, one after another; constraints are only ever added.

    `floor` is the least that any further solution costs.
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
