"""The verdict on every statement instance of a failing path: could another value here have avoided the failure?

An instance is relevant when some execution of the path and some values of the cells that it assigns exist, so that after them no continuation
along the path fails. Flow-sensitive: a block that is irrelevant as a whole is summed up instead of followed, and what is in it is irrelevant.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from butfor.encode.fold import folded
from butfor.encode.sorts import Value
from butfor.path.model import Cell, Instance, Kind, Path
from butfor.relevance.anyvalue import AnyValues, Other, any_cells, any_written
from butfor.relevance.execution import Execution
from butfor.relevance.follow import Blocks, Following, Suffix
from butfor.relevance.question import Answer, Questions
from butfor.solve import Verdict

EACH = 2.0  # seconds for one question to the solver


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
        self.is_over = is_over
        self.complete = True

    def judgement(self, flow: bool, only: Collection[int] | None) -> Judgement:
        instances = self.path.instances
        if flow:
            self._sum_up(0, len(instances))
        chosen = [k for k, i in enumerate(instances) if i.writes and (only is None or k in only)]
        found = {k: self._judged(k, instances[k]) for k in reversed(chosen)}
        starts = self._starts() if only is None else ()
        control = tuple(k for k, i in enumerate(instances) if i.kind is Kind.BRANCH and (i.escapes or k in self.path.scope))
        skipped = dict(sorted(self.blocks.ends.items()))
        return Judgement(dict(sorted(found.items())), starts, control, skipped, self.questions.asked, self.complete)

    def _starts(self) -> tuple[Judged, ...]:
        """The verdicts on what cells hold at the start, for those whose start comes from outside: another value that was allowed."""
        found = []
        for cell in self.path.cells:
            if cell.name in self.path.inputs and not self.execution.pinned and not self.is_over():
                new = any_cells(self.execution, 0, (cell,))
                given = folded(self.path.pre, lambda name, new=new: new.terms.get(name) or self.execution.value(name, 0))  # type: ignore[misc]
                answer = self.questions.avoids(self.following.after(0, new.terms), new, given)
                others = new.others(answer.changed) if answer.changed is not None else ()
                verdict = {Verdict.SAT: Relevance.ADMITTING, Verdict.UNSAT: Relevance.IRRELEVANT, Verdict.UNKNOWN: Relevance.UNKNOWN}
                found.append(Judged(-1, verdict[answer.verdict], others, start=cell))
        return tuple(found)

    # --- blocks -------------------------------------------------------------------------------------------------------------

    def _sum_up(self, start: int, end: int) -> None:
        """Sums up the irrelevant blocks in a stretch of the path, the last one first, those inside of relevant ones too."""
        work = self._outermost(start, end)
        while work:
            k = work.pop()
            branch = self.path.instances[k]
            if self._is_idle(k, branch):
                self.blocks.add(k, branch.end)
            else:
                work += self._outermost(k + 1, branch.end)

    def _outermost(self, start: int, end: int) -> list[int]:
        """The branches of a stretch that stand in no other branch of it."""
        found = []
        k = start
        while k < end:
            if self.path.instances[k].kind is Kind.BRANCH:
                found.append(k)
                k = self.path.instances[k].end
            else:
                k += 1
        return found

    def _is_idle(self, k: int, branch: Instance) -> bool:
        """Whether whatever a block assigns leads on to the failure."""
        if branch.escapes or k in self.path.scope or self.is_over():
            return False
        inside = self.path.instances[k : branch.end]
        cells = {c.name: c for i in inside for c, _ in i.writes} | {c.name: c for i in inside for c in i.frames}
        new = any_cells(self.execution, branch.end, cells.values())
        return self._ask(branch.end, new)[1].verdict is Verdict.UNSAT

    # --- instances ----------------------------------------------------------------------------------------------------------

    def _judged(self, k: int, instance: Instance) -> Judged:
        if k in self.blocks.inside:
            return Judged(k, Relevance.IRRELEVANT, in_block=True)
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
        inputs = tuple((symbols.cells[n], v) for n, v in (answer.state or {}).items() if symbols.position[n] < k)
        return Judged(k, self._kind(k, instance), new.others(answer.changed), inputs, through_blocks=suffix.through_blocks)

    def _kind(self, k: int, instance: Instance) -> Relevance:
        """Whether a relevant instance is one that may as well avoid the failure, by what comes from outside."""
        outside = {c.name for c, term in instance.writes if term is None}
        if not outside or self.execution.pinned:
            return Relevance.ENFORCING
        if len(outside) == len(instance.writes):
            return Relevance.ADMITTING
        verdict = self._ask(k + 1, any_written(self.execution, k, outside))[1].verdict
        return {Verdict.SAT: Relevance.ADMITTING, Verdict.UNSAT: Relevance.ENFORCING, Verdict.UNKNOWN: Relevance.UNKNOWN}[verdict]

    def _ask(self, position: int, new: AnyValues) -> tuple[Suffix, Answer]:
        suffix = self.following.after(position, new.terms)
        return suffix, self.questions.avoids(suffix, new)
