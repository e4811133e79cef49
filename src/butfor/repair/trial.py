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

    def compare(self, build: HookedBuild, spec: RunSpec, found: dict[int, Tally]) -> None:
        """Counts the inputs of the same shape as the given one on which variants behave differently from the original program."""
        used = 0
        for other in others(spec, _MOST_SIMILAR):
            if used >= _SIMILAR or not found or self.is_over():
                break
            limits = Limits(_MILLISECONDS, self.events)
            with self._servers(build, other, b"", limits, 1) as (server,):
                usual = server.adopt()
                if usual.exit_status is None:
                    continue  # it fails there too: another behaviour is what is wanted
                used += 1
                for rules, outcome in run_all([server], _requests(found)):
                    self.runs += 1
                    same = (outcome.status, outcome.end) == (usual.status, usual.end) and outcome.matched == outcome.output == usual.output
                    found[rules[0].a].similar += 1
                    found[rules[0].a].differs += not same


def _requests(numbers: Iterable[int]) -> Iterator[Sequence[Rule]]:
    return ([Rule(NOWHERE, Op.VARIANT, number)] for number in numbers)
