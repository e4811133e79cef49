"""Values that are likely to avoid the failure: those that give the next reader of a cell what avoids it there.

A long computation is hard to invert as a whole, one step of it is not: from the end of the path towards its start, each statement needs to be
asked only for the value that leads to one which is known to avoid the failure behind it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping

from butfor.logic.fold import Folding, constants, folded, is_literal
from butfor.logic.solvers import Limit, Stack, Verdict, default_stack
from butfor.logic.sorts import Value, is_map
from butfor.logic.terms import TRUE, Term, constant, equal, negate, variable
from butfor.path.execute.any_value import AnyValues
from butfor.path.execute.symbolic_execution import Execution

_READERS, _SYMBOLS = 4, 10  # that are looked at
_SECONDS = 0.2  # for one step


class Hints:
    """Hints for one execution; `note` tells what was found to avoid the failure."""

    def __init__(self, execution: Execution, is_over: Callable[[], bool]) -> None:
        self.execution = execution
        self.is_over = is_over
        self._known: dict[tuple[int, str], Value] = {}
        self._recorded = constants(execution.symbols.recorded, execution.symbols.sorts)
        self._stack: Stack | None = None

    def note(self, position: int, cell: str, value: Value) -> None:
        """Remembers that the failure is avoided when an instance gives a cell this value."""
        self._known[position, cell] = value

    def of(self, position: int, new: AnyValues) -> Iterator[Mapping[str, Value]]:
        """Values for fresh symbols that cells have before the instance at a position."""
        for name, (cell, sort, indexes) in list(new.meaning.items())[:_SYMBOLS]:
            if indexes or is_map(sort):
                continue
            symbol = variable(name, sort)
            for question in self._questions(position, cell.name, symbol):
                value = self._solved(question, symbol)
                if value is not None and value != new.recorded[name]:
                    yield {**new.recorded, name: value}

    def _questions(self, position: int, cell: str, symbol: Term) -> Iterator[Term]:
        """What the symbol would have to fulfil at the next readers of its cell."""
        e = self.execution
        touches, writers = e.touches[cell], e.writers[cell]
        for k in touches[bisect_left(touches, position) :][:_READERS]:
            if k == e.size:
                yield self._put(e.path.check, k, cell, symbol)
                return
            instance = e.path.instances[k]
            if instance.condition is not TRUE:
                yield negate(self._put(instance.condition, k, cell, symbol))
            for target, term in instance.writes:
                wanted = self._known.get((k, target.name))
                if wanted is not None and term is not None:
                    yield equal(self._put(term, k, cell, symbol), constant(wanted, target.sort))
            if k in writers:
                return

    def _put(self, term: Term, k: int, cell: str, symbol: Term) -> Term:
        """A term with the symbol in one cell and the values found in all others."""
        there = folded(term, lambda name: symbol if name == cell else self.execution.value(name, k))
        return Folding(self._recorded)(there)

    def _solved(self, question: Term, symbol: Term) -> Value | None:
        if is_literal(question) or self.is_over():
            return None
        self._stack = self._stack or default_stack()
        result = self._stack.check([(question,)], Limit.after(_SECONDS), (symbol,))
        return result.model.get(str(symbol.data)) if result.verdict is Verdict.SAT else None
