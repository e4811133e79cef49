"""The search for changes that avoid the failure: one run per change, until the time is used up."""

from __future__ import annotations

import enum
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from butfor.counterfactual.change_candidates import ChangeCandidate
from butfor.counterfactual.change_rules import Op, Rule
from butfor.counterfactual.fork_server import (
    Ending,
    ForkServer,
    RunLimits,
    RunOutcome,
    observed_values,
    run_all,
    run_each,
)
from butfor.counterfactual.run_goal import Goal
from butfor.counterfactual.similar_inputs import similar_inputs
from butfor.frontends.c.hooked_build import HookedBuild
from butfor.frontends.c.run_program import RunSpec
from butfor.ir.change_sites import NOWHERE
from butfor.path.changed_runs import RunVerdict

MAX_INFORMATIVE_INPUTS = 20  # other inputs that all changes are run on; more hardly change the measured share
MAX_INPUTS_TRIED = 60  # to find those
MAX_CHECK_SLOWDOWN = 8  # times that memory checks make a run slower
MAX_ALLOWED_ERRORS = 60  # memory errors of the failing run that changed runs may have too; each costs a run
PATIENT_LIMITS = RunLimits(1_000, 20_000_000)  # for changed runs that go on much longer than the failing one
MAX_PATIENT_RUNS = 8  # seconds in all
MIN_EVENTS_LIMIT = 400_000  # events that a changed run may have, however short the failing one is: milliseconds
ENDLESS_EVENTS_LIMIT = 300_000  # events after which a run counts as endless when that is the failure
MAX_OBSERVED_TESTS = 4  # other tests whose values are proposed
MAX_OBSERVED_VALUES = 6  # that are proposed for one site
SAMPLED_CHANGES = 12  # that decide whether an input is informative
MIN_EFFECT_SHARE = 0.05  # of changes that alter the output: on an input with fewer, no change matters
MAX_EFFECT_SHARE = 0.75  # with more, the input probably fails as the given one does
BEST_EFFECT_SHARE = 0.35  # which distinguishes changes best
GOOD_EFFECT_DISTANCE = 0.2  # from that: enough inputs this near end the search for better ones


class Effect(enum.IntEnum):
    """The effect of a change on a run with another input."""

    NONE = 0
    INTERNAL = 1  # values or branches changed, but not the output
    OUTPUT = 2  # the output or the end of the run changed


@dataclass(slots=True)
class ConfirmedChange:
    """A change that avoided the failure."""

    candidate: ChangeCandidate
    outcome: RunOutcome
    passes: bool  # the point of failure was reached as often as before
    keeps: bool = True  # the output before it is the same
    is_clean: bool = True  # there is no memory error, not even one that the failing run had too
    is_checked: bool = True  # for memory errors: there was time to, or the user wants no checks
    is_direct: bool = False  # it overrides the wrong value itself where it is only forwarded
    hands_on: bool = False  # it overrides the wrong value in a function that only passes its parameter on
    is_in_stand_in: bool = False  # in a function that looks at none of its parameters
    is_past: bool = False  # the run only got past the failure: it ended with another status
    avoids: int = 0  # other failing tests that pass with it
    breaks: int = 0  # passing tests that fail with it
    other_effects: list[Effect] = field(default_factory=list)  # on other inputs


@dataclass(slots=True)
class SearchResult:
    """What the search found."""

    baseline: RunOutcome  # of the run without any change
    observations: NDArray[np.void]  # what each site saw in it
    output: bytes = b""  # that it wrote
    reached: int = 0  # how often it reached the probe
    repeatable: bool = True
    runs: int = 0
    tried: int = 0  # changes
    complete: bool = True
    failing: int = 0  # other tests that were tried, failing and passing ones
    passing: int = 0
    confirmed: list[ConfirmedChange] = field(default_factory=list)
    past: list[ConfirmedChange] = field(default_factory=list)  # those that only got past the failure, not yet checked


@dataclass(frozen=True, slots=True)
class Trial:
    """Another test: how it is run, when it is right, and whether it fails without any change."""

    spec: RunSpec
    goal: Goal
    failed: bool


@dataclass(frozen=True, slots=True)
class CheckedProgram:
    """The program built with memory checks, and its checks of the failing instruction."""

    build: HookedBuild
    failing_checks: frozenset[int]


class Experiment:
    """The fork servers of one program and run.

    What they confirm is run again in the program that `build_checked` makes, which detects memory errors. It makes none
    where that would take too long. The run without any change may use what `unchanged` says.
    """

    def __init__(
        self,
        build: HookedBuild,
        name: str,
        spec: RunSpec,
        goal: Goal,
        cwd: str | None = None,
        build_checked: Callable[[], CheckedProgram | None] | None = None,
        unchanged: RunLimits | None = None,
    ) -> None:
        self.goal = goal
        self._build_checked = build_checked
        self._checked: tuple[list[ForkServer], list[Rule]] | None = None
        self._other: ForkServer | None = None  # for other inputs
        self.build, self.name, self.spec, self.cwd = build, name, spec, cwd
        limits = replace(unchanged or RunLimits(), file_size=max(2 * len(goal.output) + 65536, 1 << 20))
        if goal.is_endless:
            limits = RunLimits(file_size=limits.file_size, events=ENDLESS_EVENTS_LIMIT)
        self._stack = ExitStack()
        with ExitStack() as building:
            self.servers = [
                building.enter_context(ForkServer(build, name, spec, goal.output, limits, cwd))
                for _ in range(os.cpu_count() or 1)
            ]
            self._stack = building.pop_all()

    def measure_side_effects(
        self, result: SearchResult, chosen: Sequence[ConfirmedChange], is_over: Callable[[], bool]
    ) -> int:
        """Run confirmed changes on other inputs to see what else they would change; the number of inputs used.

        An input is not informative if no change matters there, or if nearly every change does: then it probably fails
        as the given one does.
        """
        by_rule = {c.candidate.rule: c for c in chosen}
        sample = list(by_rule)[:: max(1, len(by_rule) // SAMPLED_CHANGES)]
        informative = sorted(
            self._informative_inputs(result, sample, is_over) if len(by_rule) > 1 else (),
            key=lambda t: abs(t[0] - BEST_EFFECT_SHARE),
        )
        rest = [rule for rule in by_rule if rule not in set(sample)]
        used = 0
        for _, spec, found in informative[:MAX_INFORMATIVE_INPUTS]:
            if is_over():
                break
            server = self._given(spec)
            found.update(self._effects(result, server, server.adopt_output(), rest))
            used += 1
            for rule, effect in found.items():
                by_rule[rule].other_effects.append(effect)
        return used

    def _informative_inputs(
        self, result: SearchResult, sample: Sequence[Rule], is_over: Callable[[], bool]
    ) -> Iterator[tuple[float, RunSpec, dict[Rule, Effect]]]:
        """Inputs whose output some of the sample alters: the share that does, the input, and the effect of each.

        Enough good ones end the search.
        """
        good = 0
        for spec in similar_inputs(self.spec, MAX_INPUTS_TRIED):
            if is_over() or good >= MAX_INFORMATIVE_INPUTS:
                break
            server = self._given(spec)
            baseline = server.adopt_output()
            if baseline.exit_status is None:
                continue
            found = dict(self._effects(result, server, baseline, sample))
            share = sum(effect is Effect.OUTPUT for effect in found.values()) / len(sample)
            if MIN_EFFECT_SHARE <= share <= MAX_EFFECT_SHARE:
                good += abs(share - BEST_EFFECT_SHARE) <= GOOD_EFFECT_DISTANCE
                yield share, spec, found

    def _given(self, spec: RunSpec) -> ForkServer:
        """A server that runs the program with another input."""
        if self._other is None:
            first = ForkServer(self.build, self.name, self.spec, b"", self.servers[0].limits, self.cwd)
            self._other = self._stack.enter_context(first)
        self._other.limits = self.servers[0].limits
        self._other.set_input(spec)
        return self._other

    def _effects(
        self, result: SearchResult, server: ForkServer, baseline: RunOutcome, rules: Sequence[Rule]
    ) -> Iterator[tuple[Rule, Effect]]:
        """The effect of each rule on the run of a server."""
        for number, outcome in run_all([server], rules):
            result.runs += 1
            ends_alike = (outcome.status, outcome.end) == (baseline.status, baseline.end)
            same = ends_alike and outcome.matched == outcome.output == baseline.output
            yield rules[number], Effect.NONE if not outcome.changed else Effect.INTERNAL if same else Effect.OUTPUT

    def values_in_tests(self, trials: Sequence[Trial], is_over: Callable[[], bool]) -> dict[int, list[int]]:
        """Values that sites saw in other tests, by the number of the site; those of passing tests come first."""
        found: dict[int, dict[int, None]] = {}
        for trial in sorted(trials, key=lambda t: t.failed)[:MAX_OBSERVED_TESTS]:
            if is_over():
                break
            _, observations = self._given(trial.spec).observe()
            for number in np.flatnonzero(observations["nvalues"]).tolist():
                found.setdefault(number, {}).update(dict.fromkeys(observed_values(observations[number])))
        return {number: list(values)[:MAX_OBSERVED_VALUES] for number, values in found.items()}

    def try_tests(self, result: SearchResult, trials: Iterable[Trial], is_over: Callable[[], bool]) -> None:
        """Run confirmed changes on other tests: which failures do they avoid too, which passing tests do they break?"""
        by_rule = {c.candidate.rule: c for c in result.confirmed}
        for trial in trials:
            if is_over() or not by_rule:
                break
            server = self._given(trial.spec)
            server.set_expected(trial.goal.output)
            if trial.goal.is_met(server.run()) == trial.failed:
                continue  # it behaves differently here from when it was recorded
            result.failing += trial.failed
            result.passing += not trial.failed
            rules = list(by_rule)
            for number, outcome in run_all([server], rules):
                result.runs += 1
                is_right = trial.goal.is_met(outcome)
                by_rule[rules[number]].avoids += is_right and trial.failed
                by_rule[rules[number]].breaks += not is_right and not trial.failed

    def __enter__(self) -> Experiment:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def observe(self) -> SearchResult:
        """The run without any change, twice: to observe what each site sees, and to see whether it is repeatable."""
        outcome, observations = self.servers[0].observe()
        written = self.servers[0].output()
        if outcome.end == Ending.MEMORY and not self.goal.is_whole:  # what the recorded run wrote later does not count
            self.goal = replace(self.goal, output=written)
            for server in self.servers:
                server.adopt_output()
        again = self.servers[-1].run(self._probe())
        same = (again.status, again.end, self.servers[-1].output()) == (outcome.status, outcome.end, written)
        same |= self.goal.is_endless and again.is_cut and outcome.is_cut
        slowest = max(outcome.events, again.events) if not self.goal.is_endless else 0
        for server in self.servers:
            server.limits = RunLimits(
                500 + slowest // 5_000, max(MIN_EVENTS_LIMIT, 10 * slowest), server.limits.file_size
            )
        return SearchResult(outcome, observations, written, again.reached, same)

    def _probe(self) -> list[Rule]:
        return [Rule(self.goal.probe, Op.PROBE)] if self.goal.probe else []

    def search(self, result: SearchResult, candidates: Iterable[ChangeCandidate], is_over: Callable[[], bool]) -> None:
        """Try the candidates in their order and add those that avoid the failure to the result, in that order too."""
        probe = self._probe()
        found: dict[int, ConfirmedChange] = {}
        past: dict[int, ConfirmedChange] = {}
        longer: list[tuple[int, ChangeCandidate]] = []

        def rules(
            numbered: Iterable[tuple[int, ChangeCandidate]], tried: list[tuple[int, ChangeCandidate]]
        ) -> Iterator[Rule]:
            for number, candidate in numbered:
                if is_over():
                    result.complete = False
                    return
                tried.append((number, candidate))
                yield candidate.rule

        def run(numbered: Iterable[tuple[int, ChangeCandidate]]) -> None:
            tried: list[tuple[int, ChangeCandidate]] = []
            for at, outcome in run_all(self.servers, rules(numbered, tried), probe):
                result.runs += 1
                number, candidate = tried[at]
                if outcome.changed and self.goal.is_met(outcome):
                    passes = not probe or outcome.reached >= result.reached
                    found[number] = ConfirmedChange(candidate, outcome, passes, self.goal.keeps(outcome))
                    continue
                if outcome.changed and outcome.is_cut:
                    longer.append((number, candidate))
                if outcome.changed and self.goal.is_past(outcome, result.baseline):
                    passes = not probe or outcome.reached >= result.reached
                    past[number] = ConfirmedChange(candidate, outcome, passes, self.goal.keeps(outcome), is_past=True)

        before = result.runs
        run(enumerate(candidates))
        result.tried += result.runs - before
        if longer and not found and not result.confirmed:  # the failing run may be short because it failed early
            was = [server.limits for server in self.servers]
            for server in self.servers:
                server.limits = replace(PATIENT_LIMITS, file_size=server.limits.file_size)
            was_complete = result.complete
            run(sorted(longer, key=lambda row: row[0])[:MAX_PATIENT_RUNS])
            result.complete = was_complete
            for server, limits in zip(self.servers, was, strict=True):
                server.limits = limits
        result.confirmed += self._without_new_memory_errors(result, [found[number] for number in sorted(found)])
        result.past += (past[number] for number in sorted(past.keys() - found.keys()))

    def confirm_past(self, result: SearchResult, past: Sequence[ConfirmedChange]) -> None:
        """Add changes that only got past the failure to those that avoid it."""
        result.confirmed += self._without_new_memory_errors(result, list(past))

    def verdicts(self, result: SearchResult, changes: Sequence[Sequence[Rule]]) -> list[RunVerdict]:
        """What becomes of the failure with each of these sets of rules: avoided only without new memory errors."""
        found = [RunVerdict.UNKNOWN] * len(changes)
        by_site = [sorted(rules, key=lambda r: r.site) for rules in changes]
        for number, outcome in run_each(self.servers, by_site):
            result.runs += 1
            found[number] = self._verdict(result, outcome)
        good = [k for k, verdict in enumerate(found) if verdict is RunVerdict.AVOIDED]
        if good and self._build_checked is not None:
            checked = self._checked_servers(self._build_checked)
            if checked is None:
                return [RunVerdict.UNKNOWN if verdict is RunVerdict.AVOIDED else verdict for verdict in found]
            servers, allowed = checked
            for at, outcome in run_each(servers, ([*by_site[k], *allowed] for k in good)):
                result.runs += 1
                if outcome.end == Ending.MEMORY:
                    found[good[at]] = RunVerdict.FAILED
                elif not self.goal.is_met(outcome):
                    found[good[at]] = RunVerdict.UNKNOWN
        return found

    def _verdict(self, result: SearchResult, outcome: RunOutcome) -> RunVerdict:
        if outcome.is_cut:
            return RunVerdict.FAILED if self.goal.is_endless else RunVerdict.UNKNOWN
        if self.goal.is_met(outcome):
            return RunVerdict.AVOIDED
        # a run that ends by itself, only with another status than 0, does not fail as one did that was ended
        ends_otherwise = outcome.exit_status is not None and result.baseline.exit_status is None
        is_wrong_output = self.goal.is_whole and outcome.exit_status is not None  # another one would be as wrong
        return RunVerdict.UNKNOWN if ends_otherwise or is_wrong_output else RunVerdict.FAILED

    def _without_new_memory_errors(self, result: SearchResult, found: list[ConfirmedChange]) -> list[ConfirmedChange]:
        """The changes that cause no memory error besides those of the failing run before it failed."""
        if not found or self._build_checked is None:
            return found
        checked = self._checked_servers(self._build_checked)
        if checked is None:
            for c in found:
                c.is_checked = False
            return found
        servers, allowed = checked
        by_rule: dict[Rule, list[ConfirmedChange]] = {}
        for c in found:
            by_rule.setdefault(c.candidate.rule, []).append(c)
        rules = list(by_rule)
        bad = {rules[at] for at, outcome in run_all(servers, rules, allowed) if outcome.end == Ending.MEMORY}
        result.runs += len(rules)
        if allowed:
            for at, outcome in run_all(servers, rules):
                result.runs += 1
                for c in by_rule[rules[at]]:
                    c.is_clean = outcome.end != Ending.MEMORY
        return [c for c in found if c.candidate.rule not in bad]

    def _checked_servers(
        self, build: Callable[[], CheckedProgram | None]
    ) -> tuple[list[ForkServer], list[Rule]] | None:
        """Servers of the checked program with the errors that are allowed there; None where there is no time for it."""
        if self._checked is None:
            checked = build()
            self._checked = None if checked is None else self._start_checked(checked)
        return self._checked

    def _start_checked(self, checked: CheckedProgram) -> tuple[list[ForkServer], list[Rule]]:
        """Servers of the checked program, and the rules that allow the memory errors of the failing run."""
        was = self.servers[0].limits
        limits = replace(was, milliseconds=MAX_CHECK_SLOWDOWN * was.milliseconds)
        servers = [
            self._stack.enter_context(
                ForkServer(checked.build, self.name, self.spec, self.goal.output, limits, self.cwd)
            )
            for _ in range(len(self.servers))
        ]
        return servers, allowed_memory_errors(servers[0], replace(self.goal, failing_checks=checked.failing_checks))


def allowed_memory_errors(server: ForkServer, goal: Goal) -> list[Rule]:
    """Rules that allow the memory errors of the failing run before it fails; none if such an error is the failure."""
    found: list[Rule] = []
    while not goal.is_memory and len(found) <= MAX_ALLOWED_ERRORS:
        outcome = server.run(found)
        if outcome.end != Ending.MEMORY or outcome.error_at in goal.failing_checks:
            break
        found.append(Rule(NOWHERE, Op.ALLOW, outcome.error_at))
    return found
