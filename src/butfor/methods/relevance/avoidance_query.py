"""Whether another value avoids the failure whatever inputs come later: by trying, then by a solver.

Inputs after the change may have any value, so the query is ∃∀: are there a state and a value such that no later input
leads on to the failure? It is solved by counterexample-guided refinement: later inputs that do lead there exclude
states and values, until none is left or one withstands. Where that does not end, a solver with quantifiers is asked
once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice

from butfor.logic.evaluate import Evaluator
from butfor.logic.rules import is_literal
from butfor.logic.simplify import ALGEBRA
from butfor.logic.solvers import Limit, SolverResult, Stack, Verdict, default_stack, no_values_exist
from butfor.logic.sorts import Value, default_value
from butfor.logic.substitute import Substitution, constants
from butfor.logic.terms import FALSE, TRUE, Term, conjunction, negate, postorder, variables
from butfor.methods.relevance.suffix_conditions import SuffixConditions
from butfor.path.execute.any_value import AnyValues, nearest
from butfor.path.execute.symbolic_execution import SymbolicExecution
from butfor.path.path_model import Path

MAX_REFINEMENTS = 12  # most queries end after two or three; beyond these one quantified query is cheaper
SECONDS_PER_QUERY = 2.0  # to the solver; what is open by then is unknown
VALUES_BEFORE_HINTS = 2  # plain values are cheap to try: the recorded value plus and minus 1
MAX_TERMS_FOR_NEAREST = 600  # each step of the search for a nearer value evaluates all of them


@dataclass(frozen=True, slots=True)
class AvoidanceAnswer:
    """Whether a change avoids the failure.

    If SAT, `changed` are the values by symbol, and `state` those of other symbols where they differ from the recorded
    ones; None when none does.
    """

    verdict: Verdict
    changed: Mapping[str, Value] | None = None
    state: Mapping[str, Value] | None = None


@dataclass(frozen=True, slots=True)
class _ChangeQuery:
    """A change whose effect is asked for."""

    suffix: SuffixConditions
    given: Term  # what the new values must satisfy
    fresh: Mapping[str, Value]  # the symbols of the new values, with the recorded ones
    sorts: Mapping[str, int]  # of all symbols

    def depends_on_state(self) -> bool:
        """Whether it depends on symbols other than those of the change and the open ones."""
        found = (str(v.data) for v in variables((self.suffix.whole, self.given)))
        return any(name not in self.fresh and name not in self.suffix.open for name in found)

    def at(self, model: Mapping[str, Value], whole: Term, later: frozenset[str]) -> Term:
        """The conditions under the values of a model, over later symbols."""
        fixed = {n: v for n, v in model.items() if n not in later and n in self.sorts}
        return Substitution(constants(fixed, self.sorts), ALGEBRA)(whole)


class AvoidanceQueries:
    """Queries about one execution, with one solver that keeps what it learns about the execution itself."""

    def __init__(
        self, execution: SymbolicExecution, is_over: Callable[[], bool], seconds_per_query: float = SECONDS_PER_QUERY
    ) -> None:
        self.execution = execution
        self.is_over = is_over
        self.seconds_per_query = seconds_per_query
        self.asked = 0
        self._base = tuple(t for t in dict.fromkeys((execution.pre, *execution.conditions)) if not is_literal(t))
        self._execution_stack: Stack | None = None
        self._change_stack: Stack | None = None

    def avoids(
        self, suffix: SuffixConditions, new: AnyValues, given: Term = TRUE, hints: Iterable[Mapping[str, Value]] = ()
    ) -> AvoidanceAnswer:
        """Whether values of the fresh symbols that satisfy `given` exist with which the failure is surely avoided.

        Unknown where it is not avoided as long as every access goes where it went, and some may go elsewhere.
        """
        answer = self._answer(suffix, new, given, hints)
        if answer.verdict is Verdict.UNSAT and suffix.moves_access:
            return AvoidanceAnswer(Verdict.UNKNOWN)
        return answer

    def _answer(
        self, suffix: SuffixConditions, new: AnyValues, given: Term, hints: Iterable[Mapping[str, Value]]
    ) -> AvoidanceAnswer:
        if not suffix.changed:
            return AvoidanceAnswer(Verdict.UNSAT)
        change = _ChangeQuery(
            suffix,
            given,
            new.recorded,
            {**self.execution.symbols.sorts, **{n: sort for n, (_, sort, _) in new.meaning.items()}},
        )
        plain = new.candidates()
        found = self._tried(change, chain(islice(plain, VALUES_BEFORE_HINTS), hints, plain))
        if found is not None:
            return AvoidanceAnswer(Verdict.SAT, found)
        answer = self._in_recorded_state(change)
        if answer.verdict is not Verdict.SAT and change.depends_on_state():
            answer = self._search(change, suffix.open, self._base)
        return answer if answer.verdict is not Verdict.UNSAT else self._without_unknown(change)

    # --- trying values ------------------------------------------------------------------------------------------------

    def _tried(self, change: _ChangeQuery, candidates: Iterator[Mapping[str, Value]]) -> Mapping[str, Value] | None:
        """A candidate, or values nearer to the recorded ones, that violate a condition whatever inputs come later."""
        recorded = self.execution.symbols.recorded
        later = change.suffix.open
        closed = [t for t in change.suffix.changed if not any(str(v.data) in later for v in variables((t,)))]
        if not closed:
            return None

        def avoids(candidate: Mapping[str, Value]) -> bool:
            value = Evaluator({**recorded, **candidate})
            return bool(value(change.given)) and not all(value(t) for t in closed)

        found = next((c for c in candidates if avoids(c)), None)
        if found is None or len(list(islice(postorder(closed), MAX_TERMS_FOR_NEAREST))) == MAX_TERMS_FOR_NEAREST:
            return found
        return nearest(change.fresh, found, change.sorts, avoids)

    # --- the solver ---------------------------------------------------------------------------------------------------

    def _in_recorded_state(self, change: _ChangeQuery) -> AvoidanceAnswer:
        """The answer for the recorded state: only the change and the open symbols are free."""
        suffix = change.suffix
        fixed = {name: value for name, value in self.execution.symbols.recorded.items() if name not in suffix.open}
        fold = Substitution(constants(fixed, change.sorts), ALGEBRA)
        there = SuffixConditions(tuple(map(fold, suffix.changed)), tuple(map(fold, suffix.unchanged)), suffix.open)
        answer = self._search(_ChangeQuery(there, fold(change.given), change.fresh, change.sorts), suffix.open, ())
        return AvoidanceAnswer(answer.verdict, answer.changed)

    def _without_unknown(self, change: _ChangeQuery) -> AvoidanceAnswer:
        """UNSAT; UNKNOWN if values that nothing determines could avoid the failure."""
        unknown = change.suffix.open & self.execution.symbols.unknown
        if not unknown:
            return AvoidanceAnswer(Verdict.UNSAT)
        answer = self._search(change, change.suffix.open - unknown, self._base)
        return answer if answer.verdict is Verdict.UNSAT else AvoidanceAnswer(Verdict.UNKNOWN)

    def _search(self, change: _ChangeQuery, later: frozenset[str], base: tuple[Term, ...]) -> AvoidanceAnswer:
        fresh, sorts = change.fresh, change.sorts
        whole = _eliminated(change.suffix.whole, later)
        if whole is TRUE:
            return AvoidanceAnswer(Verdict.UNSAT)
        names = [str(v.data) for v in variables((whole,)) if str(v.data) in later]
        wanted = tuple(v for v in variables((*base, whole, change.given)) if str(v.data) not in later or base)
        recorded = self.execution.symbols.recorded
        excluded = [
            change.given,
            negate(Substitution(constants({n: recorded[n] for n in names}, sorts), ALGEBRA)(whole)),
        ]
        for _ in range(MAX_REFINEMENTS):
            if any(t is FALSE for t in excluded):
                return AvoidanceAnswer(Verdict.UNSAT)
            result = self._ask(base, tuple(excluded), wanted)
            if result.verdict is not Verdict.SAT:
                return AvoidanceAnswer(result.verdict)
            model = {**recorded, **fresh, **result.model}
            against = self._leads_on(change.at(model, whole, later))
            if against.verdict is Verdict.UNSAT:
                return self._found(model, fresh, base)
            if against.verdict is Verdict.UNKNOWN:
                return AvoidanceAnswer(Verdict.UNKNOWN)
            other = {n: against.model.get(n, default_value(sorts[n])) for n in names}
            excluded.append(negate(Substitution(constants(other, sorts), ALGEBRA)(whole)))
        self.asked += 1
        verdict, values = no_values_exist((*base, change.given), whole, names, wanted, self._limit())
        if verdict is not Verdict.SAT:
            return AvoidanceAnswer(verdict)
        model = {**recorded, **fresh, **values}
        against = self._leads_on(change.at(model, whole, later))
        return self._found(model, fresh, base) if against.verdict is Verdict.UNSAT else AvoidanceAnswer(Verdict.UNKNOWN)

    def _found(self, model: Mapping[str, Value], fresh: Mapping[str, Value], base: tuple[Term, ...]) -> AvoidanceAnswer:
        """The values of a model; UNKNOWN when the execution itself depends on values that nothing determines."""
        symbols = self.execution.symbols
        if base and symbols.unknown:
            values = {n: v for n, v in model.items() if n not in symbols.unknown and n in symbols.sorts}
            if Substitution(constants(values, symbols.sorts), ALGEBRA)(conjunction(base)) is not TRUE:
                return AvoidanceAnswer(Verdict.UNKNOWN)
        state = {
            n: model[n]
            for n in symbols.sorts
            if n in model and n not in symbols.unknown and model[n] != symbols.recorded[n]
        }
        return AvoidanceAnswer(Verdict.SAT, {n: model[n] for n in fresh}, state if base else None)

    def _leads_on(self, rest: Term) -> SolverResult[None]:
        """Whether later inputs lead on to the failure."""
        if is_literal(rest):
            return SolverResult(Verdict.SAT if rest is TRUE else Verdict.UNSAT)
        self.asked += 1
        self._change_stack = self._change_stack or default_stack()
        return self._change_stack.check([(rest,)], self._limit(), variables((rest,)))

    def _ask(self, base: tuple[Term, ...], layer: tuple[Term, ...], wanted: tuple[Term, ...]) -> SolverResult[None]:
        if not base and all(is_literal(t) for t in layer):
            return SolverResult(Verdict.SAT if all(t is TRUE for t in layer) else Verdict.UNSAT)
        self.asked += 1
        if not base:
            self._change_stack = self._change_stack or default_stack()
            return self._change_stack.check([layer], self._limit(), wanted)
        self._execution_stack = self._execution_stack or default_stack()
        return self._execution_stack.check([base, layer], self._limit(), wanted)

    def _limit(self) -> Limit:
        return Limit.after(self.seconds_per_query, self.is_over)


def _eliminated(whole: Term, later: frozenset[str]) -> Term:
    """The conditions without the later symbols that one of them determines: each is replaced by its value."""
    while True:
        parts = whole.args if whole.op == "all" else (whole,)
        for k, part in enumerate(parts):
            found = _solved_for(part, later)
            if found is not None:
                name, term = found
                whole = Substitution({name: term}, ALGEBRA)(conjunction((*parts[:k], *parts[k + 1 :])))
                break
        else:
            return whole


def _solved_for(part: Term, later: frozenset[str]) -> tuple[str, Term] | None:
    if part.op == "var" and str(part.data) in later and not part.width:
        return str(part.data), TRUE
    if part.op == "not" and part.args[0].op == "var" and str(part.args[0].data) in later:
        return str(part.args[0].data), FALSE
    if part.op == "eq":
        for x, y in (part.args, part.args[::-1]):
            if x.op == "var" and str(x.data) in later and x not in variables((y,)):
                return str(x.data), y
    return None


@dataclass(frozen=True, slots=True)
class OtherInputs:
    """Whether other inputs leave a path or make its check hold; `values`: such inputs, by position and cell."""

    verdict: Verdict
    values: Mapping[tuple[int, str], Value] = field(default_factory=dict)


def avoidable_by_inputs(path: Path, limit: Limit, since: int = 0) -> OtherInputs:
    """Whether some input that the precondition allows, and that comes in from a position on, avoids the failure."""
    execution = SymbolicExecution(path, pinned=False)
    symbols = execution.symbols
    early = {n: v for n, v in symbols.recorded.items() if symbols.position[n] < since}
    fold = Substitution(constants(early, symbols.sorts), ALGEBRA)
    whole = fold(conjunction(execution.conditions))
    if is_literal(whole):
        return OtherInputs(Verdict.UNSAT if whole is TRUE else Verdict.SAT)
    wanted = variables((whole,))
    result = default_stack().check([(fold(execution.pre), negate(whole))], limit, wanted)
    if result.verdict is not Verdict.SAT:
        return OtherInputs(result.verdict)
    values = {n: v for n, v in result.model.items() if n in symbols.cells and v != symbols.recorded[n]}
    return OtherInputs(Verdict.SAT, {(symbols.position[n], symbols.cells[n].name): v for n, v in values.items()})
