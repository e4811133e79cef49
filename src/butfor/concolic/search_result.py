"""The result of a search, as JSON data and as notes in words."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from butfor.concolic.checks_to_search import ChecksToSearch
from butfor.concolic.explore_inputs import SearchState
from butfor.concolic.input_runner import InputRun
from butfor.counterfactual.nondet_values import nondet_values
from butfor.explanation import Failure
from butfor.tests_file import TestCase
from butfor.trace.log.columns import EndReason

_MAX_SHOWN_BYTES = 300  # of standard input in a note: about three lines
_INPUT_KINDS = {"args": "arguments", "stdin": "standard input", "nondet": "nondeterministic values"}


@dataclass(frozen=True, slots=True)
class FoundFailure:
    """One failure and the runs that have it, first the one to explain."""

    failure: Failure
    runs: tuple[InputRun, ...]

    def to_dict(self) -> dict[str, Any]:
        """The element of `found` in the JSON report."""
        return {"failure": self.failure.to_dict(), "runs": [_input_dict(run) for run in self.runs]}


def _input_dict(run: InputRun) -> dict[str, Any]:
    return {
        "args": [a.decode("utf-8", "surrogateescape") for a in run.given.args],
        "stdin": run.given.stdin,
        "nondet": list(nondet_values(run.recording, run.given.nondet)),
    }


def tests_from_failures(found: Iterable[FoundFailure]) -> list[TestCase]:
    """The failing runs as tests. A program that failed and exited by itself is expected to exit as it did."""
    tests = []
    for k, one in enumerate(found, 1):
        for j, run in enumerate(one.runs, 1):
            end = run.recording.log.end
            status = end.status if end.reason == EndReason.EXIT and end.status else None
            where = f"{one.failure.file}:{one.failure.line}"
            row = _input_dict(run)
            name = f"failure {k}, run {j}: {one.failure.kind} at {where}"
            tests.append(TestCase(name, tuple(row["args"]), run.given.stdin, None, status, tuple(row["nondet"])))
    return tests


def input_in_words(run: InputRun) -> str:
    """The input of a run as a phrase."""
    given, parts = run.given, []
    if given.args:
        parts.append(f"arguments {shlex.join(a.decode('utf-8', 'backslashreplace') for a in given.args)}")
    if given.stdin:
        text = given.stdin[:_MAX_SHOWN_BYTES].decode("utf-8", "backslashreplace")
        parts.append(f"standard input {text!r}{' and so on' if len(given.stdin) > _MAX_SHOWN_BYTES else ''}")
    values = nondet_values(run.recording, given.nondet)
    if values:
        parts.append(f"nondeterministic values {','.join(map(str, values))}")
    return "; ".join(parts) or "no input at all"


def search_dict(state: SearchState, refused: int, checks: ChecksToSearch) -> dict[str, Any]:
    """The `search` object of the JSON report: what was tried."""
    return {
        "verdict": "no input was found with which the program fails"
        if not state.failing
        else "inputs were found with which the program fails",
        "runs": state.tried,
        "quick_runs": state.quick,
        "solved": state.solved,
        "branches": state.branches,
        "branches_covered": state.covered,
        "longest_input": state.longest,
        "inputs": sorted(state.reads),
        "seconds": round(state.seconds, 2),
        "all_paths": is_complete(state, refused),
        "not_followed": sorted(state.gaps),
        "interrupted": state.was_interrupted,
        "refused": refused,
        "checks": checks.to_dict(),
    }


def is_complete(state: SearchState, refused: int) -> bool:
    """Whether every path of the program was run: nothing is left to try, and nothing was left out on the way."""
    return state.is_exhausted and not state.gaps and not refused and not state.was_interrupted


def search_notes(state: SearchState, refused: int, budget: float, reaching: Sequence[str]) -> list[str]:
    """How far the search went, one note each."""
    longest = _count(state.longest, "byte or number", "bytes or numbers")
    quick = f" and {_count(state.quick, 'input')} by chance" if state.quick else ""
    tried = f"{_count(state.tried, 'input')}{quick} tried in {state.seconds:.1f} s, the longest with {longest}"
    notes = [f"{tried}; {state.covered} of {state.branches} branches covered" if state.branches else tried]
    if not state.reads:
        notes.append(
            "the program reads no arguments, no standard input and no nondeterministic values: it has one run only"
        )
    else:
        notes.append(f"searched: {', '.join(_INPUT_KINDS[k] for k in _INPUT_KINDS if k in state.reads)}")
    if is_complete(state, refused):
        notes.append("all paths explored")
    elif state.was_interrupted:
        notes.append("the search was interrupted")
    elif state.is_exhausted:
        notes.append("nothing is left to try, though not all paths were explored")
    else:
        notes.append(f"the search ended with its share of the budget of {budget:g} s (--budget gives more)")
    if state.gaps:
        notes.append(f"not followed, or only in part: {', '.join(sorted(state.gaps))}")
    if refused:
        why = f"with it the program writes files or acts on other programs ({', '.join(reaching)})"
        notes.append(f"{_count(refused, 'input')} not run for real: {why}; --unguarded runs all")
    return notes


def _count(n: int, one: str, many: str = "") -> str:
    return f"{n} {one if n == 1 else many or one + 's'}"
