"""Many inputs in a short time: the program with hooks runs changed inputs without recording; those that are new or fail are recorded then."""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from contextlib import ExitStack

import numpy as np

from butfor.concolic.input_mutations import Mutator
from butfor.concolic.input_runner import Runner
from butfor.concolic.search_inputs import Input
from butfor.counterfactual.fork_server import Outcome, Server
from butfor.errors import ButforError
from butfor.frontends.c.run_program import RunSpec

_MOST_SERVERS = 4
_MOST_ALIKE = 6  # recorded runs that ended in the same way
_MOST_KEPT = 300
_MOST_FOUND = 3  # at once: each is recorded and followed
_ROUNDS = np.array([1, 3, 12])  # numbers of times that are told apart


class Fuzzer:
    """Changed inputs by chance. Use it in a `with` block."""

    def __init__(self, runner: Runner) -> None:
        self.runner = runner
        self.runs = 0
        self.seconds = 0.0
        self.is_usable = True
        self._corpus: list[Input] = []
        self._seen: set[int] = set()
        self._endings: dict[tuple[object, ...], int] = {}
        self._servers: OrderedDict[int, tuple[Server, ExitStack]] = OrderedDict()
        self._mutator: Mutator | None = None

    def __enter__(self) -> Fuzzer:
        return self

    def __exit__(self, *error: object) -> None:
        while self._servers:
            self._servers.popitem()[1][1].close()

    def keep(self, given: Input) -> None:
        """One more input to make others from."""
        if len(self._corpus) < _MOST_KEPT:
            self._corpus.append(given)

    def go(self, seconds: float, reads: frozenset[str]) -> list[Input]:
        """The inputs worth a recording that were found in that time."""
        start = time.monotonic()
        found: list[Input] = []
        try:
            while self._corpus and len(found) < _MOST_FOUND and time.monotonic() - start < seconds:
                given = self._next(reads)
                if self._is_interesting(given):
                    found.append(given)
                    self.keep(given)
        except (ButforError, OSError):
            self.is_usable = False  # it was a help only
        self.seconds += time.monotonic() - start
        return found

    def _next(self, reads: frozenset[str]) -> Input:
        facts = self.runner.facts
        assert facts is not None
        if self._mutator is None or self._mutator.reads != sorted(reads):
            self._mutator = Mutator(facts.words, facts.numbers, reads)
        pick = self._mutator.pick
        return self._mutator.change(pick.choice(self._corpus), pick.choice(self._corpus))

    def _is_interesting(self, given: Input) -> bool:
        self.runs += 1
        server = self._server(given)
        server.give_all(given.args, given.stdin, given.nondet)
        outcome, seen = server.watch()
        ending = _bad_ending(outcome)
        if ending is not None:
            self._endings[ending] = self._endings.get(ending, 0) + 1
            return self._endings[ending] <= _MOST_ALIKE
        if outcome.timed_out:
            return False
        sites = np.flatnonzero(seen["count"])
        rounds = np.searchsorted(_ROUNDS, seen["count"][sites])
        marks = set((sites * 1024 + rounds * 32 + (seen["relations"][sites].astype(np.int64) & 24)).tolist())
        new = marks - self._seen
        self._seen |= new
        return bool(new)

    def _server(self, given: Input) -> Server:
        count = len(given.args)
        if count in self._servers:
            self._servers.move_to_end(count)
            return self._servers[count][0]
        while len(self._servers) >= _MOST_SERVERS:
            self._servers.popitem(last=False)[1][1].close()
        spec: RunSpec = given.run_spec(self.runner.plain_spec)
        stack = ExitStack()
        server = stack.enter_context(self.runner.server(spec))
        self._servers[count] = server, stack
        return server


def _bad_ending(outcome: Outcome) -> tuple[object, ...] | None:
    """What tells a run that failed from others that did; None for one that did not fail."""
    if outcome.end in (1, 2):
        return outcome.end, outcome.said
    if outcome.end == 0 and not outcome.timed_out and os.WIFSIGNALED(outcome.status):
        return "signal", os.WTERMSIG(outcome.status)
    return None
