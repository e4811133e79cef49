"""A recorded run repeated with changes that the user chose: its end, output and verdict."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from butfor.counterfactual.change_candidates import ChangeCandidate
from butfor.counterfactual.change_rules import Op, Rule
from butfor.counterfactual.change_syntax import ChangeSyntax
from butfor.counterfactual.change_words import ChangeWords
from butfor.counterfactual.experiment import allowed_memory_errors
from butfor.counterfactual.fork_server import Ending, ForkServer, RunLimits, RunOutcome
from butfor.counterfactual.rerun import goal_of_run, hooked_program, recorded_spec
from butfor.counterfactual.run_goal import Goal
from butfor.counterfactual.variables_in_scope import VariablesInScope
from butfor.errors import UsageError
from butfor.explanation import FailureKind
from butfor.failures.crash import signal_name
from butfor.failures.failure_point import FailurePoint
from butfor.frontends.c.hooked_build import HookedBuild
from butfor.ir.change_sites import NOWHERE, Site, SiteKind
from butfor.options import RunOptions
from butfor.plain_json import merged
from butfor.trace.log.record_layout import ErrorKind
from butfor.trace.recording import Recording
from butfor.trace.view.source_places import Places

_ENDS = {
    Ending.NORMAL: "exit",
    Ending.ASSERT: "assertion",
    Ending.REACH_ERROR: "reach-error",
    Ending.ASSUME: "assumption",
    Ending.LIMIT: "limit",
    Ending.MEMORY: "memory",
}
_NO_EVENT_LIMIT = 2**62  # the time limit ends the run


@dataclass(frozen=True, slots=True)
class Change:
    """One change."""

    spelled: str  # as `--with` takes it
    text: str  # in words
    others: tuple[str, ...] = ()  # what else the user's text could have meant, as `--with` takes it


@dataclass(frozen=True, slots=True)
class ChangedRun:
    """How the run with the changes went."""

    changes: tuple[Change, ...]
    avoids: bool  # the failure
    why: str  # that is said
    changed: int  # how often a change made a difference
    end: str  # exit, signal, assertion, reach-error, assumption, limit or memory
    exit_status: int | None
    signal: str | None
    message: str  # the assertion or the memory error
    stdout: bytes
    recorded_stdout: bytes
    has_failed: bool  # the recorded run

    @property
    def ending(self) -> str:
        """How the run ended, as the predicate of a sentence about it."""
        match self.end:
            case "exit":
                return f"ended with exit status {self.exit_status}"
            case "signal":
                return f"was ended by {self.signal}"
            case "assertion":
                return f"ended with a failed assertion: {self.message}" if self.message else "called abort()"
            case "reach-error":
                return "reached the error location"
            case "assumption":
                return "ended at a violated assumption"
            case "memory":
                return f"was ended at a memory error: {self.message}"
        return "was stopped at a limit of time or size"

    def to_dict(self) -> dict[str, Any]:
        """The JSON report."""
        fixed = {
            "changes": [{"with": c.spelled, "text": c.text} for c in self.changes],
            "avoids": self.avoids,
            "why": self.why,
            "changed": self.changed,
            "exit_status": self.exit_status,
            "signal": self.signal,
            "end": self.end,
            "stdout": self.stdout,
            "recorded_stdout": self.recorded_stdout,
        }
        return merged(fixed, {})


def changed_run(
    places: Places, point: FailurePoint | None, texts: Sequence[str], cc: str | None, options: RunOptions
) -> ChangedRun:
    """The recorded run repeated with all these changes; `point` is its failure without them, if there was one."""
    recording = places.recording
    is_checked = options.memory_errors or options.arithmetic_errors
    build = hooked_program(recording, cc, checked=is_checked, arithmetic=options.arithmetic_errors)
    syntax = ChangeSyntax(VariablesInScope(recording.program), build.sites, places.shown)
    rules = [syntax.parse(text) for text in texts]
    for k, rule in enumerate(rules):
        if rule.site != NOWHERE and any(r.site == rule.site for r in rules[:k]):
            raise UsageError(
                f"{texts[k]!r}: there is a change at this place already",
                hint="of several changes, each needs a place of its own",
            )
    goal = goal_of_run(recording, point, build) if point is not None else Goal(recording.stdout, False, None)
    probe = [Rule(goal.probe, Op.PROBE)] if goal.probe and all(r.site != goal.probe for r in rules) else []
    limits = RunLimits(int(1000 * options.time_limit), _NO_EVENT_LIMIT, options.output_limit)
    meta = recording.meta
    cwd = meta.folder if os.path.isdir(meta.folder) else None
    with ForkServer(build, meta.invoked_as, recorded_spec(recording), goal.output, limits, cwd) as server:
        is_endless = point is not None and point.kind is FailureKind.NO_END
        allowed = allowed_memory_errors(server, goal) if point is not None and not is_endless else []
        baseline = server.run([*probe, *allowed]) if point is not None and not is_endless else None
        if baseline is not None and baseline.end == Ending.MEMORY and not goal.is_whole:
            goal = replace(goal, output=server.output())
            server.adopt_output(allowed)
        outcome = server.run([*rules, *probe, *allowed])
        stdout = server.output()
        is_clean = not allowed or server.run(rules).end != Ending.MEMORY
    avoids, why = _verdict(point, goal, baseline, outcome, bool(probe))
    if avoids and not is_clean:
        why += ", but for memory errors that the recorded run has too"
    end, signal = _ENDS[Ending(outcome.end)], None
    if outcome.timed_out:
        end = "limit"
    elif outcome.end == Ending.NORMAL and os.WIFSIGNALED(outcome.status):
        end, signal = "signal", signal_name(os.WTERMSIG(outcome.status))
    words = ChangeWords(places)
    changes = tuple(
        Change(
            syntax.format(rule),
            _change_text(words, rule, build.sites),
            tuple(map(syntax.format, syntax.alternatives(text))),
        )
        for rule, text in zip(rules, texts, strict=True)
    )
    message = _error_text(recording, places, build, outcome) if outcome.end == Ending.MEMORY else outcome.message
    ended = (end, outcome.exit_status, signal, message)
    return ChangedRun(changes, avoids, why, outcome.changed, *ended, stdout, recording.stdout, point is not None)


_ERRORS: dict[int, str] = {
    ErrorKind.BOUNDS: "an access out of bounds",
    ErrorKind.FREED: "a use after free",
    ErrorKind.DOUBLE_FREE: "a double free",
    ErrorKind.BAD_FREE: "a free of a pointer that malloc did not return",
    ErrorKind.RETURNED: "a use of a variable after its function returned",
    ErrorKind.OVERLAP: "a copy between places that overlap",
    ErrorKind.SCOPE: "a use of a variable that is out of scope",
    ErrorKind.MEMBER: "an access outside of a member or row",
    ErrorKind.SIZE: "an array of negative size",
    ErrorKind.OVERFLOW: "a signed overflow",
    ErrorKind.SHIFT: "a shift too far",
    ErrorKind.CONVERSION: "a conversion of a number that does not fit",
    16: "an uninitialised value decides a branch",  # these three only the memory checks find, as checks.c numbers them
    17: "an uninitialised value is used as an address",
    18: "an uninitialised value is printed",
}


def _error_text(recording: Recording, places: Places, build: HookedBuild, outcome: RunOutcome) -> str:
    """The memory error that ended a run, and its position."""
    what = _ERRORS.get(outcome.error, "an invalid access")
    if not 0 < outcome.error_at <= len(build.checks):
        return what
    function, instr = build.checks[outcome.error_at - 1]
    fn = recording.program.function(function)
    place = places.of_instr(fn, fn.instrs[instr])
    return what if place is None else f"{what} at {places.shown(place.file)}:{place.line}"


def _change_text(words: ChangeWords, rule: Rule, sites: Sequence[Site]) -> str:
    if rule.op is Op.INITIAL:
        return words.clause(
            ChangeCandidate(rule, Site(NOWHERE, "", -1, SiteKind.INITIAL, bits=8 * rule.size), "initial")
        )
    text = words.clause(ChangeCandidate(rule, sites[rule.site - 1], "value"))
    return f"{text}, only at time number {rule.only}" if rule.only else text


def _verdict(
    point: FailurePoint | None, goal: Goal, baseline: RunOutcome | None, outcome: RunOutcome, is_probed: bool
) -> tuple[bool, str]:
    """Whether the failure is avoided, and the reason."""
    if point is None:
        return False, "the recorded run did not fail"
    if baseline is not None and goal.is_met(baseline):
        return False, "the run is not repeatable: run again without any change, the program does not fail"
    if not goal.is_met(outcome):
        is_past = baseline is not None and goal.is_past(outcome, baseline)
        return False, f"{'it gets past the failure, but ' if is_past else ''}{_shortfall(goal, outcome)}"
    if goal.is_whole:
        return True, "the expected output is produced exactly"
    same = goal.keeps(outcome)
    output = (
        "the same output up to the point of failure"
        if same
        else f"an output that differs after {outcome.matched} bytes"
    )
    missed = (
        ", but that point is reached less often than before"
        if is_probed and baseline is not None and outcome.reached < baseline.reached
        else ""
    )
    return True, f"there is no failure, and {output}{missed}"


def _shortfall(goal: Goal, outcome: RunOutcome) -> str:
    """Why a changed run is not right."""
    if outcome.end == Ending.MEMORY:
        return "the changed run has a memory error"
    if outcome.is_cut:
        return "the changed run was still running when it was stopped"
    if outcome.exit_status is None:
        return "the changed run fails too"
    if goal.is_whole and not goal.keeps(outcome):
        return f"its output differs from the expected output after {outcome.matched} bytes"
    if goal.is_whole and outcome.output > len(goal.output):
        return f"its output goes on after the {len(goal.output)} bytes that are expected"
    return f"its exit status is {outcome.exit_status}, not {goal.exit_status}"
