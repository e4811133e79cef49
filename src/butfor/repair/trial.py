"""Runs of patched programs on the tests, in the fence of the fork server: which failures are gone, what else changes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from butfor.frontends.c.hooked import HookedBuild
from butfor.frontends.c.run import RunSpec
from butfor.intervene.experiment import Goal
from butfor.intervene.inputs import others
from butfor.intervene.rules import Op, Rule
from butfor.intervene.server import Limits, Outcome, Server, run_all
from butfor.program.sites import NOWHERE

_SIMILAR, _MOST_SIMILAR = 40, 60  # other inputs that are used, and made
_SLOWER, _LEAST_EVENTS = 20, 400_000  # a patched program may take so many times longer than the failing run; blocks that it may run in any case
_MILLISECONDS = 1_000
ORIGINAL = 0  # the number of what is no variant


@dataclass(frozen=True, slots=True)
class Test:
    """One run with what should come of it; `failed` without a repair."""

    __test__ = False  # pytest collects classes by this name

    spec: RunSpec
    goal: Goal
    failed: bool
    name: str = ""


@dataclass(slots=True)
class Tally:
    """What came of one variant."""

    fixed: int = 0
    kept: int = 0
    keeps_output: bool = True  # what the failing run wrote before it failed is the same
    differs: int = 0  # of `similar` other inputs
    similar: int = 0


@dataclass(frozen=True, slots=True)
class Usual:
    """An input, and what the original program does with it."""

    spec: RunSpec
    outcome: Outcome
    output: bytes

    def is_same(self, other: Outcome) -> bool:
        """Whether another run ended in the same way and wrote the same; it was told to expect the output."""
        ended = (other.status, other.end) == (self.outcome.status, self.outcome.end)
        return ended and other.matched == other.output == len(self.output)


@dataclass
class Bench:
    """Where programs are run: their name and folder, and when to stop."""

    name: str
    cwd: str | None
    is_over: Callable[[], bool]
    events: int = _LEAST_EVENTS
    runs: int = field(default=0, init=False)

    def outcomes(self, build: HookedBuild, test: Test, numbers: Iterable[int], width: int = 1) -> Iterator[tuple[int, Outcome]]:
        """How each variant does on one test, in no order."""
        limits = Limits(_MILLISECONDS, self.events, max(2 * len(test.goal.output) + 65536, 1 << 20))
        with self._servers(build, test.spec, test.goal.output, limits, width) as servers:
            for rules, outcome in run_all(servers, _requests(numbers)):
                self.runs += 1
                yield rules[0].a, outcome

    @contextmanager
    def _servers(self, build: HookedBuild, spec: RunSpec, expected: bytes, limits: Limits, width: int) -> Iterator[list[Server]]:
        with ExitStack() as stack:
            yield [stack.enter_context(Server(build, self.name, spec, expected, limits, self.cwd)) for _ in range(width)]

    def survivors(self, build: HookedBuild, test: Test, numbers: Sequence[int]) -> list[int]:
        """The variants for which a failing test does not fail."""
        good = {n for n, outcome in self.outcomes(build, test, numbers, os.cpu_count() or 1) if test.goal.is_met(outcome)}
        return [n for n in numbers if n in good]

    def measure(self, build: HookedBuild, test: Test) -> Outcome:
        """The failing run without any change; runs of variants may take a multiple of it."""
        ((_, outcome),) = self.outcomes(build, test, [ORIGINAL])
        if outcome.end != 4 and not outcome.timed_out:
            self.events = max(_LEAST_EVENTS, _SLOWER * outcome.events)
        return outcome

    def tally(self, build: HookedBuild, tests: Sequence[Test], numbers: Sequence[int]) -> dict[int, Tally]:
        """What becomes of all tests with each variant."""
        found = {n: Tally() for n in numbers}
        for test in tests:
            for n, outcome in self.outcomes(build, test, numbers):
                is_right = test.goal.is_met(outcome)
                found[n].fixed += is_right and test.failed
                found[n].kept += is_right and not test.failed
                if test.failed and not test.goal.is_whole:
                    found[n].keeps_output &= test.goal.keeps(outcome)
        return found

    def similar(self, build: HookedBuild, spec: RunSpec) -> list[Usual]:
        """Inputs of the same shape as the given one, with what the program does there without a repair; those where it fails are left out."""
        found: list[Usual] = []
        for other in others(spec, _MOST_SIMILAR):
            if len(found) >= _SIMILAR or self.is_over():
                break
            with self._servers(build, other, b"", Limits(_MILLISECONDS, self.events), 1) as (server,):
                outcome = server.run([Rule(NOWHERE, Op.VARIANT, ORIGINAL)])
                if outcome.exit_status is not None:
                    found.append(Usual(other, outcome, server.output()))
        return found

    def compare(self, build: HookedBuild, inputs: Sequence[Usual], found: dict[int, Tally]) -> None:
        """Counts the inputs on which variants behave differently from the original program."""
        for usual in inputs if found else ():
            if self.is_over():
                break
            limits = Limits(_MILLISECONDS, self.events, max(2 * len(usual.output) + 65536, 1 << 20))
            with self._servers(build, usual.spec, usual.output, limits, 1) as servers:
                for rules, outcome in run_all(servers, _requests(found)):
                    self.runs += 1
                    tally = found[rules[0].a]
                    tally.similar += 1
                    tally.differs += not usual.is_same(outcome)


def _requests(numbers: Iterable[int]) -> Iterator[Sequence[Rule]]:
    return ([Rule(NOWHERE, Op.VARIANT, number)] for number in numbers)
