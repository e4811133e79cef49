"""Runs of patched programs on the tests, behind the fence of the fork server, and on similar inputs."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from butfor.concolic.input_mutations import Mutator
from butfor.concolic.search_inputs import input_of
from butfor.counterfactual.change_rules import Op, Rule
from butfor.counterfactual.fork_server import ForkServer, RunLimits, RunOutcome, run_all
from butfor.counterfactual.run_goal import Goal
from butfor.counterfactual.similar_inputs import similar_inputs
from butfor.frontends.c.hooked_build import HookedBuild
from butfor.frontends.c.run_program import RunSpec
from butfor.ir.change_sites import NOWHERE

MAX_SIMILAR_INPUTS, MAX_SIMILAR_MADE = 40, 60  # of the same shape as the failing one: the program fails on some
MAX_FURTHER_INPUTS, MAX_FURTHER_MADE = 20, 60  # with words of the program: many make the same parts of it run
MAX_MUTATION_WORDS = 200  # of the program, and as many numbers, that further inputs are made of
QUICK_DIVISOR = 3  # where nobody asked for repairs, so many times fewer inputs do
_LITERAL = re.compile(rb'"((?:[^"\\\n]|\\.)*)"')
_WORD = re.compile(rb"[A-Za-z_]\w{0,30}|[^\s\w\\%]")
_NUMBER = re.compile(rb"\b\d{1,9}\b")
MAX_SLOWDOWN = 20  # of a patched program, times the original
MIN_EVENT_LIMIT = 400_000  # blocks that a patched program may run in any case
MIN_LIMIT_MILLISECONDS, MAX_LIMIT_MILLISECONDS = 1_000, 10_000  # a short run jitters; a long one is a loop
MAX_FAILED_TESTS = 2  # a variant that fails more is not run on the rest
UNLIMITED_EVENTS = 1 << 40
MIN_OUTPUT_LIMIT_BYTES, SPARE_OUTPUT_BYTES = 1 << 20, 1 << 16
ORIGINAL = 0  # the number of the program without a variant


@dataclass(frozen=True, slots=True)
class Test:
    """One run with what should come of it; `failed` without a repair."""

    __test__ = False  # pytest collects classes by this name

    spec: RunSpec
    goal: Goal
    failed: bool
    name: str = ""
    limits: RunLimits = field(default_factory=RunLimits)  # of runs with a repair


@dataclass(slots=True)
class Tally:
    """The outcomes of one variant on all tests."""

    fixed: int = 0
    kept: int = 0
    keeps_output: bool = True  # what the failing run wrote before it failed is the same
    touched: bool = False  # it wrote files, or wanted to do what runs may not do
    differs: int = 0  # of `similar` other inputs
    similar: int = 0


@dataclass(frozen=True, slots=True)
class OriginalRun:
    """An input, and what the original program does with it."""

    spec: RunSpec
    outcome: RunOutcome
    output: bytes
    limits: RunLimits

    def is_same(self, other: RunOutcome) -> bool:
        """Whether another run ended in the same way and wrote the same; it was told to expect the output."""
        ended = (other.status, other.end) == (self.outcome.status, self.outcome.end)
        return ended and other.matched == other.output == len(self.output)


@dataclass
class Trials:
    """Runs programs under a name, in a folder, until the time is over. To be used in a `with` block."""

    name: str
    cwd: str | None
    is_over: Callable[[], bool]
    is_thorough: bool = True  # programs are compared on many inputs, not on some
    runs: int = field(default=0, init=False)
    _servers: dict[HookedBuild, list[ForkServer]] = field(default_factory=dict, init=False)
    _stack: ExitStack = field(default_factory=ExitStack, init=False)

    def __enter__(self) -> Trials:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def measured(self, build: HookedBuild, test: Test) -> tuple[Test, RunOutcome]:
        """A test with limits for patched programs, multiples of what the original takes; and how that one ends."""
        start = time.monotonic()
        first = replace(
            test,
            limits=RunLimits(
                MAX_LIMIT_MILLISECONDS if not test.failed else MIN_LIMIT_MILLISECONDS,
                UNLIMITED_EVENTS,
                _output_limit(test.goal.output),
            ),
        )
        ((_, outcome),) = self.outcomes(build, first, [ORIGINAL])
        milliseconds = MIN_LIMIT_MILLISECONDS + MAX_SLOWDOWN * int(1000 * (time.monotonic() - start))
        limits = RunLimits(
            min(milliseconds, MAX_LIMIT_MILLISECONDS),
            max(MIN_EVENT_LIMIT, MAX_SLOWDOWN * outcome.events),
            _output_limit(test.goal.output),
        )
        return replace(test, limits=limits), outcome

    def outcomes(
        self, build: HookedBuild, test: Test, numbers: Iterable[int], width: int = 1
    ) -> Iterator[tuple[int, RunOutcome]]:
        """The outcomes of the variants on one test, in no order."""
        tried = [Rule(NOWHERE, Op.VARIANT, number) for number in numbers]
        servers = self._given(build, test.spec, test.goal.output, test.limits, width)
        for at, outcome in run_all(servers, tried):
            self.runs += 1
            yield tried[at].a, outcome

    def _given(
        self, build: HookedBuild, spec: RunSpec, expected: bytes, limits: RunLimits, width: int = 1
    ) -> list[ForkServer]:
        """So many servers that run a program with this input."""
        servers = self._servers.setdefault(build, [])
        while len(servers) < width:
            first = ForkServer(build, self.name, spec, b"", limits, self.cwd)
            servers.append(self._stack.enter_context(first))
        for server in servers[:width]:
            server.limits = limits
            server.set_input(spec)
            server.set_expected(expected)
        return servers[:width]

    def survivors(self, build: HookedBuild, test: Test, numbers: Sequence[int]) -> list[int]:
        """The variants for which a failing test does not fail."""
        width = min(len(numbers), os.cpu_count() or 1)
        outcomes = self.outcomes(build, test, numbers, width) if numbers else ()
        good = {n for n, outcome in outcomes if test.goal.is_met(outcome)}
        return [n for n in numbers if n in good]

    def tally(self, build: HookedBuild, tests: Sequence[Test], numbers: Sequence[int]) -> dict[int, Tally]:
        """The outcomes of all tests with each variant; one that fails several counts as failing the rest too."""
        found = {n: Tally() for n in numbers}
        for k, test in enumerate(tests):
            left = [n for n in numbers if len(numbers) == 1 or k - found[n].fixed - found[n].kept <= MAX_FAILED_TESTS]
            for n, outcome in self.outcomes(build, test, left) if left else ():
                found[n].touched |= bool(outcome.touched)
                is_right = test.goal.is_met(outcome)
                found[n].fixed += is_right and test.failed
                found[n].kept += is_right and not test.failed
                if test.failed and not test.goal.is_whole:
                    found[n].keeps_output &= test.goal.keeps(outcome)
        return found

    def similar_inputs(self, build: HookedBuild, tests: Sequence[Test], sources: Iterable[bytes]) -> list[OriginalRun]:
        """Inputs near those of the tests with what the original does there; those on which it fails are left out.

        Most have the shape of the failing one; others contain words and numbers of the program, so that other parts of
        it run.
        """
        test = tests[0]
        near, further = MAX_SIMILAR_INPUTS, MAX_FURTHER_INPUTS
        if not self.is_thorough:
            near, further = near // QUICK_DIVISOR, further // QUICK_DIVISOR
        found: list[OriginalRun] = []
        ways: set[tuple[int, int]] = set()
        for other, is_far in _nearby_inputs(tests, sources):
            if len(found) >= near + further or self.is_over():
                break
            if not is_far and len(found) >= near:
                continue
            limits = RunLimits(test.limits.milliseconds, test.limits.events)
            (server,) = self._given(build, other, b"", limits)
            outcome = server.run([Rule(NOWHERE, Op.VARIANT, ORIGINAL)])
            way = (outcome.status, outcome.events)
            if outcome.exit_status is not None and not (is_far and way in ways):
                ways.add(way)
                output = server.output()
                more = RunLimits(
                    limits.milliseconds, max(MIN_EVENT_LIMIT, MAX_SLOWDOWN * outcome.events), _output_limit(output)
                )
                found.append(OriginalRun(other, outcome, output, more))
        return found

    def compare(self, build: HookedBuild, inputs: Sequence[OriginalRun], found: dict[int, Tally]) -> None:
        """Count the inputs on which variants behave differently from the original program."""
        for usual in inputs if found else ():
            if self.is_over():
                break
            tried = [Rule(NOWHERE, Op.VARIANT, number) for number in found]
            for at, outcome in run_all(self._given(build, usual.spec, usual.output, usual.limits), tried):
                self.runs += 1
                tally = found[tried[at].a]
                tally.similar += 1
                tally.differs += not usual.is_same(outcome)


def _nearby_inputs(tests: Sequence[Test], sources: Iterable[bytes]) -> Iterator[tuple[RunSpec, bool]]:
    """Inputs like the failing one, then further ones with words of the program, each with whether it is further."""
    yield from ((spec, False) for spec in similar_inputs(tests[0].spec, MAX_SIMILAR_MADE))
    text = b"\n".join(sources)
    words = [w for literal in _LITERAL.findall(text) for w in _WORD.findall(literal)]
    numbers = [int(n) for n in _NUMBER.findall(text)]
    first = tests[0].spec
    reads = frozenset(
        part for part, there in (("args", first.args), ("stdin", first.stdin), ("nondet", first.nondet)) if there
    )
    mutator = Mutator(words[:MAX_MUTATION_WORDS], numbers[:MAX_MUTATION_WORDS], reads)
    known = [input_of(t.spec) for t in tests[:MAX_SIMILAR_INPUTS]]
    for k in range(MAX_FURTHER_MADE if reads else 0):
        made = mutator.change(known[k % len(known)], mutator.pick.choice(known))
        yield made.run_spec(tests[k % len(known)].spec), True


def _output_limit(output: bytes) -> int:
    """The bytes that a patched program may write."""
    return max(2 * len(output) + SPARE_OUTPUT_BYTES, MIN_OUTPUT_LIMIT_BYTES)
