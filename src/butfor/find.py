"""`butfor find` for C programs: search, shrink, save, explain."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from butfor.concolic.explore_inputs import InputSearch, SearchGoal, SearchState
from butfor.concolic.input_fuzzer import Fuzzer
from butfor.concolic.input_runner import InputRun, InputRunner
from butfor.concolic.search_inputs import input_of
from butfor.concolic.search_result import FoundFailure, input_in_words, search_dict, search_notes, tests_from_failures
from butfor.counterfactual.shrink_input import NotShrinkable, shrink
from butfor.explanation import Explanation, Failure, Status
from butfor.files import write_file
from butfor.frontends.c.c_frontend import compile_program, run_spec
from butfor.frontends.c.run_program import RunSpec
from butfor.frontends.program_kinds import kind_of_program
from butfor.options import DEFAULT_TIME_LIMIT, Options
from butfor.pipeline import analyse
from butfor.tests_file import tests_text
from butfor.witness.follow_witness import follow_witness

DEFAULT_FAILURES = 3  # one is explained, the others are listed
_PROOF_SHARE, _MAX_PROOF_SECONDS = 0.1, 5.0  # of the budget, and in all: proofs of small programs take less
_SHARE_WHEN_PROVED = 0.2  # of the budget: only failures are left that no check of the program guards
_SEARCH_SHARE = 0.8  # of the budget; the search usually ends early, soon after the first failure
_SHRINK_SHARE = 0.1  # of the budget, for all failures together
_MIN_EXPLAIN_SHARE = 0.15  # of the budget, even where the search has used it up
_MIN_PATIENCE_SECONDS = 1.0  # for other failures after the first one; and as long as the first one took

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class FindOptions:
    """What the search is to find, and where its result goes."""

    failures: int | None = None  # different ones, and runs of each; None: a few, and not long after the first
    save: Path | None = None  # the file for the failing inputs, as tests
    is_guarded: bool = True  # inputs with which the program would write files or act on other programs are not run


def find(options: Options, wanted: FindOptions, progress: Progress | None = None) -> Explanation:
    """The explanation of the first failure found; `extra` has all of them in `found`, what was tried in `search`."""
    say = progress or _silent
    start = time.monotonic()
    kind_of_program(options.sources).check_options(options.sources, options.given)
    program = compile_program(options, say)
    witness = None if options.witness is None else follow_witness(options, program, say)
    if witness is not None:
        options = replace(options, witness=None, nondet=witness.values)
    counts_no_end = options.step_limit is not None or options.time_limit != DEFAULT_TIME_LIMIT
    with InputRunner(options, program, counts_no_end, wanted.is_guarded) as runner:
        say("proving checks")
        runner.prepare(min(_PROOF_SHARE * options.budget, _MAX_PROOF_SECONDS))
        state = _search(runner, options, wanted, say)
        found = [FoundFailure(_failure(runs[0]), tuple(runs)) for runs in state.failing.values()]
        _save(found, wanted)
        if found and not state.was_interrupted:
            found = _shrunk(runner, found, options.budget, say)
            _save(found, wanted)
    notes = search_notes(state, runner.refused, options.budget, runner.reaching) + runner.checks.notes()
    extra: dict[str, Any] = {
        "found": [one.to_dict() for one in found],
        "search": search_dict(state, runner.refused, runner.checks),
    }
    if witness is not None:
        confirmed = runner.failure_in(witness.recording)
        notes += witness.notes(confirmed)
        extra["witness"] = witness.to_dict(confirmed)
    if not found:
        return Explanation(Status.NO_FAILURE, notes=tuple(notes), extra=extra)
    left = max(options.budget - (time.monotonic() - start), _MIN_EXPLAIN_SHARE * options.budget)
    first = found[0]
    answer = analyse(first.runs[0].recording, replace(options, budget=left, stdin=None, args=(), nondet=()), say)
    count = sum(len(one.runs) for one in found)
    head = [f"found after {notes[0]}", f"the failing input: {input_in_words(first.runs[0])}"]
    if len(found) > 1 or count > 1:
        others = ", ".join(f"{one.failure.kind} at {one.failure.file}:{one.failure.line}" for one in found[1:])
        head.append(
            f"{count} failing runs of {len(found)} failures were found{f'; the others: {others}' if others else ''}"
        )
    if wanted.save is not None:
        head.append(f"all failing runs are in {wanted.save}: butfor explain {options.sources[0]} --tests {wanted.save}")
    if witness is not None:
        head += witness.notes(confirmed)
    if state.was_interrupted:
        head.append("the search was interrupted")
    return replace(answer, notes=(*head, *answer.notes), extra={**answer.extra, **extra})


def _silent(text: str) -> None:
    """Ignore progress messages."""


def _failure(run: InputRun) -> Failure:
    assert run.failure is not None
    return run.failure


def _search(runner: InputRunner, options: Options, wanted: FindOptions, say: Progress) -> SearchState:
    is_asked = wanted.failures is not None
    is_little_left = runner.checks.all_hold and options.expect_exit is None and not options.arithmetic_errors
    share = _SHARE_WHEN_PROVED if is_little_left and not runner.counts_no_end else _SEARCH_SHARE
    goal = SearchGoal(
        failures=wanted.failures or DEFAULT_FAILURES,
        seconds=share * options.budget,
        patience=lambda took: options.budget if is_asked else _MIN_PATIENCE_SECONDS + took,
    )
    say("searching")
    return InputSearch(runner, Fuzzer(runner), goal, say).run([input_of(run_spec(options))])


def _save(found: list[FoundFailure], wanted: FindOptions) -> None:
    if wanted.save is not None and found:
        write_file(wanted.save, tests_text(tests_from_failures(found)).encode())


def _shrunk(runner: InputRunner, found: list[FoundFailure], budget: float, say: Progress) -> list[FoundFailure]:
    """The failures, each with the smallest failing input found as its first run."""
    out = []
    for one in found:
        say(f"looking for a smaller input for the failure at line {one.failure.line}")
        end = time.monotonic() + _SHRINK_SHARE * budget / len(found)
        smallest = _smallest(runner, one.runs[0], end)
        rest = [run for run in one.runs[1:] if run.given != smallest.given]
        out.append(FoundFailure(_failure(smallest), (smallest, *rest)))
    return out


def _smallest(runner: InputRunner, run: InputRun, end: float) -> InputRun:
    best = run
    like = run_spec(runner.options)
    assert run.failure is not None

    def fails_alike(spec: RunSpec) -> bool:
        nonlocal best
        tried = runner.run(input_of(spec))
        if tried is None or tried.failure is None or tried.nature != run.nature:
            return False
        best = tried
        return True

    try:
        shrink(runner.server, run.given.run_spec(like), run.failure.kind, fails_alike, lambda: time.monotonic() >= end)
    except NotShrinkable:
        return run
    except KeyboardInterrupt:
        return best
    return best
