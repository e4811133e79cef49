"""The verdict on every statement instance of a failing path: could another value here have avoided the failure?

An instance is relevant when some execution of the path and some values of the cells that it assigns exist, so that after them no continuation
along the path fails. Flow-sensitive: a block that is irrelevant as a whole is summed up instead of followed, and what is in it is irrelevant.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from itertools import chain, islice

from butfor.logic.fold import Folding, constants, folded
from butfor.logic.solvers import Verdict
from butfor.logic.sorts import Value
from butfor.logic.terms import TRUE, Term, constant
from butfor.methods.relevance.avoidance_question import Answer, Questions
from butfor.methods.relevance.suffix_conditions import Blocks, Following, Suffix
from butfor.methods.relevance.value_hints import Hints
from butfor.path.execute.any_value import AnyValues, Other, any_cells, any_written, nearest
from butfor.path.execute.symbolic_execution import Execution
from butfor.path.path_model import Cell, Instance, Kind, Path

EACH = 2.0  # seconds for one question to the solver
_FIRST, _NEXT = 2, 8  # plain values that are tried, before and after the hints
_SHORT = 150  # instances to the end, up to which a nearer value is looked for


class Relevance(enum.Enum):
    """ENFORCING: it always leads on to the failure, another value would not. ADMITTING: an input that may or may not."""

    ENFORCING = "enforcing"
    ADMITTING = "admitting"
    IRRELEVANT = "irrelevant"
    UNKNOWN = "unknown"

    @property
    def is_relevant(self) -> bool:
        """Whether another value could have avoided the failure."""
        return self in (Relevance.ENFORCING, Relevance.ADMITTING)


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict on one instance, with values that avoid the failure.

    `inputs`: what else must have come from outside for that, by cell; None when it was as found. `in_block`: it stands in a block that is
    irrelevant as a whole.
    """

    position: int
    verdict: Relevance
    counterfactual: tuple[Other, ...] = ()
    inputs: tuple[tuple[Cell, Value], ...] = ()
    in_block: bool = False
    through_blocks: bool = False  # the answer made use of summed-up blocks
    start: Cell | None = None  # for what a cell holds before the first instance


@dataclass(frozen=True, slots=True)
class Judgement:
    """All verdicts, by position. `control`: branches without which the failed check is not reached; `skipped`: blocks that are irrelevant."""

    by_position: Mapping[int, Judged]
    starts: tuple[Judged, ...]  # of the cells whose start comes from outside
    control: tuple[int, ...]
    skipped: Mapping[int, int]
    asked: int
    complete: bool


def judge(
    path: Path,
    is_over: Callable[[], bool],
    *,
    pinned: bool = False,
    flow: bool = True,
    only: Collection[int] | None = None,
    each: float = EACH,
) -> Judgement:
    """The verdicts on the instances of a path, or on those at some positions only."""
    return _Judge(path, is_over, pinned, each).judgement(flow, only)


class _Judge:
    def __init__(self, path: Path, is_over: Callable[[], bool], pinned: bool, each: float) -> None:
        self.path = path
        self.execution = Execution(path, pinned=pinned)
        self.blocks = Blocks()
        self.following = Following(self.execution, self.blocks)
        self.questions = Questions(self.execution, is_over, each)
        self.found = Execution(
            path, pinned=True
        )  # with the values found, on which other values can be tried by computing alone
        self.trying = Following(self.found, self.blocks)
        self.last_outside = max(self.execution.symbols.position.values(), default=-1)
        self.hints = Hints(self.execution, is_over)
        self.recorded = constants(self.execution.symbols.recorded, self.execution.symbols.sorts)
        self.around = frozenset(path.scope)
        self.is_over = is_over
        self.complete = True
        self._known: dict[int, Judged] = {}

    def judgement(self, flow: bool, only: Collection[int] | None) -> Judgement:
        """From the end to the start: of a block first whether it matters as a whole, then what is in it."""
        instances = self.path.instances
        found: dict[int, Judged] = {}
        work = self._items(0, len(instances))
        while work:
            k = work.pop()
            instance = instances[k]
            if instance.kind is Kind.BRANCH:
                if flow and self._is_idle(k, instance):
                    self.blocks.add(k, instance.end)
                    inside = [j for j in range(k, instance.end) if instances[j].writes and (only is None or j in only)]
                    found.update((j, Judged(j, Relevance.IRRELEVANT, in_block=True)) for j in inside)
                else:
                    work += self._items(k + 1, instance.end)
            if instance.writes and k not in self.blocks.inside and (only is None or k in only):
                found[k] = self._judged(k, instance)
        starts = self._starts() if only is None else ()
        control = tuple(k for k, i in enumerate(instances) if i.kind is Kind.BRANCH and (i.escapes or k in self.around))
        skipped = dict(sorted(self.blocks.ends.items()))
        return Judgement(dict(sorted(found.items())), starts, control, skipped, self.questions.asked, self.complete)

    def _items(self, start: int, end: int) -> list[int]:
        """The instances of a stretch that stand in no branch of it, and those branches."""
        found = []
        k = start
        while k < end:
            found.append(k)
            k = self.path.instances[k].end if self.path.instances[k].kind is Kind.BRANCH else k + 1
        return found

    def _start_with(self, new: AnyValues) -> Callable[[str], Term | None]:
        """Values at the start of the path, with those of `new` in the place of the recorded ones."""
        return lambda name: new.terms.get(name) or self.execution.value(name, 0)

    def _starts(self) -> tuple[Judged, ...]:
        """The verdicts on what cells hold at the start, for those whose start comes from outside: another value that was allowed."""
        found = []
        for cell in self.path.cells:
            if cell.name in self.path.inputs and not self.execution.pinned and not self.is_over():
                new = any_cells(self.execution, 0, (cell,))
                given = folded(self.path.pre, self._start_with(new))
                answer = self.questions.avoids(self.following.after(0, new.terms), new, given)
                others = new.others(answer.changed) if answer.changed is not None else ()
                verdict = {
                    Verdict.SAT: Relevance.ADMITTING,
                    Verdict.UNSAT: Relevance.IRRELEVANT,
                    Verdict.UNKNOWN: Relevance.UNKNOWN,
                }
                found.append(Judged(-1, verdict[answer.verdict], others, start=cell))
        return tuple(found)

    # --- blocks -------------------------------------------------------------------------------------------------------------

    def _is_idle(self, k: int, branch: Instance) -> bool:
        """Whether whatever a block assigns leads on to the failure."""
        if branch.escapes or k in self.around or self.is_over():
            return False
        inside = self.path.instances[k : branch.end]
        last = self._last_written(k, branch.end)
        if last is not None and self._judged(last, self.path.instances[last]).verdict.is_relevant:
            return False
        cells = {c.name: c for i in inside for c, _ in i.writes} | {c.name: c for i in inside for c in i.frames}
        new = any_cells(self.execution, branch.end, cells.values())
        verdict = self._ask(branch.end, new)[1].verdict
        self.complete &= verdict is not Verdict.UNKNOWN
        return verdict is Verdict.UNSAT

    def _last_written(self, start: int, end: int) -> int | None:
        """The last instance of a block that writes, if nothing is required behind it: when it is relevant, so is the block."""
        for j in range(end - 1, start, -1):
            instance = self.path.instances[j]
            if instance.writes:
                return j
            if instance.condition is not TRUE:
                return None
        return None

    # --- instances ----------------------------------------------------------------------------------------------------------

    def _judged(self, k: int, instance: Instance) -> Judged:
        """The verdict on one instance, for which everything behind it is decided."""
        if k not in self._known:
            self._known[k] = self._decided(k, instance)
        return self._known[k]

    def _decided(self, k: int, instance: Instance) -> Judged:
        if self.is_over():
            self.complete = False
            return Judged(k, Relevance.UNKNOWN)
        new = any_written(self.execution, k, {c.name for c, _ in instance.writes})
        suffix, answer = self._ask(k + 1, new)
        if answer.verdict is not Verdict.SAT:
            self.complete &= answer.verdict is Verdict.UNSAT
            verdict = Relevance.IRRELEVANT if answer.verdict is Verdict.UNSAT else Relevance.UNKNOWN
            return Judged(k, verdict, through_blocks=suffix.through_blocks)
        assert answer.changed is not None
        symbols = self.execution.symbols
        others = new.others(answer.changed)
        if not answer.state and len(others) == 1 and not others[0].indexes:
            self.hints.note(k, others[0].cell.name, others[0].value)
        inputs = tuple((symbols.cells[n], v) for n, v in (answer.state or {}).items() if symbols.position[n] < k)
        return Judged(k, self._kind(k, instance), others, inputs, through_blocks=suffix.through_blocks)

    def _kind(self, k: int, instance: Instance) -> Relevance:
        """Whether a relevant instance is one that may as well avoid the failure, by what comes from outside."""
        outside = {c.name for c, term in instance.writes if term is None}
        if not outside or self.execution.pinned:
            return Relevance.ENFORCING
        if len(outside) == len(instance.writes):
            return Relevance.ADMITTING
        verdict = self._ask(k + 1, any_written(self.execution, k, outside))[1].verdict
        return {
            Verdict.SAT: Relevance.ADMITTING,
            Verdict.UNSAT: Relevance.ENFORCING,
            Verdict.UNKNOWN: Relevance.UNKNOWN,
        }[verdict]

    def _ask(self, position: int, new: AnyValues) -> tuple[Suffix, Answer]:
        if self.last_outside < position:
            found = self._tried(position, new)
            if found is not None:
                return found
        suffix = self.following.after(position, new.terms)
        return suffix, self.questions.avoids(suffix, new, hints=self.hints.of(position, new))

    def _tried(self, position: int, new: AnyValues) -> tuple[Suffix, Answer] | None:
        """Values that avoid the failure when everything else is as found; nothing comes in later."""

        def leaves(candidate: Mapping[str, Value]) -> Suffix | None:
            fold = Folding({**self.recorded, **{n: constant(v, new.meaning[n][1]) for n, v in candidate.items()}})
            return self.trying.surely_leaves(position, {cell: fold(term) for cell, term in new.terms.items()})

        plain = new.candidates()
        for candidate in chain(islice(plain, _FIRST), self.hints.of(position, new), islice(plain, _NEXT)):
            suffix = leaves(candidate)
            if suffix is not None:
                if len(self.path.instances) - position < _SHORT:
                    sorts = {n: sort for n, (_, sort, _) in new.meaning.items()}
                    candidate = nearest(new.recorded, candidate, sorts, lambda c: leaves(c) is not None)
                return suffix, Answer(Verdict.SAT, candidate)
        return None
