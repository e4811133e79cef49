"""The search: the failing run again and again, each time with one change, until the time is used up."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from butfor.frontends.c.hooked import HookedBuild
from butfor.frontends.c.run import RunSpec
from butfor.intervene.candidates import Candidate
from butfor.intervene.inputs import others
from butfor.intervene.rules import Op, Rule
from butfor.intervene.server import Limits, Outcome, Server, run_all


@dataclass(frozen=True, slots=True)
class Goal:
    """When a changed run counts as right: its exit status, and its output: all of it, or only what the failing run had written."""

    output: bytes
    is_whole: bool  # the output must be exactly this, not only begin with it
    exit_status: int | None  # None: any
    probe: int = 0  # a site that must be reached as often as in the failing run, 0 for none

    def is_met(self, outcome: Outcome) -> bool:
        """Whether the run did not fail."""
        status = outcome.exit_status
        if status is None or (self.exit_status is not None and status != self.exit_status):
            return False
        return outcome.matched == len(self.output) and (not self.is_whole or outcome.output == len(self.output))


@dataclass(slots=True)
class Confirmed:
    """A change that avoided the failure. `passes`: the place of the failure was reached as often as before, and all was well there."""

    candidate: Candidate
    outcome: Outcome
    passes: bool
    elsewhere: list[int] = field(default_factory=list)  # per other input: 0 nothing changed, 1 something inside, 2 the output or the end


@dataclass(slots=True)
class Result:
    """What the search found."""

    baseline: Outcome
    seen: NDArray[np.void]
    reached: int = 0
    repeatable: bool = True
    runs: int = 0
    seconds: float = 0.0
    complete: bool = True
    confirmed: list[Confirmed] = field(default_factory=list)


class Experiment:
    """The servers of one program and run. Use it in a `with` block."""

    def __init__(self, build: HookedBuild, name: str, spec: RunSpec, goal: Goal, cwd: str | None = None, processes: int | None = None) -> None:
        self.goal = goal
        self.build, self.name, self.spec, self.cwd = build, name, spec, cwd
        count = processes or os.cpu_count() or 1
        limits = Limits(file_size=max(2 * len(goal.output) + 65536, 1 << 20))
        self._stack = ExitStack()
        with ExitStack() as building:
            self.servers = [building.enter_context(Server(build, name, spec, goal.output, limits, cwd)) for _ in range(count)]
            self._stack = building.pop_all()

    def disturb(self, result: Result, count: int, is_over: Callable[[], bool]) -> int:
        """Runs what was confirmed on inputs near the failing one too, to see how much else it would change. The number of inputs that served."""
        served = 0
        for spec in others(self.spec, 3 * count):
            if served >= count or is_over():
                break
            with Server(self.build, self.name, spec, b"", self.servers[0].limits, self.cwd) as server:
                usual = server.adopt()
                if usual.exit_status is None:
                    continue
                served += 1
                result.runs += 1
                by_rule = {c.candidate.rule: c for c in result.confirmed}
                for rules, outcome in run_all([server], ([rule] for rule in by_rule)):
                    result.runs += 1
                    same = (outcome.status, outcome.end) == (usual.status, usual.end) and outcome.matched == outcome.output == usual.output
                    by_rule[rules[0]].elsewhere.append(0 if not outcome.changed else 1 if same else 2)
        return served

    def __enter__(self) -> Experiment:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def watch(self) -> Result:
        """The run without any change, twice: once to see what each site sees, once to see whether it is repeatable."""
        outcome, seen = self.servers[0].watch()
        again = self.servers[-1].run(self._probe())
        same = (again.status, again.end, again.output, again.matched) == (outcome.status, outcome.end, outcome.output, outcome.matched)
        slowest = max(outcome.events, again.events)
        for server in self.servers:
            server.limits = Limits(500 + slowest // 5_000, max(400_000, 10 * slowest), server.limits.file_size)
        return Result(outcome, seen, again.reached, same)

    def _probe(self) -> list[Rule]:
        return [Rule(self.goal.probe, Op.PROBE)] if self.goal.probe else []

    def search(self, result: Result, candidates: Iterable[Candidate], is_over: Callable[[], bool]) -> None:
        """Tries the candidates in their order; what avoids the failure is added to the result."""
        start = time.monotonic()
        probe = self._probe()
        tried: dict[int, Candidate] = {}

        def requests() -> Iterator[Sequence[Rule]]:
            for candidate in candidates:
                if is_over():
                    result.complete = False
                    return
                rules = [candidate.rule, *(p for p in probe if p.site != candidate.rule.site)]
                tried[id(rules)] = candidate
                yield rules

        for rules, outcome in run_all(self.servers, requests()):
            result.runs += 1
            candidate = tried.pop(id(rules))
            if outcome.changed and self.goal.is_met(outcome):
                passes = (len(rules) == 1 and not probe) or outcome.reached >= result.reached
                result.confirmed.append(Confirmed(candidate, outcome, passes))
        result.seconds += time.monotonic() - start
