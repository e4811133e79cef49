"""Fuzzing: mutated inputs run without recording, to find new coverage and failures to record."""

from __future__ import annotations

import os
import time

import numpy as np

from butfor.concolic.input_mutations import Mutator
from butfor.concolic.input_runner import InputRunner
from butfor.concolic.search_inputs import ProgramInput
from butfor.counterfactual.fork_server import RunOutcome
from butfor.errors import ButforError

_MAX_RUNS_PER_ENDING = 6  # failing runs with the same ending that are worth a recording
_MAX_CORPUS = 300  # inputs that others are made from
_MAX_FOUND_AT_ONCE = 3  # each is recorded and followed, which takes longer than fuzzing
_HIT_COUNT_CLASSES = np.array([1, 3, 12])  # counts in the same interval are not told apart


class Fuzzer:
    """Runs mutated inputs."""

    def __init__(self, runner: InputRunner) -> None:
        self.runner = runner
        self.runs = 0
        self.seconds = 0.0
        self.is_usable = True
        self._corpus: list[ProgramInput] = []
        self._seen: set[int] = set()
        self._endings: dict[tuple[object, ...], int] = {}
        self._mutator: Mutator | None = None

    def add_to_corpus(self, given: ProgramInput) -> None:
        """Add an input to the corpus that others are made from."""
        if len(self._corpus) < _MAX_CORPUS:
            self._corpus.append(given)

    def fuzz(self, seconds: float, reads: frozenset[str]) -> list[ProgramInput]:
        """The inputs found in that time that are worth a recording."""
        start = time.monotonic()
        found: list[ProgramInput] = []
        try:
            while self._corpus and len(found) < _MAX_FOUND_AT_ONCE and time.monotonic() - start < seconds:
                given = self._next(reads)
                if self._is_interesting(given):
                    found.append(given)
                    self.add_to_corpus(given)
        except (ButforError, OSError):
            self.is_usable = False  # the search goes on without it
        self.seconds += time.monotonic() - start
        return found

    def _next(self, reads: frozenset[str]) -> ProgramInput:
        facts = self.runner.facts
        assert facts is not None
        if self._mutator is None or self._mutator.reads != sorted(reads):
            self._mutator = Mutator(facts.words, facts.numbers, reads)
        pick = self._mutator.pick
        return self._mutator.change(pick.choice(self._corpus), pick.choice(self._corpus))

    def _is_interesting(self, given: ProgramInput) -> bool:
        self.runs += 1
        self.runner.server.set_input(given.run_spec(self.runner.plain_spec))
        outcome, seen = self.runner.server.observe()
        ending = _bad_ending(outcome)
        if ending is not None:
            self._endings[ending] = self._endings.get(ending, 0) + 1
            return self._endings[ending] <= _MAX_RUNS_PER_ENDING
        if outcome.timed_out:
            return False
        sites = np.flatnonzero(seen["count"])
        hits = np.searchsorted(_HIT_COUNT_CLASSES, seen["count"][sites])
        marks = set((sites * 1024 + hits * 32 + (seen["relations"][sites].astype(np.int64) & 24)).tolist())
        new = marks - self._seen
        self._seen |= new
        return bool(new)


def _bad_ending(outcome: RunOutcome) -> tuple[object, ...] | None:
    """What two runs that failed in the same way have in common; None for a run that did not fail."""
    if outcome.end in (1, 2):
        return outcome.end, outcome.message
    if outcome.end == 0 and not outcome.timed_out and os.WIFSIGNALED(outcome.status):
        return "signal", os.WTERMSIG(outcome.status)
    return None
