"""The search: run an input, see what it decided, turn decisions and edit it, run again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from butfor.concolic.decision_solving import Names, solve
from butfor.concolic.forward_pass import path_condition
from butfor.concolic.input_fuzzer import Fuzzer
from butfor.concolic.input_runner import Run, Runner
from butfor.concolic.path_condition import PathCondition
from butfor.concolic.search_agenda import Agenda, Candidate, Coverage, Parent
from butfor.concolic.search_inputs import Input, spliced
from butfor.errors import CannotRecord
from butfor.logic.solvers import Limit, Solver, default_solver
from butfor.logic.terms import Term, postorder

_SOLVER_SECONDS = 2.0
_MOST_EDITS_OF_A_KIND = 4
_LONGEST_TEXT = 1 << 14
_CHANCE_AFTER, _CHANCE_SHARE, _CHANCE_SECONDS = (
    2.0,
    0.25,
    0.3,
)  # changes by chance: when, how much of the time, how long at once
_MOST_CHANCE = 6.0  # seconds of them when nothing else is left


@dataclass(frozen=True, slots=True)
class Goal:
    """When to stop: so many different failures, so many runs of each; `patience` is how long the search goes on after the first failure."""

    failures: int
    seconds: float
    patience: Callable[[float], float]


@dataclass(slots=True)
class State:
    """What the search has done and found so far."""

    failing: dict[tuple[object, ...], list[Run]] = field(default_factory=dict)
    tried: int = 0  # inputs
    quick: int = 0  # inputs that were run without recording
    solved: int = 0
    unknown: int = 0
    longest: int = 0
    gaps: set[str] = field(default_factory=set)
    reads: set[str] = field(default_factory=set)
    is_exhausted: bool = False
    was_interrupted: bool = False
    seconds: float = 0.0
    covered: int = 0
    branches: int = 0


class Search:
    """One search of one program."""

    def __init__(
        self, runner: Runner, fuzzer: Fuzzer, goal: Goal, say: Callable[[str], None], solver: Solver | None = None
    ) -> None:
        self.runner = runner
        self.goal = goal
        self.say = say
        self.solver = solver or default_solver(in_series=True)
        self.state = State()
        self._known: set[Input] = set()
        self._turned: set[int] = set()
        self._edits: dict[tuple[object, ...], int] = {}
        self._start = time.monotonic()
        self._end = self._start + goal.seconds
        self._said = 0.0
        self.agenda: Agenda | None = None
        self.fuzzer = fuzzer

    def go(self, seeds: Iterable[Input]) -> State:
        """The state when nothing is left to try, enough was found, or the time is over; Ctrl-C ends the search and keeps what was found."""
        try:
            for seed in seeds:
                self._try(seed, 0)
                if self._is_over():
                    break
            while not self._is_over():
                is_empty = self.agenda is None or not len(self.agenda)
                if is_empty and not self._is_worth_chance():
                    self.state.is_exhausted = True
                    break
                if is_empty or self._is_time_for_chance():
                    self._by_chance()
                elif self.agenda is not None:
                    self._step(self.agenda.pop())
        except KeyboardInterrupt:
            self.state.was_interrupted = True
        self.state.seconds = time.monotonic() - self._start
        self._count_branches()
        return self.state

    def _is_worth_chance(self) -> bool:
        """Whether changes by chance may still find something when nothing is left to solve: where not all was followed."""
        return (
            bool(self.state.gaps and self.state.reads and self.fuzzer.is_usable and not self.state.failing)
            and self.fuzzer.seconds < _MOST_CHANCE
        )

    def _is_time_for_chance(self) -> bool:
        """From the first seconds on without a failure, a share of the time goes to changes by chance."""
        took = time.monotonic() - self._start
        is_wanted = took > _CHANCE_AFTER and self.fuzzer.is_usable and not self.state.failing and bool(self.state.reads)
        return is_wanted and self.fuzzer.seconds < _CHANCE_SHARE * (took - _CHANCE_AFTER)

    def _by_chance(self) -> None:
        before = self.fuzzer.runs
        found = self.fuzzer.go(_CHANCE_SECONDS, frozenset(self.state.reads))
        self.state.quick += self.fuzzer.runs - before
        for given in found:
            self._try(given, 0)

    def _is_over(self) -> bool:
        now = time.monotonic()
        if now - self._said > 0.5:
            self._said = now
            self._count_branches()
            s = self.state
            found = f", {len(s.failing)} failures" if s.failing else ""
            self.say(
                f"searching: {s.tried} runs, {s.covered} of {s.branches} branches{found}, {now - self._start:.0f} s"
            )
        enough = len(self.state.failing) >= self.goal.failures and all(
            len(runs) >= self.goal.failures for runs in self.state.failing.values()
        )
        return now >= self._end or enough

    def _step(self, c: Candidate) -> None:
        if c.edit is not None:
            if self._edits.get(c.edit.key, 0) < _MOST_EDITS_OF_A_KIND:
                self._edits[c.edit.key] = self._edits.get(c.edit.key, 0) + 1
                self._try(spliced(c.parent.given, c.edit.splices), c.parent.generation + 1)
            return
        assert c.other is not None
        key = hash((_prefix(c.parent.path, c.at), _shape(c.other.term)))
        if key in self._turned and not c.parent.novelty:
            return  # the same was done before, with something else behind it: worth it only if that was new
        self._turned.add(key)
        limit = Limit(min(self._end, time.monotonic() + _SOLVER_SECONDS))
        self.state.solved += 1
        answer = solve(c.parent.path, c.parent.given, c.at, c.other.term, Names(), self.solver, limit)
        if answer.found is not None:
            self._try(answer.found, c.parent.generation + 1)
        elif not answer.is_final and time.monotonic() < self._end:
            self.state.unknown += 1
            self.state.gaps.add("conditions that were too hard for the solver")
        elif answer.is_bounded:
            self.state.gaps.add("inputs beyond the bounds of the search")

    def _try(self, given: Input, generation: int) -> None:
        if given in self._known or max((len(given.stdin), *map(len, given.args))) > _LONGEST_TEXT:
            return
        self._known.add(given)
        self.state.tried += 1
        self.state.longest = max(self.state.longest, given.size)
        try:
            run = self.runner.run(given)
        except CannotRecord:
            self.state.gaps.add("runs that could not be recorded")
            return
        if run is None:
            return
        if self.agenda is None:
            self.agenda = Agenda(Coverage(len(run.recording.log.table)))
        novelty = self.agenda.coverage.add(run.counts, run.edges)
        if run.was_cut:
            self.state.gaps.add("runs that a limit ended")
        if novelty >= 2:
            self.fuzzer.keep(given)
        if run.failure is not None:
            self._found(run)
        assert self.runner.facts is not None
        path = path_condition(run.recording, given, self.runner.facts)
        self.state.gaps |= path.gaps
        self.state.reads |= path.reads
        self._plan(Parent(given, path, novelty, generation))

    def _plan(self, parent: Parent) -> None:
        assert self.agenda is not None
        for at, decision in enumerate(parent.path.decisions):
            for other in decision.others:
                self.agenda.add(Candidate(parent, at, other))
        for edit in parent.path.edits:
            if self._edits.get(edit.key, 0) < _MOST_EDITS_OF_A_KIND:
                self.agenda.add(Candidate(parent, edit=edit))

    def _found(self, run: Run) -> None:
        runs = self.state.failing.setdefault(run.nature, [])
        if not runs and len(self.state.failing) == 1:
            now = time.monotonic()
            self._end = min(self._end, now + self.goal.patience(now - self._start))
        if len(runs) < self.goal.failures and not any(
            len(r.edges) == len(run.edges) and (r.counts == run.counts).all() for r in runs
        ):
            runs.append(run)

    def _count_branches(self) -> None:
        if self.agenda is None or self.runner.facts is None:
            return
        branches = self.runner.facts.branches
        self.state.branches = len(branches)
        self.state.covered = len(branches & self.agenda.coverage.edges)


def _prefix(path: PathCondition, before: int) -> int:
    return hash(tuple(_shape(d.held) for d in path.decisions[:before] if not d.is_pinned))


_shapes: dict[Term, int] = {}


def _shape(term: Term) -> int:
    """A number for the structure of a term, the same in every run."""
    if len(_shapes) > 2_000_000:
        _shapes.clear()
    if term in _shapes:
        return _shapes[term]
    for t in postorder((term,)):
        if t not in _shapes:
            _shapes[t] = hash((t.op, t.width, t.data, tuple(_shapes[a] for a in t.args)))
    return _shapes[term]
