"""The search for repairs: proposals tried on the failing run, then on all tests, then alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from butfor.counterfactual.fork_server import Ending, RunOutcome
from butfor.errors import ButforError
from butfor.frontends.c.hooked_build import HookedBuild
from butfor.methods.repair.patched_program import (
    ProgramSources,
    VariantProgram,
    build_alone,
    build_together,
    passes_when_recorded,
)
from butfor.methods.repair.repair_model import Proposal, Repair, best_first
from butfor.methods.repair.trial_runs import ORIGINAL, OriginalRun, Tally, Test, Trials
from butfor.options import RunOptions
from butfor.source.edits import Edit

FIRST_BATCH = 200  # proposals in the first program: small, so that a likely repair is found soon
BATCH = 350  # proposals in each further program: the compiler takes longer than the runs
MAX_TALLIED = 80  # proposals of one program that are run on all tests
MAX_COMPARED = 40  # ... and on similar inputs
MAX_BUILT_ALONE = 40  # proposals that need a program each, which takes a compilation
MAX_SHOWN_REPAIRS = 5
# The search ends after so many complete repairs, or at the first one after so many proposals: later ones are less
# likely. With a single test more are compared, since one run says little.
ENOUGH_REPAIRS, ENOUGH_REPAIRS_ONE_TEST = 4, 20
ENOUGH_PROPOSALS, ENOUGH_PROPOSALS_ONE_TEST = 550, 1_600


@dataclass
class RepairSearch:
    """One search with what it found; `is_trying_over` says whether the time for trying proposals is used up."""

    sources: ProgramSources
    tests: list[Test]  # the recorded failing run first
    trials: Trials
    options: RunOptions  # of the failing run
    seconds: float  # the failing run took
    is_memory: bool  # the failure is a memory error
    is_trying_over: Callable[[], bool]
    wanted: int = MAX_SHOWN_REPAIRS
    tried: int = 0
    untried: int = 0  # proposals for which there was no time
    run: set[tuple[Edit, ...]] = field(default_factory=set, init=False)  # the edits with which the failing run was run
    notes: list[str] = field(default_factory=list)
    # all proposals with which the failing run does not fail
    survivors: list[Repair] = field(default_factory=list, init=False)
    checked: bool = field(default=False, init=False)  # memory errors end the runs
    _original: HookedBuild = field(init=False)
    _writes_files: bool = field(default=False, init=False)  # it cannot be recorded behind the fence then
    _similar: list[OriginalRun] | None = field(default=None, init=False)
    _alone: dict[tuple[Edit, ...], tuple[HookedBuild, Tally] | None] = field(default_factory=dict, init=False)

    def repairs(self, proposals: Sequence[Proposal]) -> list[Repair]:
        """Confirmed repairs, best first."""
        if not self._prepare():
            return []
        self.survivors = self._tried(list(enumerate(proposals, 1)))
        return self._confirmed(best_first(self.survivors))

    @property
    def is_judged(self) -> bool:
        """Whether a run that passes is right for sure: its whole output is known, or memory errors end it."""
        return self.checked or self.tests[0].goal.is_whole

    def _prepare(self) -> bool:
        """Whether the failing run fails here too; other tests that behave differently when run again are left out."""
        measured = self._measured(checked=self.is_memory)
        if not self.checked and any(test.failed and test.goal.is_met(outcome) for test, outcome in measured[1:]):
            measured = self._measured(checked=True)  # tests that fail with memory errors
        (first, outcome), *rest = measured
        self._writes_files = bool(outcome.touched)
        if first.goal.is_met(outcome):
            self.notes.append(
                "the run is not repeatable: run again without any change, it behaves differently, so no edit was tried"
            )
            return False
        usable = [test for test, outcome in rest if test.goal.is_met(outcome) != test.failed]
        if len(usable) < len(rest):
            lost = len(rest) - len(usable)
            self.notes.append(
                f"{lost} tests behave differently when they are run again, so repairs were not judged by them"
            )
        self.tests = [_up_to_failure(first, outcome), *usable]
        return True

    def _measured(self, *, checked: bool) -> list[tuple[Test, RunOutcome]]:
        """The outcomes of the tests without a repair."""
        self.checked = checked
        self._original = build_alone(self.sources, (), checked=checked)
        return [self.trials.measured(self._original, test) for test in self.tests]

    def _tried(self, numbered: list[tuple[int, Proposal]]) -> list[Repair]:
        """Proposals with which the failing run does not fail, with their outcomes on all other tests."""
        found: list[Repair] = []
        alone_so_far = 0
        left: list[Proposal] = []
        for many, others in self._programs(numbered):
            found += self._tallied(many, self._survivors(many))
            self.run |= {p.edits for p in many.numbers.values()}
            some = others[: 0 if self.is_trying_over() else max(0, MAX_BUILT_ALONE - alone_so_far)]
            alone_so_far += len(some)
            found += self._tallied_alone([p for _, p in some])
            left += (p for _, p in others[len(some) :])
            if self._is_enough(found):
                return found
        if not any(r.is_complete for r in found):
            found += self._tallied_alone(left)
        return found

    def _is_enough(self, found: Sequence[Repair]) -> bool:
        """Whether enough repairs pass all tests without skipping a statement or the check."""
        good = sum(r.is_complete and not r.proposal.skips and not r.proposal.silences for r in found)
        enough, tried = (
            (ENOUGH_REPAIRS, ENOUGH_PROPOSALS)
            if len(self.tests) > 1
            else (ENOUGH_REPAIRS_ONE_TEST, ENOUGH_PROPOSALS_ONE_TEST)
        )
        return good >= enough or (good > 0 and self.tried >= tried)

    # --- the failing run alone ----------------------------------------------------------------------------------------

    def _programs(
        self, numbered: list[tuple[int, Proposal]]
    ) -> Iterator[tuple[VariantProgram, list[tuple[int, Proposal]]]]:
        """Batches of proposals as programs, some of them built ahead."""
        batches = [numbered[:FIRST_BATCH], *(numbered[k : k + BATCH] for k in range(FIRST_BATCH, len(numbered), BATCH))]
        waiting: list[tuple[int, Future[tuple[VariantProgram, list[tuple[int, Proposal]]]]]] = []
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            try:
                while batches or waiting:
                    while batches and len(waiting) < (os.cpu_count() or 1):
                        batch = batches.pop(0)
                        waiting.append(
                            (len(batch), pool.submit(build_together, self.sources, batch, checked=self.checked))
                        )
                    if self.is_trying_over():
                        self.untried += sum(map(len, batches)) + sum(count for count, _ in waiting)
                        return
                    count, future = waiting.pop(0)
                    try:
                        many = future.result()
                    except ButforError as e:
                        self.notes.append(f"{count} proposals could not be compiled: {e.message}")
                        continue
                    self.tried += count
                    yield many
            finally:
                for _, future in waiting:
                    future.cancel()

    def _survivors(self, many: VariantProgram) -> list[int]:
        return self.trials.survivors(many.build, self.tests[0], sorted(many.numbers))

    def _passes_when_recorded(self, p: Proposal) -> bool:
        return passes_when_recorded(
            self.sources, self.sources.patched(p.edits), self.options, self.seconds, len(self.tests[0].goal.output)
        )

    # --- all tests ----------------------------------------------------------------------------------------------------

    def _tallied(self, many: VariantProgram, survivors: Sequence[int]) -> list[Repair]:
        """The survivors with the outcomes of all tests."""
        build = many.build
        found = self.trials.tally(build, self.tests, survivors[:MAX_TALLIED])
        full = {n: t for n, t in found.items() if self._repair(many.numbers[n], t).is_complete}
        self._compare(build, full if len(self.tests) > 1 else dict(list(found.items())[:MAX_COMPARED]))
        return [self._repair(many.numbers[n], t) for n, t in found.items()]

    def _tallied_alone(self, proposals: Sequence[Proposal]) -> Iterator[Repair]:
        """The same for proposals that need a program each."""

        def build(p: Proposal) -> HookedBuild | None:
            try:
                return None if self.is_trying_over() else build_alone(self.sources, p.edits, checked=self.checked)
            except ButforError:
                self._alone[p.edits] = None
                return None

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for p, built in zip(proposals, pool.map(build, proposals), strict=True):
                if built is None:
                    self.untried += p.edits not in self._alone
                    continue
                self.run.add(p.edits)
                if not self.trials.survivors(built, self.tests[0], [ORIGINAL]):
                    continue
                found = self.trials.tally(built, self.tests, [ORIGINAL])
                self._alone[p.edits] = built, found[ORIGINAL]
                self._compare(built, found)
                yield self._repair(p, found[ORIGINAL])

    def _tally_alone(self, edits: tuple[Edit, ...]) -> Tally | None:
        """The outcomes of all tests with the patched source alone, built once; None when it does not compile."""
        if edits not in self._alone:
            try:
                build = build_alone(self.sources, edits, checked=self.checked)
                self._alone[edits] = build, self.trials.tally(build, self.tests, [ORIGINAL])[ORIGINAL]
            except ButforError:
                self._alone[edits] = None
        known = self._alone[edits]
        return None if known is None else known[1]

    def _compare(self, build: HookedBuild, found: dict[int, Tally]) -> None:
        """Count the similar inputs on which the behaviour changes."""
        if found and self._similar is None:
            self._similar = self.trials.similar_inputs(self._original, self.tests, self.sources.texts().values())
        self.trials.compare(build, self._similar or (), found)

    def _repair(self, p: Proposal, t: Tally) -> Repair:
        failing = sum(test.failed for test in self.tests)
        return Repair(p, t, failing, len(self.tests) - failing)

    # --- the patched source alone -------------------------------------------------------------------------------------

    def _confirmed(self, repairs: Sequence[Repair]) -> list[Repair]:
        """The best repairs whose patched source alone does what the variant did."""
        found: list[Repair] = []
        for r in repairs:
            if len(found) >= self.wanted or (found and self.trials.is_over()):
                break
            if any(f.is_complete for f in found) and not r.is_complete:
                break  # a partial repair is of no use beside a complete one
            t = self._tally_alone(r.proposal.edits)
            if t is None:
                continue
            again = replace(r, tally=replace(t, differs=r.tally.differs, similar=r.tally.similar))
            if again.tally.fixed and self._has_no_other_failure(again):
                found.append(again)
        return [r for r in found if r.is_complete] or found

    def _has_no_other_failure(self, r: Repair) -> bool:
        """Whether the failing run has no other failure now; not asked where its output is known or it writes files."""
        is_known = self.tests[0].goal.is_whole and not self.is_memory
        if is_known or self._writes_files or r.tally.touched:
            return True
        return self._passes_when_recorded(r.proposal)


def _up_to_failure(test: Test, outcome: RunOutcome) -> Test:
    """The test; of a run that a memory error ends, only the output up to there is expected."""
    if outcome.end != Ending.MEMORY or test.goal.is_whole or outcome.matched != outcome.output:
        return test
    return replace(test, goal=replace(test.goal, output=test.goal.output[: outcome.output]))
