"""Can another value avoid the failure, whatever comes in later? Values are tried first; then a solver is asked.

Behind the change everything that comes from outside may have any value, so the question is: are there a state and a value such that no later
input leads on to the failure. It is solved by counterexamples: later inputs that do lead there exclude states and values, until none is left
or one withstands. Where that does not end, a solver with quantifiers is asked once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice

from butfor.logic.evaluate import Evaluator
from butfor.logic.fold import Folding, constants, is_literal
from butfor.logic.solvers import Limit, SolverResult, Stack, Verdict, default_stack, no_values_exist
from butfor.logic.sorts import Value, default_value
from butfor.logic.terms import FALSE, TRUE, Term, conjunction, negate, postorder, variables
from butfor.methods.relevance.suffix_conditions import Suffix
from butfor.path.execute.any_value import AnyValues, nearest
from butfor.path.execute.symbolic_execution import Execution

_ROUNDS = 12
_EACH = 2.0  # seconds for one question to the solver
_FIRST = 2  # values that are tried before the hints
_LARGE = 600  # terms of conditions, from which on no nearer value is looked for


@dataclass(frozen=True, slots=True)
class Answer:
    """SAT: `changed` are the values, by symbol, and `state` the other symbols where they differ from those found; None when none does."""

    verdict: Verdict
    changed: Mapping[str, Value] | None = None
    state: Mapping[str, Value] | None = None


@dataclass(frozen=True, slots=True)
class _Change:
    """A change whose effect is asked for: what the failure still needs, what the values must fulfil, what they were, sorts of all symbols."""

    suffix: Suffix
    given: Term
    fresh: Mapping[str, Value]
    sorts: Mapping[str, int]

    def has_others(self) -> bool:
        """Whether it depends on symbols besides the change itself and what is open."""
        found = (str(v.data) for v in variables((self.suffix.whole, self.given)))
        return any(name not in self.fresh and name not in self.suffix.open for name in found)

    def at(self, model: Mapping[str, Value], whole: Term, later: frozenset[str]) -> Term:
        """The conditions for the values of a model, over what comes later."""
        return Folding(constants({n: v for n, v in model.items() if n not in later and n in self.sorts}, self.sorts))(
            whole
        )


class Questions:
    """Questions about one execution, with one solver that keeps what it learns about the execution itself."""

    def __init__(self, execution: Execution, is_over: Callable[[], bool], each: float = _EACH) -> None:
        self.execution = execution
        self.is_over = is_over
        self.each = each
        self.asked = 0
        self._base = tuple(t for t in dict.fromkeys((execution.pre, *execution.conditions)) if not is_literal(t))
        self._stack: Stack | None = None
        self._own: Stack | None = None

    def avoids(
        self, suffix: Suffix, new: AnyValues, given: Term = TRUE, hints: Iterable[Mapping[str, Value]] = ()
    ) -> Answer:
        """Whether values of the fresh symbols exist with which the failure is surely not reached. `given`: what the values must fulfil."""
        if not suffix.changed:
            return Answer(Verdict.UNSAT)
        change = _Change(
            suffix,
            given,
            new.recorded,
            {**self.execution.symbols.sorts, **{n: sort for n, (_, sort, _) in new.meaning.items()}},
        )
        plain = new.candidates()
        found = self._tried(change, chain(islice(plain, _FIRST), hints, plain))
        if found is not None:
            return Answer(Verdict.SAT, found)
        here = self._here(change)
        if here.verdict is Verdict.SAT or not change.has_others():
            return here if here.verdict is not Verdict.UNSAT else self._without_unknown(change)
        answer = self._search(change, suffix.open, self._base)
        return answer if answer.verdict is not Verdict.UNSAT else self._without_unknown(change)

    # --- values that are tried ----------------------------------------------------------------------------------------------

    def _tried(self, change: _Change, candidates: Iterator[Mapping[str, Value]]) -> Mapping[str, Value] | None:
        """A candidate, or something nearer to what was, with which a condition fails that no later input can help."""
        recorded = self.execution.symbols.recorded
        closed = [
            t for t in change.suffix.changed if not any(str(v.data) in change.suffix.open for v in variables((t,)))
        ]
        if not closed:
            return None

        def avoids(candidate: Mapping[str, Value]) -> bool:
            value = Evaluator({**recorded, **candidate})
            return bool(value(change.given)) and not all(value(t) for t in closed)

        found = next((c for c in candidates if avoids(c)), None)
        if found is None or sum(1 for _, _ in zip(postorder(closed), range(_LARGE), strict=False)) >= _LARGE:
            return found
        return nearest(change.fresh, found, change.sorts, avoids)

    # --- the solver ---------------------------------------------------------------------------------------------------------

    def _here(self, change: _Change) -> Answer:
        """The answer for the state that was found, only the change and what is open are symbols."""
        suffix = change.suffix
        fixed = {name: value for name, value in self.execution.symbols.recorded.items() if name not in suffix.open}
        fold = Folding(constants(fixed, change.sorts))
        there = Suffix(tuple(map(fold, suffix.changed)), tuple(map(fold, suffix.unchanged)), suffix.open)
        answer = self._search(_Change(there, fold(change.given), change.fresh, change.sorts), suffix.open, ())
        return Answer(answer.verdict, answer.changed)

    def _without_unknown(self, change: _Change) -> Answer:
        """That nothing avoids the failure; unknown, if values that nothing determines could."""
        unknown = change.suffix.open & self.execution.symbols.unknown
        if not unknown:
            return Answer(Verdict.UNSAT)
        answer = self._search(change, change.suffix.open - unknown, self._base)
        return answer if answer.verdict is Verdict.UNSAT else Answer(Verdict.UNKNOWN)

    def _search(self, change: _Change, later: frozenset[str], base: tuple[Term, ...]) -> Answer:
        fresh, sorts = change.fresh, change.sorts
        whole = _solved(change.suffix.whole, later)
        if whole is TRUE:
            return Answer(Verdict.UNSAT)
        names = [str(v.data) for v in variables((whole,)) if str(v.data) in later]
        wanted = tuple(v for v in variables((*base, whole, change.given)) if str(v.data) not in later or base)
        recorded = self.execution.symbols.recorded
        excluded = [change.given, negate(Folding(constants({n: recorded[n] for n in names}, sorts))(whole))]
        for _ in range(_ROUNDS):
            if any(t is FALSE for t in excluded):
                return Answer(Verdict.UNSAT)
            result = self._ask(base, tuple(excluded), wanted)
            if result.verdict is not Verdict.SAT:
                return Answer(result.verdict)
            model = {**recorded, **fresh, **result.model}
            against = self._leads_on(change.at(model, whole, later))
            if against.verdict is Verdict.UNSAT:
                return self._found(model, fresh, base)
            if against.verdict is Verdict.UNKNOWN:
                return Answer(Verdict.UNKNOWN)
            other = {n: against.model.get(n, default_value(sorts[n])) for n in names}
            excluded.append(negate(Folding(constants(other, sorts))(whole)))
        self.asked += 1
        verdict, values = no_values_exist((*base, change.given), whole, names, wanted, self._limit())
        if verdict is not Verdict.SAT:
            return Answer(verdict)
        model = {**recorded, **fresh, **values}
        against = self._leads_on(change.at(model, whole, later))
        return self._found(model, fresh, base) if against.verdict is Verdict.UNSAT else Answer(Verdict.UNKNOWN)

    def _found(self, model: Mapping[str, Value], fresh: Mapping[str, Value], base: tuple[Term, ...]) -> Answer:
        """The values of a model; unknown when the execution itself would depend on what nothing determines."""
        symbols = self.execution.symbols
        if base and symbols.unknown:
            values = {n: v for n, v in model.items() if n not in symbols.unknown and n in symbols.sorts}
            if Folding(constants(values, symbols.sorts))(conjunction(base)) is not TRUE:
                return Answer(Verdict.UNKNOWN)
        state = {
            n: model[n]
            for n in symbols.sorts
            if n in model and n not in symbols.unknown and model[n] != symbols.recorded[n]
        }
        return Answer(Verdict.SAT, {n: model[n] for n in fresh}, state if base else None)

    def _leads_on(self, rest: Term) -> SolverResult[None]:
        """Whether later inputs lead on to the failure."""
        if is_literal(rest):
            return SolverResult(Verdict.SAT if rest is TRUE else Verdict.UNSAT)
        self.asked += 1
        self._own = self._own or default_stack()
        return self._own.check([(rest,)], self._limit(), variables((rest,)))

    def _ask(self, base: tuple[Term, ...], layer: tuple[Term, ...], wanted: tuple[Term, ...]) -> SolverResult[None]:
        if not base and all(is_literal(t) for t in layer):
            return SolverResult(Verdict.SAT if all(t is TRUE for t in layer) else Verdict.UNSAT)
        self.asked += 1
        if not base:
            self._own = self._own or default_stack()
            return self._own.check([layer], self._limit(), wanted)
        self._stack = self._stack or default_stack()
        return self._stack.check([base, layer], self._limit(), wanted)

    def _limit(self) -> Limit:
        return Limit.after(self.each, self.is_over)


def _solved(whole: Term, later: frozenset[str]) -> Term:
    """The conditions without later symbols that one of them determines: there is a value for such a symbol, and it is put in."""
    while True:
        parts = whole.args if whole.op == "all" else (whole,)
        for k, part in enumerate(parts):
            found = _determined(part, later)
            if found is not None:
                name, term = found
                whole = Folding({name: term})(conjunction((*parts[:k], *parts[k + 1 :])))
                break
        else:
            return whole


def _determined(part: Term, later: frozenset[str]) -> tuple[str, Term] | None:
    if part.op == "var" and str(part.data) in later and not part.width:
        return str(part.data), TRUE
    if part.op == "not" and part.args[0].op == "var" and str(part.args[0].data) in later:
        return str(part.args[0].data), FALSE
    if part.op == "eq":
        for x, y in (part.args, part.args[::-1]):
            if x.op == "var" and str(x.data) in later and x not in variables((y,)):
                return str(x.data), y
    return None
