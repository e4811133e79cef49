"""The search loop: run an input, negate its decisions or edit it, run the result."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from butfor.concolic.decision_solving import solve
from butfor.concolic.forward_pass import path_condition
from butfor.concolic.input_fuzzer import Fuzzer
from butfor.concolic.input_runner import InputRun, InputRunner
from butfor.concolic.path_condition import PathCondition
from butfor.concolic.search_agenda import Agenda, Coverage, FollowedRun, SearchCandidate
from butfor.concolic.search_inputs import ProgramInput, with_splices
from butfor.errors import CannotRecord
from butfor.logic.solvers import Limit, Solver, default_solver
from butfor.logic.terms import Term, postorder

_SOLVER_SECONDS = 2.0  # for one decision: others wait
_MAX_EDITS_PER_KEY = 4  # the same edit rarely helps a fifth time
_MAX_TEXT_BYTES = 1 << 14  # of an input that is run; longer ones make every run slow
_FUZZING_STARTS_AFTER_SECONDS = 2.0  # easy failures are solved by then
_FUZZING_SHARE = 0.25  # of the time after that
_FUZZING_SLICE_SECONDS = 0.3
_MAX_FUZZING_SECONDS = 6.0  # when nothing is left to solve
_MAX_REMEMBERED_SHAPES = 2_000_000  # bounds memory
_PROGRESS_INTERVAL_SECONDS = 0.5
_NOVELTY_OF_CORPUS = 2  # runs at least this new are worth fuzzing: see `Coverage.add`


@dataclass(frozen=True, slots=True)
class SearchGoal:
    """When to stop: after so many different failures with as many runs of each, or after a time.

    `patience` maps the seconds until the first failure to those that the search goes on after it.
    """

    failures: int
    seconds: float
    patience: Callable[[float], float]


@dataclass(slots=True)
class SearchState:
    """What the search has found and done so far."""

    failing: dict[tuple[object, ...], list[InputRun]] = field(default_factory=dict)
    tried: int = 0  # inputs
    quick: int = 0  # inputs of the fuzzer, run without recording
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


class InputSearch:
    """One search of one program."""

    def __init__(
        self,
        runner: InputRunner,
        fuzzer: Fuzzer,
        goal: SearchGoal,
        say: Callable[[str], None],
        solver: Solver | None = None,
    ) -> None:
        self.runner = runner
        self.goal = goal
        self.say = say
        self.solver = solver or default_solver(in_series=True)
        self.state = SearchState()
        self._known: set[ProgramInput] = set()
        self._solved: set[int] = set()  # hashes of path prefixes with the alternative asked for
        self._shapes = TermShapes()
        self._edits: dict[tuple[object, ...], int] = {}
        self._start = time.monotonic()
        self._end = self._start + goal.seconds
        self._said = 0.0
        self.agenda: Agenda | None = None
        self.fuzzer = fuzzer

    def run(self, seeds: Iterable[ProgramInput]) -> SearchState:
        """The state when nothing is left to try, enough was found, or time is up.

        Ctrl-C ends the search and keeps what was found.
        """
        try:
            for seed in seeds:
                self._try(seed)
                if self._is_over():
                    break
            while not self._is_over():
                is_empty = self.agenda is None or not len(self.agenda)
                if is_empty and not self._is_fuzzing_worthwhile():
                    self.state.is_exhausted = True
                    break
                if is_empty or self._is_time_to_fuzz():
                    self._fuzz()
                elif self.agenda is not None:
                    self._step(self.agenda.pop())
        except KeyboardInterrupt:
            self.state.was_interrupted = True
        self.state.seconds = time.monotonic() - self._start
        self._count_branches()
        return self.state

    def _is_fuzzing_worthwhile(self) -> bool:
        """Whether fuzzing may still find something when nothing is left to solve: where not everything was followed."""
        return (
            bool(self.state.gaps and self.state.reads and self.fuzzer.is_usable and not self.state.failing)
            and self.fuzzer.seconds < _MAX_FUZZING_SECONDS
        )

    def _is_time_to_fuzz(self) -> bool:
        """Whether fuzzing has had less than its share of the time, after the first seconds without a failure."""
        late = time.monotonic() - self._start - _FUZZING_STARTS_AFTER_SECONDS
        is_wanted = late > 0 and self.fuzzer.is_usable and not self.state.failing and bool(self.state.reads)
        return is_wanted and self.fuzzer.seconds < _FUZZING_SHARE * late

    def _fuzz(self) -> None:
        before = self.fuzzer.runs
        found = self.fuzzer.fuzz(_FUZZING_SLICE_SECONDS, frozenset(self.state.reads))
        self.state.quick += self.fuzzer.runs - before
        for given in found:
            self._try(given)

    def _is_over(self) -> bool:
        now = time.monotonic()
        if now - self._said > _PROGRESS_INTERVAL_SECONDS:
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

    def _step(self, c: SearchCandidate) -> None:
        if c.edit is not None:
            if self._edits.get(c.edit.key, 0) < _MAX_EDITS_PER_KEY:
                self._edits[c.edit.key] = self._edits.get(c.edit.key, 0) + 1
                self._try(with_splices(c.parent.given, c.edit.splices))
            return
        assert c.other is not None
        key = hash((self._prefix_hash(c.parent.path, c.at), self._shapes.hash_of(c.other.term)))
        if key in self._solved and not c.parent.novelty:
            return  # solved before for another run: only new behaviour makes it worth repeating
        self._solved.add(key)
        limit = Limit(min(self._end, time.monotonic() + _SOLVER_SECONDS))
        self.state.solved += 1
        answer = solve(c.parent.path, c.parent.given, c.at, c.other.term, self.solver, limit)
        if answer.found is not None:
            self._try(answer.found)
        elif not answer.is_final and time.monotonic() < self._end:
            self.state.unknown += 1
            self.state.gaps.add("conditions that were too hard for the solver")
        elif answer.is_bounded:
            self.state.gaps.add("inputs beyond the bounds of the search")

    def _try(self, given: ProgramInput) -> None:
        if given in self._known or max((len(given.stdin), *map(len, given.args))) > _MAX_TEXT_BYTES:
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
            assert self.runner.facts is not None
            before_open = self.runner.facts.segments_before_open_checks
            self.agenda = Agenda(Coverage(len(run.recording.log.table)), before_open)
        novelty = self.agenda.coverage.add(run.counts, run.edges)
        if run.was_cut:
            self.state.gaps.add("runs that a limit ended")
        if novelty >= _NOVELTY_OF_CORPUS:
            self.fuzzer.add_to_corpus(given)
        if run.failure is not None:
            self._keep_failing(run)
        assert self.runner.facts is not None
        path = path_condition(run.recording, given, self.runner.facts)
        self.state.gaps |= path.gaps
        self.state.reads |= path.reads
        self._plan(FollowedRun(given, path, novelty))

    def _plan(self, parent: FollowedRun) -> None:
        assert self.agenda is not None
        for at, decision in enumerate(parent.path.decisions):
            for other in decision.others:
                self.agenda.add(SearchCandidate(parent, at, other))
        for edit in parent.path.edits:
            if self._edits.get(edit.key, 0) < _MAX_EDITS_PER_KEY:
                self.agenda.add(SearchCandidate(parent, edit=edit))

    def _keep_failing(self, run: InputRun) -> None:
        runs = self.state.failing.setdefault(run.nature, [])
        if not runs and len(self.state.failing) == 1:
            now = time.monotonic()
            self._end = min(self._end, now + self.goal.patience(now - self._start))
        if len(runs) < self.goal.failures and not any(
            len(r.edges) == len(run.edges) and (r.counts == run.counts).all() for r in runs
        ):
            runs.append(run)

    def _prefix_hash(self, path: PathCondition, before: int) -> int:
        return hash(tuple(self._shapes.hash_of(d.held) for d in path.decisions[:before] if not d.is_pinned))

    def _count_branches(self) -> None:
        if self.agenda is None or self.runner.facts is None:
            return
        branches = self.runner.facts.branches
        self.state.branches = len(branches)
        self.state.covered = len(branches & self.agenda.coverage.edges)


class TermShapes:
    """Hashes of the structure of terms: equal for equal terms of different runs."""

    def __init__(self) -> None:
        self._hashes: dict[Term, int] = {}

    def hash_of(self, term: Term) -> int:
        """The hash of a term."""
        hashes = self._hashes
        if len(hashes) > _MAX_REMEMBERED_SHAPES:
            hashes.clear()
        if term in hashes:
            return hashes[term]
        for t in postorder((term,)):
            if t not in hashes:
                hashes[t] = hash((t.op, t.width, t.data, tuple(hashes[a] for a in t.args)))
        return hashes[term]
