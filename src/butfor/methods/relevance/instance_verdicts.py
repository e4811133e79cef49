"""The verdict on every instance of a failing path: could another value have avoided the failure?

An instance is relevant if there are an execution of the path and values for the cells that the instance assigns such
that no continuation along the path fails. Flow-sensitive: a branch block that is irrelevant as a whole is summarised
instead of followed, and everything in it is irrelevant.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from itertools import chain, islice

from butfor.logic.evaluate import Evaluator
from butfor.logic.rules import is_literal
from butfor.logic.simplify import ALGEBRA
from butfor.logic.solvers import Verdict
from butfor.logic.sorts import Value
from butfor.logic.substitute import Substitution, constants, substitute
from butfor.logic.terms import TRUE, Term, conjunction, constant, disjunction, equal, variable
from butfor.methods.relevance.avoidance_query import (
    SECONDS_PER_QUERY,
    VALUES_BEFORE_HINTS,
    AvoidanceAnswer,
    AvoidanceQueries,
)
from butfor.methods.relevance.suffix_conditions import SuffixConditions, SuffixExecution, SummarisedBlocks
from butfor.methods.relevance.value_hints import ValueHints
from butfor.path.execute.any_value import AnyValues, OtherValue, any_cells, any_written, nearest, pointer_values
from butfor.path.execute.symbolic_execution import SymbolicExecution
from butfor.path.path_model import Cell, Instance, Kind, Path

VALUES_AFTER_HINTS = 8  # plain values that are tried by execution before a solver is asked
MAX_INSTANCES_FOR_NEAREST = 150  # to the end: each step of the search for a nearer value executes all of them


class Relevance(enum.Enum):
    """ENFORCING: always leads to the failure where another value would not. ADMITTING: an input that may or may not."""

    ENFORCING = "enforcing"
    ADMITTING = "admitting"
    IRRELEVANT = "irrelevant"
    UNKNOWN = "unknown"

    @property
    def is_relevant(self) -> bool:
        """Whether another value could have avoided the failure."""
        return self in (Relevance.ENFORCING, Relevance.ADMITTING)


@dataclass(frozen=True, slots=True)
class InstanceVerdict:
    """The verdict on one instance, with values that avoid the failure.

    `inputs`: other inputs that are needed for that, with their positions; none when the recorded ones do. `in_block`:
    it is in a block that is irrelevant as a whole.
    """

    position: int
    verdict: Relevance
    counterfactual: tuple[OtherValue, ...] = ()
    inputs: tuple[tuple[Cell, Value, int], ...] = ()
    in_block: bool = False
    through_blocks: bool = False  # the answer depends on summarised blocks
    start: Cell | None = None  # for the value of a cell before the first instance


@dataclass(frozen=True, slots=True)
class Judgement:
    """All verdicts on a path, by position."""

    by_position: Mapping[int, InstanceVerdict]
    starts: tuple[InstanceVerdict, ...]  # of the cells whose initial values are inputs
    control: tuple[int, ...]  # branches that decide whether the failed check is reached
    skipped: Mapping[int, int]  # irrelevant blocks, start to end
    asked: int
    complete: bool


def judge(
    path: Path,
    is_over: Callable[[], bool],
    *,
    pinned: bool = False,
    flow: bool = True,
    only: Collection[int] | None = None,
    seconds_per_query: float = SECONDS_PER_QUERY,
) -> Judgement:
    """The verdicts on the instances of a path, or on those at some positions only."""
    return _Judge(path, is_over, pinned, seconds_per_query).judgement(flow, only)


class _Judge:
    def __init__(self, path: Path, is_over: Callable[[], bool], pinned: bool, seconds_per_query: float) -> None:
        self.path = path
        self.execution = SymbolicExecution(path, pinned=pinned)
        self.blocks = SummarisedBlocks()
        self.rest = SuffixExecution(self.execution, self.blocks)
        self.queries = AvoidanceQueries(self.execution, is_over, seconds_per_query)
        # with all inputs pinned, values can be tried by computation alone
        self.pinned_rest = SuffixExecution(SymbolicExecution(path, pinned=True), self.blocks)
        self.last_input = max(self.execution.symbols.position.values(), default=-1)
        self.hints = ValueHints(self.execution, is_over)
        self.recorded = constants(self.execution.symbols.recorded, self.execution.symbols.sorts)
        self.around_check = frozenset(path.scope)
        conditions = zip(path.instances, self.execution.conditions, strict=False)
        # other inputs along the path may lead accesses elsewhere, of which the path says nothing
        self.moves_with_inputs = any(i.is_address and not is_literal(condition) for i, condition in conditions) or (
            path.inputs_move_stores and not pinned
        )
        self.is_over = is_over
        self.complete = True
        self._known: dict[int, InstanceVerdict] = {}
        self._asked_at_ends: dict[tuple[int, frozenset[str]], Verdict] = {}

    def judgement(self, flow: bool, only: Collection[int] | None) -> Judgement:
        """All verdicts, from the end to the start: first on a block as a whole, then on its instances."""
        instances = self.path.instances
        found: dict[int, InstanceVerdict] = {}
        work = self._top_level(0, len(instances))
        while work:
            k = work.pop()
            instance = instances[k]
            if instance.kind is Kind.BRANCH:
                if flow and self._is_irrelevant_block(k, instance):
                    self.blocks.add(k, instance.end)
                    inside = [j for j in range(k, instance.end) if instances[j].writes and (only is None or j in only)]
                    found.update((j, InstanceVerdict(j, Relevance.IRRELEVANT, in_block=True)) for j in inside)
                else:
                    work += self._top_level(k + 1, instance.end)
            if instance.writes and k not in self.blocks.inside and (only is None or k in only):
                found[k] = self._judged(k, instance)
        starts = self._starts() if only is None else ()
        control = tuple(
            k for k, i in enumerate(instances) if i.kind is Kind.BRANCH and (i.escapes or k in self.around_check)
        )
        skipped = dict(sorted(self.blocks.ends.items()))
        verdicts = {k: self._as_far_as_known(verdict) for k, verdict in sorted(found.items())}
        starts = tuple(map(self._as_far_as_known, starts))
        return Judgement(verdicts, starts, control, skipped, self.queries.asked, self.complete)

    def _as_far_as_known(self, verdict: InstanceVerdict) -> InstanceVerdict:
        """The verdict; unknown where it says that no value avoids the failure, but accesses may go elsewhere then."""
        is_unsure = verdict.position >= 0 and self.path.instances[verdict.position].place in self.path.unsure
        if (is_unsure or self.moves_with_inputs) and verdict.verdict is Relevance.IRRELEVANT:
            return replace(verdict, verdict=Relevance.UNKNOWN)
        return verdict

    def _top_level(self, start: int, end: int) -> list[int]:
        """The instances of a range that are inside no branch of that range, the branches included."""
        found = []
        k = start
        while k < end:
            found.append(k)
            k = self.path.instances[k].end if self.path.instances[k].kind is Kind.BRANCH else k + 1
        return found

    def _start_with(self, new: AnyValues) -> Callable[[str], Term | None]:
        """The values of cells at the start of the path, with the new ones in place of the recorded ones."""
        return lambda name: new.terms.get(name) or self.execution.value(name, 0)

    def _starts(self) -> tuple[InstanceVerdict, ...]:
        """The verdicts on initial values that are inputs, within the precondition."""
        found = []
        for cell in self.path.cells:
            if cell.name in self.path.inputs and not self.execution.pinned and not self.is_over():
                new = any_cells(self.execution, 0, (cell,))
                given = substitute(self.path.pre, self._start_with(new), ALGEBRA)
                answer = self.queries.avoids(self.rest.after(0, new.terms), new, given)
                others = new.others(answer.changed) if answer.changed is not None else ()
                verdict = {
                    Verdict.SAT: Relevance.ADMITTING,
                    Verdict.UNSAT: Relevance.IRRELEVANT,
                    Verdict.UNKNOWN: Relevance.UNKNOWN,
                }
                found.append(InstanceVerdict(-1, verdict[answer.verdict], others, start=cell))
        return tuple(found)

    # --- blocks -------------------------------------------------------------------------------------------------------

    def _is_irrelevant_block(self, k: int, branch: Instance) -> bool:
        """Whether the failure is reached whatever a block assigns."""
        if branch.escapes or k in self.around_check or self.is_over():
            return False
        inside = self.path.instances[k : branch.end]
        last = self._last_written(k, branch.end)
        if last is not None and self._judged(last, self.path.instances[last]).verdict.is_relevant:
            return False
        cells = {c.name: c for i in inside for c, _ in i.writes} | {c.name: c for i in inside for c in i.frames}
        known = branch.end, frozenset(cells)  # the rounds of a loop end together
        if known not in self._asked_at_ends:
            new = any_cells(self.execution, branch.end, cells.values())
            suffix, answer = self._ask(branch.end, new, until_moved=True)
            self.complete &= answer.verdict is not Verdict.UNKNOWN or suffix.moves_access
            self._asked_at_ends[known] = answer.verdict
        return self._asked_at_ends[known] is Verdict.UNSAT

    def _last_written(self, start: int, end: int) -> int | None:
        """The last instance of a block that writes, if no condition follows it: if it is relevant, so is the block."""
        for j in range(end - 1, start, -1):
            instance = self.path.instances[j]
            if instance.writes:
                return j
            if instance.condition is not TRUE:
                return None
        return None

    # --- instances ----------------------------------------------------------------------------------------------------

    def _judged(self, k: int, instance: Instance) -> InstanceVerdict:
        """The verdict on one instance, after those on all later ones."""
        if k not in self._known:
            self._known[k] = self._decided(k, instance)
        return self._known[k]

    def _decided(self, k: int, instance: Instance) -> InstanceVerdict:
        if self.is_over():
            self.complete = False
            return InstanceVerdict(k, Relevance.UNKNOWN)
        new = any_written(self.execution, k, {c.name for c, _ in instance.writes})
        offered = self._pointers_offered(new)
        suffix, answer = self._ask(k + 1, new, offered)
        if offered is not TRUE and answer.verdict is Verdict.UNSAT:
            suffix, answer = self._ask(k + 1, new)
            if answer.verdict is not Verdict.UNSAT:  # only by an address that nobody could name
                return InstanceVerdict(k, Relevance.UNKNOWN, through_blocks=suffix.through_blocks)
        if answer.verdict is not Verdict.SAT:
            self.complete &= answer.verdict is Verdict.UNSAT or suffix.moves_access
            verdict = Relevance.IRRELEVANT if answer.verdict is Verdict.UNSAT else Relevance.UNKNOWN
            return InstanceVerdict(k, verdict, through_blocks=suffix.through_blocks)
        assert answer.changed is not None
        symbols = self.execution.symbols
        others = new.others(answer.changed)
        if not answer.state and len(others) == 1 and not others[0].indexes:
            self.hints.note(k, others[0].cell.name, others[0].value)
        inputs = tuple(
            (symbols.cells[n], v, symbols.position[n])
            for n, v in (answer.state or {}).items()
            if symbols.position[n] < k
        )
        return InstanceVerdict(k, self._kind(k, instance), others, inputs, through_blocks=suffix.through_blocks)

    def _kind(self, k: int, instance: Instance) -> Relevance:
        """Whether a relevant instance enforces the failure or, by an input, only admits it."""
        inputs = {c.name for c, term in instance.writes if term is None}
        if not inputs or self.execution.pinned:
            return Relevance.ENFORCING
        if len(inputs) == len(instance.writes):
            return Relevance.ADMITTING
        verdict = self._ask(k + 1, any_written(self.execution, k, inputs))[1].verdict
        return {
            Verdict.SAT: Relevance.ADMITTING,
            Verdict.UNSAT: Relevance.ENFORCING,
            Verdict.UNKNOWN: Relevance.UNKNOWN,
        }[verdict]

    def _pointers_offered(self, new: AnyValues) -> Term:
        """That new values of pointers are NULL or addresses of variables."""
        return conjunction(
            disjunction(equal(variable(name, sort), constant(v, sort)) for v in pointer_values(self.path, cell))
            for name, (cell, sort, _) in new.meaning.items()
            if cell.is_pointer
        )

    def _ask(
        self, position: int, new: AnyValues, given: Term = TRUE, *, until_moved: bool = False
    ) -> tuple[SuffixConditions, AvoidanceAnswer]:
        if self.last_input < position:
            found = self._tried(position, new, given)
            if found is not None:
                return found
        suffix = self.rest.after(position, new.terms, until_moved=until_moved)
        return suffix, self.queries.avoids(suffix, new, given, self.hints.candidates(position, new))

    def _tried(self, position: int, new: AnyValues, given: Term) -> tuple[SuffixConditions, AvoidanceAnswer] | None:
        """Values that avoid the failure when everything else is as recorded; no input comes later."""

        def leaves(candidate: Mapping[str, Value]) -> SuffixConditions | None:
            if given is not TRUE and not Evaluator(candidate)(given):
                return None
            fold = Substitution(
                {**self.recorded, **{n: constant(v, new.meaning[n][1]) for n, v in candidate.items()}}, ALGEBRA
            )
            return self.pinned_rest.surely_leaves(position, {cell: fold(term) for cell, term in new.terms.items()})

        plain = new.candidates()
        hints = self.hints.candidates(position, new)
        for candidate in chain(islice(plain, VALUES_BEFORE_HINTS), hints, islice(plain, VALUES_AFTER_HINTS)):
            suffix = leaves(candidate)
            if suffix is not None:
                if len(self.path.instances) - position < MAX_INSTANCES_FOR_NEAREST:
                    sorts = {n: sort for n, (_, sort, _) in new.meaning.items()}
                    candidate = nearest(new.recorded, candidate, sorts, lambda c: leaves(c) is not None)
                return suffix, AvoidanceAnswer(Verdict.SAT, candidate)
        return None
