"""Values likely to avoid the failure, because the next reader of the cell avoids it with them.

A long computation is hard to invert as a whole, one step of it is not: from the end of the path backwards, each
statement is asked only for the value that yields one known to avoid the failure after it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping

from butfor.logic.rules import is_literal
from butfor.logic.simplify import ALGEBRA
from butfor.logic.solvers import Limit, Stack, Verdict, default_stack
from butfor.logic.sorts import Value, is_map
from butfor.logic.substitute import Substitution, constants, substitute
from butfor.logic.terms import TRUE, Term, constant, equal, negate, variable
from butfor.path.execute.any_value import AnyValues
from butfor.path.execute.symbolic_execution import SymbolicExecution

MAX_READERS_PER_CELL = 4  # those after them read mostly the same
MAX_SYMBOLS_PER_CHANGE = 10  # a block that assigns more is asked about as a whole
SECONDS_PER_HINT = 0.2  # inverting one step is easy, or no hint


class ValueHints:
    """Hints for one execution, from the values that are noted as avoiding the failure."""

    def __init__(self, execution: SymbolicExecution, is_over: Callable[[], bool]) -> None:
        self.execution = execution
        self.is_over = is_over
        self._known: dict[tuple[int, str], Value] = {}
        self._recorded = constants(execution.symbols.recorded, execution.symbols.sorts)
        self._stack: Stack | None = None

    def note(self, position: int, cell: str, value: Value) -> None:
        """Remember that the failure is avoided when an instance gives a cell this value."""
        self._known[position, cell] = value

    def candidates(self, position: int, new: AnyValues) -> Iterator[Mapping[str, Value]]:
        """Values to try for the fresh symbols in cells before the instance at a position."""
        for name, (cell, sort, indexes) in list(new.meaning.items())[:MAX_SYMBOLS_PER_CHANGE]:
            if indexes or is_map(sort):
                continue
            symbol = variable(name, sort)
            for wanted in self._wanted(position, cell.name, symbol):
                value = self._solution(wanted, symbol)
                if value is not None and value != new.recorded[name]:
                    yield {**new.recorded, name: value}

    def _wanted(self, position: int, cell: str, symbol: Term) -> Iterator[Term]:
        """The conditions on a symbol for avoiding the failure at the next readers of its cell."""
        e = self.execution
        touches, writers = e.touches[cell], e.writers[cell]
        for k in touches[bisect_left(touches, position) :][:MAX_READERS_PER_CELL]:
            if k == e.size:
                yield self._at_reader(e.path.check, k, cell, symbol)
                return
            instance = e.path.instances[k]
            if instance.condition is not TRUE:
                yield negate(self._at_reader(instance.condition, k, cell, symbol))
            for target, term in instance.writes:
                wanted = self._known.get((k, target.name))
                if wanted is not None and term is not None:
                    yield equal(self._at_reader(term, k, cell, symbol), constant(wanted, target.sort))
            if k in writers:
                return

    def _at_reader(self, term: Term, k: int, cell: str, symbol: Term) -> Term:
        """A term at instance k with the symbol in one cell and recorded values in all others."""
        there = substitute(term, lambda name: symbol if name == cell else self.execution.value(name, k), ALGEBRA)
        return Substitution(self._recorded, ALGEBRA)(there)

    def _solution(self, condition: Term, symbol: Term) -> Value | None:
        if is_literal(condition) or self.is_over():
            return None
        self._stack = self._stack or default_stack()
        result = self._stack.check([(condition,)], Limit.after(SECONDS_PER_HINT), (symbol,))
        return result.model.get(str(symbol.data)) if result.verdict is Verdict.SAT else None
