"""Runs of patched programs on the tests, in the fence of the fork server: which failures are gone, what else changes."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace

from butfor.concolic.input_mutations import Mutator
from butfor.concolic.search_inputs import input_of
from butfor.counterfactual.change_rules import Op, Rule
from butfor.counterfactual.experiment import Goal
from butfor.counterfactual.fork_server import Limits, Outcome, Server, run_all
from butfor.counterfactual.similar_inputs import others
from butfor.frontends.c.hooked_build import HookedBuild
from butfor.frontends.c.run_program import RunSpec
from butfor.ir.change_sites import NOWHERE

_SIMILAR, _MOST_SIMILAR = 40, 60  # other inputs of the same shape that are used, and made
_FURTHER, _MOST_FURTHER, _MOST_WORDS = 20, 60, 200  # inputs with which other parts of the program run
_LITERAL = re.compile(rb'"((?:[^"\\\n]|\\.)*)"')
_WORD = re.compile(rb"[A-Za-z_]\w{0,30}|[^\s\w\\%]")
_NUMBER = re.compile(rb"\b\d{1,9}\b")
_SLOWER, _LEAST_EVENTS = (
    20,
    400_000,
)  # a patched program may take so many times longer than the failing run; blocks that it may run in any case
_MILLISECONDS, _MOST_MILLISECONDS = 1_000, 10_000
_MOST_FAILED = 2
ORIGINAL = 0  # the number of what is no variant


@dataclass(frozen=True, slots=True)
class Test:
    """One run with what should come of it; `failed` without a repair."""

    __test__ = False  # pytest collects classes by this name

    spec: RunSpec
    goal: Goal
    failed: bool
    name: str = ""
    limits: Limits = field(default_factory=Limits)  # of runs with a repair


@dataclass(slots=True)
class Tally:
    """What came of one variant."""

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
    outcome: Outcome
    output: bytes
    limits: Limits

    def is_same(self, other: Outcome) -> bool:
        """Whether another run ended in the same way and wrote the same; it was told to expect the output."""
        ended = (other.status, other.end) == (self.outcome.status, self.outcome.end)
        return ended and other.matched == other.output == len(self.output)


@dataclass
class Trials:
    """Where programs are run: their name and folder, and when to stop."""

    name: str
    cwd: str | None
    is_over: Callable[[], bool]
    is_thorough: bool = True  # programs are compared on many inputs, not on some
    runs: int = field(default=0, init=False)

    def measured(self, build: HookedBuild, test: Test) -> tuple[Test, Outcome]:
        """A test with limits for patched programs, and how it ends without a repair; it may take a multiple of that then."""
        start = time.monotonic()
        first = replace(
            test,
            limits=Limits(_MOST_MILLISECONDS if not test.failed else _MILLISECONDS, 1 << 40, _room(test.goal.output)),
        )
        ((_, outcome),) = self.outcomes(build, first, [ORIGINAL])
        milliseconds = _MILLISECONDS + _SLOWER * int(1000 * (time.monotonic() - start))
        limits = Limits(
            min(milliseconds, _MOST_MILLISECONDS), max(_LEAST_EVENTS, _SLOWER * outcome.events), _room(test.goal.output)
        )
        return replace(test, limits=limits), outcome

    def outcomes(
        self, build: HookedBuild, test: Test, numbers: Iterable[int], width: int = 1
    ) -> Iterator[tuple[int, Outcome]]:
        """How each variant does on one test, in no order."""
        with self._servers(build, test.spec, test.goal.output, test.limits, width) as servers:
            for rules, outcome in run_all(servers, _requests(numbers)):
                self.runs += 1
                yield rules[0].a, outcome

    @contextmanager
    def _servers(
        self, build: HookedBuild, spec: RunSpec, expected: bytes, limits: Limits, width: int
    ) -> Iterator[list[Server]]:
        with ExitStack() as stack:
            yield [
                stack.enter_context(Server(build, self.name, spec, expected, limits, self.cwd)) for _ in range(width)
            ]

    def survivors(self, build: HookedBuild, test: Test, numbers: Sequence[int]) -> list[int]:
        """The variants for which a failing test does not fail."""
        width = min(len(numbers), os.cpu_count() or 1)
        outcomes = self.outcomes(build, test, numbers, width) if numbers else ()
        good = {n for n, outcome in outcomes if test.goal.is_met(outcome)}
        return [n for n in numbers if n in good]

    def tally(self, build: HookedBuild, tests: Sequence[Test], numbers: Sequence[int]) -> dict[int, Tally]:
        """What becomes of all tests with each variant; one that fails several of them is not run on the rest, which then count as failed too."""
        found = {n: Tally() for n in numbers}
        for k, test in enumerate(tests):
            left = [n for n in numbers if len(numbers) == 1 or k - found[n].fixed - found[n].kept <= _MOST_FAILED]
            for n, outcome in self.outcomes(build, test, left) if left else ():
                found[n].touched |= bool(outcome.touched)
                is_right = test.goal.is_met(outcome)
                found[n].fixed += is_right and test.failed
                found[n].kept += is_right and not test.failed
                if test.failed and not test.goal.is_whole:
                    found[n].keeps_output &= test.goal.keeps(outcome)
        return found

    def similar(self, build: HookedBuild, tests: Sequence[Test], sources: Iterable[bytes]) -> list[OriginalRun]:
        """Inputs near those of the tests, with what the program does there without a repair; those where it fails are left out.

        Most have the shape of the failing one; others have words and numbers of the program in them, so that other parts of it run.
        """
        test = tests[0]
        near, further = (_SIMILAR, _FURTHER) if self.is_thorough else (_SIMILAR // 3, _FURTHER // 3)
        found: list[OriginalRun] = []
        ways: set[tuple[int, int]] = set()
        for other, is_far in _near(tests, sources):
            if len(found) >= near + further or self.is_over():
                break
            if not is_far and len(found) >= near:
                continue
            limits = Limits(test.limits.milliseconds, test.limits.events)
            with self._servers(build, other, b"", limits, 1) as (server,):
                outcome = server.run([Rule(NOWHERE, Op.VARIANT, ORIGINAL)])
                way = (outcome.status, outcome.events)
                if outcome.exit_status is not None and not (is_far and way in ways):
                    ways.add(way)
                    output = server.output()
                    more = Limits(limits.milliseconds, max(_LEAST_EVENTS, _SLOWER * outcome.events), _room(output))
                    found.append(OriginalRun(other, outcome, output, more))
        return found

    def compare(self, build: HookedBuild, inputs: Sequence[OriginalRun], found: dict[int, Tally]) -> None:
        """Counts the inputs on which variants behave differently from the original program."""
        for usual in inputs if found else ():
            if self.is_over():
                break
            with self._servers(build, usual.spec, usual.output, usual.limits, 1) as servers:
                for rules, outcome in run_all(servers, _requests(found)):
                    self.runs += 1
                    tally = found[rules[0].a]
                    tally.similar += 1
                    tally.differs += not usual.is_same(outcome)


def _near(tests: Sequence[Test], sources: Iterable[bytes]) -> Iterator[tuple[RunSpec, bool]]:
    """Inputs like the failing one, then inputs like any with words and numbers of the program, of which it is told that they are."""
    yield from ((spec, False) for spec in others(tests[0].spec, _MOST_SIMILAR))
    text = b"\n".join(sources)
    words = [w for literal in _LITERAL.findall(text) for w in _WORD.findall(literal)]
    numbers = [int(n) for n in _NUMBER.findall(text)]
    first = tests[0].spec
    reads = frozenset(
        part for part, there in (("args", first.args), ("stdin", first.stdin), ("nondet", first.nondet)) if there
    )
    mutator = Mutator(words[:_MOST_WORDS], numbers[:_MOST_WORDS], reads)
    known = [input_of(t.spec) for t in tests[:_SIMILAR]]
    for k in range(_MOST_FURTHER if reads else 0):
        made = mutator.change(known[k % len(known)], mutator.pick.choice(known))
        yield made.run_spec(tests[k % len(known)].spec), True


def _requests(numbers: Iterable[int]) -> Iterator[Sequence[Rule]]:
    return ([Rule(NOWHERE, Op.VARIANT, number)] for number in numbers)


def _room(output: bytes) -> int:
    """How many bytes a patched program may write."""
    return max(2 * len(output) + 65536, 1 << 20)
