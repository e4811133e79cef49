"""The search: the failing run again and again, each time with one change, until the time is used up."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from butfor.counterfactual.change_candidates import Candidate
from butfor.counterfactual.change_rules import Op, Rule
from butfor.counterfactual.fork_server import MEMORY, Limits, Outcome, Server, run_all
from butfor.counterfactual.similar_inputs import others
from butfor.frontends.c.hooked_build import HookedBuild
from butfor.frontends.c.run_program import RunSpec
from butfor.ir.change_sites import NOWHERE

_INPUTS, _MOST_INPUTS = 20, 60  # other inputs that are used, and made
_SLOWER = 8  # times that checks make a run slower, at most
_MOST_ERRORS = 60  # memory errors of the failing run that are let pass
_PATIENT, _MOST_PATIENT = (
    Limits(1_000, 20_000_000),
    8,
)  # for changed runs that are much longer than the failing one; how many get them
_LEAST_EVENTS, _ENDLESS = (
    400_000,
    300_000,
)  # events that a changed run may have in any case, and after which a run that does not end is left
_WATCHED, _MOST_SEEN = 4, 6  # other tests that are watched, and values of a site that are taken from them
_SAMPLE = 12  # changes that are tried first on an input
_LEAST_SHARE, _BEST_SHARE, _MOST_SHARE, _NEAR = (
    0.05,
    0.35,
    0.75,
    0.2,
)  # of changes that matter on an input which tells something


@dataclass(frozen=True, slots=True)
class Goal:
    """When a changed run counts as right: its exit status, and its output: all of it, or only what the failing run had written."""

    output: bytes
    is_whole: bool  # the output must be exactly this, not only begin with it
    exit_status: int | None  # None: any
    probe: int = 0  # a site that must be reached as often as in the failing run, 0 for none
    or_status: int | None = None  # another exit status that is right too
    is_memory: bool = False  # the failure is a memory error: then none is let pass
    failing: frozenset[int] = frozenset()  # checks of the failing instruction, which are never let pass
    is_endless: bool = False  # the failure is that the run does not end

    def is_met(self, outcome: Outcome) -> bool:
        """Whether the run did not fail. What it wrote before may differ, when no output is expected: it may have been wrong already."""
        status = outcome.exit_status
        if status is None or (self.exit_status is not None and status not in (self.exit_status, self.or_status)):
            return False
        return not self.is_whole or (self.keeps(outcome) and outcome.output == len(self.output))

    def keeps(self, outcome: Outcome) -> bool:
        """Whether the output begins as it should, or as it did up to the failure."""
        return outcome.matched == len(self.output)


@dataclass(slots=True)
class Confirmed:
    """A change that avoided the failure.

    `passes`: the place of the failure was reached as often as before, and all was well there. `keeps`: what was written before it is the same.
    `is_clean`: there is no memory error, not even one that the failing run had too.
    `is_direct`: it overrides the very value that was wrong, on its way to where that showed.
    """

    candidate: Candidate
    outcome: Outcome
    passes: bool
    keeps: bool = True
    is_clean: bool = True
    is_direct: bool = False
    avoids: int = 0  # other failing tests that pass with it
    breaks: int = 0  # passing tests that fail with it
    elsewhere: list[int] = field(
        default_factory=list
    )  # per other input: 0 nothing changed, 1 something inside, 2 the output or the end


@dataclass(slots=True)
class Result:
    """What the search found."""

    baseline: Outcome
    seen: NDArray[np.void]
    output: bytes = b""  # of the run without any change
    reached: int = 0
    repeatable: bool = True
    runs: int = 0
    complete: bool = True
    failing: int = 0  # other tests that were tried, failing and passing ones
    passing: int = 0
    confirmed: list[Confirmed] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Trial:
    """Another test: how it is run, when it is right, and whether it fails without any change."""

    spec: RunSpec
    goal: Goal
    failed: bool


@dataclass(frozen=True, slots=True)
class Second:
    """The same program, checked for memory errors, and its checks of the failing instruction."""

    build: HookedBuild
    failing: frozenset[int]


class Experiment:
    """The servers of one program and run. What they confirm is run again in the `second` program, which shows memory errors."""

    def __init__(
        self,
        build: HookedBuild,
        name: str,
        spec: RunSpec,
        goal: Goal,
        cwd: str | None = None,
        second: Callable[[], Second] | None = None,
    ) -> None:
        self.goal = goal
        self._make_second = second
        self._second: tuple[list[Server], list[Rule]] | None = None
        self.build, self.name, self.spec, self.cwd = build, name, spec, cwd
        limits = Limits(file_size=max(2 * len(goal.output) + 65536, 1 << 20))
        if goal.is_endless:
            limits = replace(limits, events=_ENDLESS)
        self._stack = ExitStack()
        with ExitStack() as building:
            self.servers = [
                building.enter_context(Server(build, name, spec, goal.output, limits, cwd))
                for _ in range(os.cpu_count() or 1)
            ]
            self._stack = building.pop_all()

    def disturb(self, result: Result, chosen: Sequence[Confirmed], is_over: Callable[[], bool]) -> int:
        """Runs confirmed changes on other inputs, to see how much else they would change. The number of inputs that told something.

        An input tells nothing when no change matters there, or when nearly every change does: then it fails as the given one does.
        """
        by_rule = {c.candidate.rule: c for c in chosen}
        sample = list(by_rule)[:: max(1, len(by_rule) // _SAMPLE)]
        telling = sorted(
            self._telling(result, sample, is_over) if len(by_rule) > 1 else (), key=lambda t: abs(t[0] - _BEST_SHARE)
        )
        rest = [rule for rule in by_rule if rule not in set(sample)]
        served = 0
        for _, spec, found in telling[:_INPUTS]:
            if is_over():
                break
            with self._server(spec) as server:
                found.update(self._effects(result, server, server.adopt(), rest))
            served += 1
            for rule, effect in found.items():
                by_rule[rule].elsewhere.append(effect)
        return served

    def _telling(
        self, result: Result, sample: Sequence[Rule], is_over: Callable[[], bool]
    ) -> Iterator[tuple[float, RunSpec, dict[Rule, int]]]:
        """Inputs on which some of the sample matters: the share of it that does, the input, and what each did. Enough good ones end the search."""
        good = 0
        for spec in others(self.spec, _MOST_INPUTS):
            if is_over() or good >= _INPUTS:
                break
            with self._server(spec) as server:
                usual = server.adopt()
                if usual.exit_status is None:
                    continue
                found = dict(self._effects(result, server, usual, sample))
                share = sum(effect == 2 for effect in found.values()) / len(sample)
                if _LEAST_SHARE <= share <= _MOST_SHARE:
                    good += abs(share - _BEST_SHARE) <= _NEAR
                    yield share, spec, found

    def _server(self, spec: RunSpec) -> Server:
        return Server(self.build, self.name, spec, b"", self.servers[0].limits, self.cwd)

    def _effects(
        self, result: Result, server: Server, usual: Outcome, rules: Iterable[Rule]
    ) -> Iterator[tuple[Rule, int]]:
        """For each rule: 0 it changed nothing, 1 something inside, 2 the output or the end."""
        for (rule,), outcome in run_all([server], ([rule] for rule in rules)):
            result.runs += 1
            same = (outcome.status, outcome.end) == (
                usual.status,
                usual.end,
            ) and outcome.matched == outcome.output == usual.output
            yield rule, 0 if not outcome.changed else 1 if same else 2

    def seen_in(self, trials: Sequence[Trial], is_over: Callable[[], bool]) -> dict[int, list[int]]:
        """Values that sites saw in other tests, by the number of the site: those of tests that pass first."""
        found: dict[int, dict[int, None]] = {}
        for trial in sorted(trials, key=lambda t: t.failed)[:_WATCHED]:
            if is_over():
                break
            with self._server(trial.spec) as server:
                _, seen = server.watch()
            for number in np.flatnonzero(seen["nvalues"]).tolist():
                row = seen[number]
                found.setdefault(number, {}).update(dict.fromkeys(int(v) for v in row["values"][: int(row["nvalues"])]))
        return {number: list(values)[:_MOST_SEEN] for number, values in found.items()}

    def try_tests(self, result: Result, trials: Iterable[Trial], is_over: Callable[[], bool]) -> None:
        """Runs what was confirmed on other tests: which failures it avoids too, and which passing tests it breaks."""
        by_rule = {c.candidate.rule: c for c in result.confirmed}
        for trial in trials:
            if is_over() or not by_rule:
                break
            with Server(
                self.build, self.name, trial.spec, trial.goal.output, self.servers[0].limits, self.cwd
            ) as server:
                if trial.goal.is_met(server.run()) == trial.failed:
                    continue  # it does not behave here as it did when it was recorded
                result.failing += trial.failed
                result.passing += not trial.failed
                for rules, outcome in run_all([server], ([rule] for rule in by_rule)):
                    result.runs += 1
                    is_right = trial.goal.is_met(outcome)
                    by_rule[rules[0]].avoids += is_right and trial.failed
                    by_rule[rules[0]].breaks += not is_right and not trial.failed

    def __enter__(self) -> Experiment:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def watch(self) -> Result:
        """The run without any change, twice: once to see what each site sees, once to see whether it is repeatable."""
        outcome, seen = self.servers[0].watch()
        written = self.servers[0].output()
        if outcome.end == MEMORY and not self.goal.is_whole:  # there it was ended: what it wrote later is not asked for
            self.goal = replace(self.goal, output=written)
            for server in self.servers:
                server.adopt()
        again = self.servers[-1].run(self._probe())
        same = (again.status, again.end, self.servers[-1].output()) == (outcome.status, outcome.end, written)
        same |= self.goal.is_endless and again.is_cut and outcome.is_cut
        slowest = max(outcome.events, again.events) if not self.goal.is_endless else 0
        for server in self.servers:
            server.limits = Limits(500 + slowest // 5_000, max(_LEAST_EVENTS, 10 * slowest), server.limits.file_size)
        return Result(outcome, seen, written, again.reached, same)

    def _probe(self) -> list[Rule]:
        return [Rule(self.goal.probe, Op.PROBE)] if self.goal.probe else []

    def search(self, result: Result, candidates: Iterable[Candidate], is_over: Callable[[], bool]) -> None:
        """Tries the candidates in their order; what avoids the failure is added to the result, in that order too."""
        probe = self._probe()
        tried: dict[int, tuple[int, Candidate]] = {}
        found: dict[int, Confirmed] = {}
        longer: list[tuple[int, Candidate]] = []

        def requests(numbered: Iterable[tuple[int, Candidate]]) -> Iterator[Sequence[Rule]]:
            for number, candidate in numbered:
                if is_over():
                    result.complete = False
                    return
                rules = [candidate.rule, *(p for p in probe if p.site != candidate.rule.site)]
                tried[id(rules)] = number, candidate
                yield rules

        def run(numbered: Iterable[tuple[int, Candidate]]) -> None:
            for rules, outcome in run_all(self.servers, requests(numbered)):
                result.runs += 1
                number, candidate = tried.pop(id(rules))
                if outcome.changed and self.goal.is_met(outcome):
                    passes = not probe or outcome.reached >= result.reached
                    found[number] = Confirmed(candidate, outcome, passes, self.goal.keeps(outcome))
                elif outcome.changed and outcome.is_cut:
                    longer.append((number, candidate))

        run(enumerate(candidates))
        if (
            longer and not found and not result.confirmed
        ):  # a run that fails early says nothing about how long a right one is
            was = [server.limits for server in self.servers]
            for server in self.servers:
                server.limits = replace(_PATIENT, file_size=server.limits.file_size)
            was_complete = result.complete
            run(sorted(longer, key=lambda row: row[0])[:_MOST_PATIENT])
            result.complete = was_complete
            for server, limits in zip(self.servers, was, strict=True):
                server.limits = limits
        result.confirmed += self._without_errors(result, [found[number] for number in sorted(found)])

    def _without_errors(self, result: Result, found: list[Confirmed]) -> list[Confirmed]:
        """Those that bring no memory error which the failing run did not have before it failed."""
        if not found or self._make_second is None:
            return found
        if self._second is None:
            self._second = self._start_second(self._make_second())
        servers, allowed = self._second
        by_rule: dict[Rule, list[Confirmed]] = {}
        for c in found:
            by_rule.setdefault(c.candidate.rule, []).append(c)
        bad = {
            rules[0]
            for rules, outcome in run_all(servers, ([rule, *allowed] for rule in by_rule))
            if outcome.end == MEMORY
        }
        result.runs += len(by_rule)
        if allowed:
            for rules, outcome in run_all(servers, ([rule] for rule in by_rule)):
                result.runs += 1
                for c in by_rule[rules[0]]:
                    c.is_clean = outcome.end != MEMORY
        return [c for c in found if c.candidate.rule not in bad]

    def _start_second(self, second: Second) -> tuple[list[Server], list[Rule]]:
        was = self.servers[0].limits
        limits = replace(was, milliseconds=_SLOWER * was.milliseconds)
        servers = [
            self._stack.enter_context(Server(second.build, self.name, self.spec, self.goal.output, limits, self.cwd))
            for _ in range(len(self.servers))
        ]
        return servers, allowances(servers[0], replace(self.goal, failing=second.failing))


def allowances(server: Server, goal: Goal) -> list[Rule]:
    """Rules by which the memory errors that the failing run has before it fails are let pass; none when such an error is the failure."""
    found: list[Rule] = []
    while not goal.is_memory and len(found) <= _MOST_ERRORS:
        outcome = server.run(found)
        if outcome.end != MEMORY or outcome.error_at in goal.failing:
            break
        found.append(Rule(NOWHERE, Op.ALLOW, outcome.error_at))
    return found
